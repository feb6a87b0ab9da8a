import { describe, expect, test } from 'vitest';
import { maskCard, readEvidence } from './evidence.ts';

const code = { name: 'code', value: '100' };

describe('what is kept with a payment', () => {
  test('an answer as it came', () => {
    expect(readEvidence({ code: 100 })).toEqual({
      answers: [{ why: null, fields: [code], hidden: 0 }],
      verdicts: [],
    });
    expect(readEvidence(null)).toEqual({ answers: [], verdicts: [] });
  });

  test('with our reason, and with none of the bank', () => {
    const twice = { reason: 'this reference was credited before', bank: { code: 100 } };
    expect(readEvidence(twice).answers).toEqual([{ why: twice.reason, fields: [code], hidden: 0 }]);
    expect(readEvidence({ reason: 'never started' }).answers).toEqual([
      { why: 'never started', fields: [], hidden: 0 },
    ]);
  });

  test('two verdicts, with the answer that came between', () => {
    const first = { bank: { code: -50 }, review: { by: 'Sara', note: 'nothing there' } };
    const second = { bank: { bank: { code: 100 }, before: first }, review: { by: 'Ali', note: 'now it is' } };
    const { answers, verdicts } = readEvidence(second);
    expect(answers.map(({ fields }) => fields[0]?.value)).toEqual(['-50', '100']);
    expect(verdicts.map(({ by }) => by)).toEqual(['Sara', 'Ali']);
  });

  test('a verdict where no bank answered', () => {
    expect(readEvidence({ bank: null, review: { by: 'Sara', note: 'x' } })).toEqual({
      answers: [],
      verdicts: [{ by: 'Sara', note: 'x' }],
    });
  });

  test('fields of the payer, and those that nobody knows, are counted and not shown', () => {
    const answer = {
      code: 0,
      data: {
        customer_phone: '09121234567',
        payer: { name: 'Sara', mail: 's@x.ir' },
        hashed_card_no: 'AB12',
        new: 'secret',
      },
    };
    const { answers } = readEvidence(answer);
    expect(answers).toEqual([{ why: null, fields: [{ name: 'code', value: '0' }], hidden: 5 }]);
    expect(JSON.stringify(answers)).not.toMatch(/0912|Sara|AB12|secret/);
  });

  test('a card is masked even if the bank did not', () => {
    const { answers } = readEvidence({ data: { card_pan: '5022291234565995' } });
    expect(answers[0]?.fields).toEqual([{ name: 'data.card_pan', value: '502229••••5995' }]);
    expect(maskCard('5022-29**-****-5995')).toBe('5022-29**-****-5995');
  });
});
