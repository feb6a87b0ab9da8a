import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { readDay } from './jalali-day.ts';
import { readSettlementFile } from './read-file.ts';

const read = (text: string | Buffer, gateway: 'zarinpal' | 'idpay' | 'nextpay' = 'zarinpal', unit?: 'rial' | 'toman') =>
  readSettlementFile(gateway, Buffer.from(text), unit);

const HEAD = 'ref_id,date,amount,fee,payout';
const LINE = {
  number: 2,
  reference: '201234567890',
  session: undefined,
  amountRial: 1_250_000n,
  feeRial: 12_500n,
  payout: 'P1',
  day: '2026-11-24',
};

describe('a settlement file is read', () => {
  test.each([
    ['with commas', `${HEAD}\n201234567890,2026-11-24,1250000,12500,P1`],
    ['with CRLF and a byte order mark', `\ufeff${HEAD}\r\n201234567890,2026-11-24,1250000,12500,P1\r\n\r\n`],
    ['with semicolons', `${HEAD.replaceAll(',', ';')}\n201234567890;1405/09/03;1,250,000;12,500;P1`],
    ['with tabs', `${HEAD.replaceAll(',', '\t')}\n201234567890\t2026/11/24 10:00\t1250000\t12500\tP1`],
    ['with quotes', `"ref_id","date","amount","fee","payout"\n"201234567890","1405-09-03","1,250,000","12,500","P1"`],
    ['in Persian', 'شماره ارجاع,تاریخ,مبلغ (ریال),کارمزد,شناسه تسویه\n۲۰۱۲۳۴۵۶۷۸۹۰,۱۴۰۵/۰۹/۰۳,۱٬۲۵۰٬۰۰۰,۱۲٬۵۰۰,P1'],
    [
      'with Arabic letters and digits',
      'كد پيگيري,تاريخ,مبلغ,كارمزد,کد تسویه\n٢٠١٢٣٤٥٦٧٨٩٠,٢٠٢٦-١١-٢٤,١٢٥٠٠٠٠,١٢٥٠٠,P1',
    ],
    [
      'with half-spaces in heads',
      'شماره‌ارجاع,تاریخ تراکنش,مبلغ تراکنش,کارمزد,شماره تسویه\n201234567890,1405/9/3,1250000,12500,P1',
    ],
    ['in toman by its heads', 'ref_id,date,amount (toman),fee (toman),payout\n201234567890,2026-11-24,125000,1250,P1'],
    ['in toman by its currency', 'ref_id,date,amount,fee,payout,currency\n201234567890,2026-11-24,125000,1250,P1,IRT'],
    [
      'with columns of its own',
      'row,ref_id,card,date,amount,fee,payout,,x\n1,201234567890,6037****,2026-11-24,1250000,12500,P1,,',
    ],
    [
      'with a fee by the net amount',
      'ref_id,date,amount,net amount,payout\n201234567890,2026-11-24,1250000,1237500,P1',
    ],
    ['with the gross amount left out', 'ref_id,date,fee,net,payout\n201234567890,2026-11-24,12500,1237500,P1'],
    ['with a fee that carries a minus', `${HEAD}\n201234567890,2026-11-24,1250000,-12500,P1`],
    ['with a reference kept as text by a spreadsheet', `${HEAD}\n"=""201234567890""",2026-11-24,1250000,12500,P1`],
    ['with an instant late in the day', `${HEAD}\n201234567890,2026-11-23T21:00:00Z,1250000,12500,P1`],
    ['with separators at the end', `${HEAD}\n201234567890,2026-11-24,1250000,12500,P1,,`],
  ])('%s', (_what, text) => {
    expect(read(text).lines).toEqual([LINE]);
  });

  test('from UTF-16, as spreadsheets save "Unicode text"', () => {
    const text = `\ufeff${HEAD.replaceAll(',', '\t')}\r\n201234567890\t2026-11-24\t1250000\t12500\tP1\r\n`;
    expect(read(Buffer.from(text, 'utf16le')).lines).toEqual([LINE]);
  });

  test('below a title, with totals counted and not read as a line', () => {
    const file = read(
      `Settlement of November\n\n${HEAD}\n201234567890,2026-11-24,1250000,12500,P1\nجمع کل,,1250000,12500,`,
    );
    expect(file).toMatchObject({ totals: 1, days: { from: '2026-11-24', to: '2026-11-24' } });
    expect(file.lines).toEqual([{ ...LINE, number: 4 }]);
  });

  test('the unit is the gateway’s own if nothing says it, or the operator’s', () => {
    const amount = (...args: Parameters<typeof read>) => {
      const [line] = read(...args).lines;
      return line && 'amountRial' in line ? line.amountRial : undefined;
    };
    const text = 'trans_id,authority,id,amount\na,b,c,5000';
    expect(amount(text, 'zarinpal')).toBe(5_000n);
    expect(amount(text, 'idpay')).toBe(5_000n);
    expect(amount(text, 'nextpay')).toBe(50_000n);
    expect(amount(text, 'nextpay', 'rial')).toBe(5_000n);
  });

  test.each([
    ['a minus', '-1250000', ''],
    ['a minus behind', '1250000-', ''],
    ['brackets', '(1250000)', ''],
    ['its type', '1250000', 'refund'],
    ['its Persian type', '1250000', 'استرداد وجه'],
  ])('money that went back is known by %s', (_how, amount, type) => {
    expect(read(`ref_id,amount,type\n7,${amount},${type}\n8,10,`).lines[0]).toMatchObject({ amountRial: -1_250_000n });
  });

  test('a fee that the payer paid on top costs us nothing', () => {
    expect(read('ref_id,amount,fee,net\n7,1000,10,1000').lines[0]).toMatchObject({ amountRial: 1_000n, feeRial: 0n });
  });
});

