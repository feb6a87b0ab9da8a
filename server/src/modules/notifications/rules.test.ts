import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideLowBalance } from './rules.ts';

describe('a low balance', () => {
  test.each([
    [201n, 1000n, 100, undefined],
    [200n, 1000n, 100, 20],
    [200n, 1000n, 20, undefined],
    [51n, 1000n, 20, undefined],
    [50n, 1000n, 20, 5],
    [0n, 1000n, 100, 5],
    [0n, 1000n, 5, undefined],
    [0n, 1n, 100, 5],
  ])('%d of %d after %d percent: %s', (balanceToman, baselineToman, warnedPercent, percent) => {
    expect(decideLowBalance({ balanceToman, baselineToman, warnedPercent })).toBe(percent);
  });

  test('however a balance falls, each threshold is warned of at most once, in falling order', () => {
    const steps = fc.array(fc.bigInt({ min: 0n, max: 1_000_000n }), { maxLength: 50 });
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1_000_000n }), steps, (baselineToman, balances) => {
        const warned: number[] = [];
        for (const balanceToman of balances) {
          const percent = decideLowBalance({ balanceToman, baselineToman, warnedPercent: warned.at(-1) ?? 100 });
          if (percent !== undefined) warned.push(percent);
        }
        expect(warned).toEqual([...new Set(warned)].sort((a, b) => b - a));
      }),
    );
  });
});
