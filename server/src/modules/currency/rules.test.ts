import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  convertUsd,
  decideAcceptance,
  decideMarket,
  decideOperatorRate,
  isServing,
  median,
  type Quote,
} from './rules.ts';

const now = new Date('2026-11-20T10:00:00Z');
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const band = { minToman: 20_000, maxToman: 5_000_000 };
const names = ['a', 'b', 'c', 'd'];
const quotes = (...figures: (number | undefined)[]): Quote[] =>
  figures.flatMap((tomanPerUsd, index) =>
    tomanPerUsd === undefined ? [] : [{ source: names[index] as string, tomanPerUsd, at: undefined }],
  );
const decide = (list: Quote[]) => decideMarket(names, list, band, now);
const outcomes = (list: Quote[]) => decide(list).sources.map((source) => source.outcome);

describe('the market', () => {
  test.each([
    ['three that agree', quotes(100_000, 101_000, 102_000), 101_000],
    ['four: the mean of the middle two, rounded down', quotes(100_000, 101_000, 102_001, 103_000), 101_500],
    ['one of three ten times too large', quotes(100_000, 1_010_000, 102_000), 101_000],
    ['one of four a tenth', quotes(100_000, 101_000, 102_000, 100_500 / 10), 101_000],
    ['only two answer', quotes(100_000, 101_000), undefined],
    ['three, none near another', quotes(100_000, 150_000, 200_000), undefined],
    ['nobody answers', [], undefined],
  ])('%s', (_what, list, rate) => expect(decide(list).tomanPerUsd).toBe(rate));

  test('reports the outcome of each source', () => {
    expect(outcomes(quotes(100_000, 1_010_000, 102_000))).toEqual(['used', 'outlier', 'used', 'failed']);
    expect(outcomes(quotes(100_000, 19_999, 102_000, 6_000_000))).toEqual([
      'used',
      'out_of_band',
      'used',
      'out_of_band',
    ]);
    expect(outcomes(quotes(100_000, 0, 102_000, Number.NaN))).toEqual(['used', 'failed', 'used', 'failed']);
  });

  test('the band includes its ends', () => {
    const list = quotes(20_000, 20_000, 20_000);
    expect(decideMarket(names, list, { minToman: 20_000, maxToman: 20_000 }, now).tomanPerUsd).toBe(20_000);
  });

  test.each([
    [10, 'used'],
    [10.1, 'stale'],
    [-10.1, 'stale'],
  ])('a time stamp %d minutes old is %s', (minutes, outcome) => {
    const list = [...quotes(100_000, 100_000, 100_000), { source: 'd', tomanPerUsd: 100_000, at: ago(minutes) }];
    expect(outcomes(list)[3]).toBe(outcome);
  });

  test('an outlier is more than 8 % from the median, on either side', () => {
    expect(outcomes(quotes(100_000, 108_000, 92_000, 100_000))).toEqual(['used', 'used', 'used', 'used']);
    expect(outcomes(quotes(100_000, 108_001, 91_999, 100_000))).toEqual(['used', 'outlier', 'outlier', 'used']);
  });

  test('one false source among four never moves the rate outside the range of the others', () => {
    const honest = fc.array(fc.integer({ min: 98_000, max: 102_000 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(honest, fc.integer({ min: 1, max: 10_000_000 }), (figures, lie) => {
        const rate = decide(quotes(...figures, lie)).tomanPerUsd;
        expect(rate).toBeGreaterThanOrEqual(Math.min(...figures));
        expect(rate).toBeLessThanOrEqual(Math.max(...figures));
      }),
    );
  });
});

describe('a jump', () => {
  const held = (...list: [number, number][]) =>
    list.map(([tomanPerUsd, minutes]) => ({ tomanPerUsd, takenAt: ago(minutes) }));
  test.each([
    ['the first rate of all', 100_000, undefined, held(), 'accepted'],
    ['10 % up', 110_000, 100_000, held(), 'accepted'],
    ['a little more', 110_001, 100_000, held(), 'held'],
    ['more than 10 % down', 89_999, 100_000, held(), 'held'],
    ['held for four minutes', 120_000, 100_000, held([120_000, 4]), 'held'],
    ['held for five minutes', 120_000, 100_000, held([119_000, 5], [121_000, 2]), 'accepted'],
    ['held, but it wandered', 120_000, 100_000, held([150_000, 5], [120_000, 2]), 'held'],
  ] as const)('%s', (_what, rate, last, readings, expected) => {
    expect(decideAcceptance(rate, last, readings, now)).toBe(expected);
  });

  test('the last accepted rate is used for fifteen minutes', () => {
    expect(isServing(ago(15), now)).toBe(true);
    expect(isServing(ago(15.01), now)).toBe(false);
  });
});

test.each([
  ['the least of the band', 20_000, undefined, 'fine'],
  ['less', 19_999, undefined, 'out_of_band'],
  ['the most of the band', 5_000_000, undefined, 'fine'],
  ['more', 5_000_001, undefined, 'out_of_band'],
  ['ten percent up from the last known', 110_000, 100_000, 'fine'],
  ['a little more', 110_001, 100_000, 'jump'],
  ['ten percent down', 90_000, 100_000, 'fine'],
  ['more than that', 89_999, 100_000, 'jump'],
  ['a mistake, however near the last known', 19_999, 20_000, 'out_of_band'],
] as const)('a rate that is typed, %s', (_what, rate, lastKnown, expected) => {
  expect(decideOperatorRate(rate, band, lastKnown)).toBe(expected);
});

test.each([
  [[5], 5],
  [[1, 2], 1],
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2],
  [[], 0],
])('median of %j is %i', (values, middle) => expect(median(values)).toBe(middle));

test.each([
  [0, 0n],
  [1, 95_001n],
  [0.1, 9_500n],
  [0.29, 27_550n],
  [1_000_000, 95_001_000_000n],
])('%d dollars at 95,001 are %i toman', (usd, toman) => expect(convertUsd(usd, 95_001)).toBe(toman));