describe('a line that cannot be read is kept, with its number and the reason', () => {
  test.each([
    ['an amount of letters', '7,2026-11-24,abc,0,P1', 'has an amount that cannot be read'],
    ['no amount', '7,2026-11-24,,0,P1', 'names no amount'],
    ['an amount of zero', '7,2026-11-24,0,0,P1', 'has an amount of zero'],
    ['a part of a rial', '7,2026-11-24,10.5,0,P1', 'has an amount that cannot be read'],
    ['no reference', ',2026-11-24,1000,0,P1', 'names no reference'],
    ['a shortened reference', '2.01E+11,2026-11-24,1000,0,P1', 'has a reference that a spreadsheet has shortened'],
    ['a day that does not exist', '7,1405/07/31,1000,0,P1', 'has a date that cannot be read'],
    ['unquoted thousands', '7,2026-11-24,1,000,0,P1', 'has 6 fields instead of 5'],
    ['a quote that does not end', '7,2026-11-24,"1000,0,P1', 'has a quote that does not end'],
  ])('%s', (_what, line, unreadable) => {
    const { lines } = read(`${HEAD}\n8,2026-11-24,1000,0,P1\n${line}\n9,2026-11-24,1000,0,P1\n`);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toEqual({ number: 3, unreadable, raw: line });
  });

  test('an amount, a fee and a net amount that do not add up', () => {
    const { lines } = read('ref_id,amount,fee,net\n7,1000,10,990\n8,1000,10,900');
    expect(lines[1]).toMatchObject({
      number: 3,
      unreadable: 'has an amount, a fee and a net amount that do not add up',
    });
  });
});

describe('what is no settlement file is refused', () => {
  test.each([
    ['nothing', ''],
    ['a page', '<html><body>ورود</body></html>'],
    ['a list without amounts', 'ref_id,date\n1,2026-11-24'],
    ['a list without references', 'name,amount\nx,5'],
    ['a file of which no line can be read', 'ref_id,amount\n1,x\n2,y'],
  ])('%s', (_what, text) => {
    expect(() => read(text)).toThrow(/^This is no settlement file of Zarinpal\./);
    expect(() => read(text)).toThrow(OperatorMistake);
  });

  test('a workbook and a text that is not UTF-8, with what to do', () => {
    expect(() => read(Buffer.from('PK\u0003\u0004rest'))).toThrow('Save it as CSV UTF-8');
    expect(() => read(Buffer.from([0xe3, 0xd1, 0xcc, 0x2c]))).toThrow('Save it as CSV UTF-8');
  });
});

test('days are read in both calendars', () => {
  const days = [
    '1405/09/03',
    '1403/12/30',
    '1404/12/30',
    '2026-02-29',
    '1405-6-31 07:10',
    '20261124',
    '1795000000',
    '1405/9/3 25:00',
  ];
  expect(days.map(readDay)).toEqual([
    ...['2026-11-24', '2025-03-20', undefined, undefined, '2026-09-22', '2026-11-24', '2026-11-18', undefined],
  ]);
});

describe('whatever a file contains', () => {
  const cell = fc.oneof(
    fc.constantFrom(
      '7',
      '1,000',
      '۱٬۰۰۰',
      '-5',
      '(9)',
      '2026-11-24',
      '1405/09/03',
      'جمع',
      '',
      '"',
      '""',
      '="1"',
      '1e9',
      'P1',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replace(/[\r\n"]/g, '')),
  );
  const rows = fc.array(
    fc.array(cell, { minLength: 1, maxLength: 7 }).map((cells) => cells.join(',')),
    { maxLength: 12 },
  );

  test('it is read or refused with a sentence, and no line is lost', () => {
    fc.assert(
      fc.property(rows, (lines) => {
        const text = [HEAD, '8,2026-11-24,1000,0,P1', ...lines].join('\n');
        const file = read(text);
        const numbers = file.lines.map(({ number }) => number);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        // Lines with quotes may belong together.
        const hasQuotes = lines.some((line) => line.includes('"'));
        const filled = lines.filter((line) => line.split(',').some((field) => field.trim() !== ''));
        if (!hasQuotes) expect(file.lines.length + file.totals).toBe(1 + filled.length);
        for (const line of file.lines)
          if ('reference' in line) expect([line.reference !== '', line.amountRial !== 0n]).toEqual([true, true]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('bytes that are no file are refused with a sentence', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => readSettlementFile('idpay', bytes)).toThrow(OperatorMistake);
      }),
    );
  });
});
