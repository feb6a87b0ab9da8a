import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { expect, test } from 'vitest';
import { englishPrivacy } from './privacy-english.ts';
import { persianPrivacy } from './privacy-persian.ts';

test('the privacy page names every period after which something of a person is deleted', () => {
  const { exchangeRates: _, ...periods } = limits.keptDays;
  const points = (parts: typeof englishPrivacy.parts) => parts.flatMap((part) => part.points ?? []);
  for (const days of Object.values(periods)) {
    expect(points(englishPrivacy.parts).some((point) => new RegExp(`: ${days}\\u00a0days?$`).test(point))).toBe(true);
    expect(points(persianPrivacy.parts).some((point) => point.endsWith(`: ${formatNumber(days, 'fa')}\u00a0روز`))).toBe(
      true,
    );
  }
});

test('no period is written out', () => {
  for (const file of ['privacy-english.ts', 'privacy-persian.ts'])
    expect(readFileSync(join(import.meta.dirname, file), 'utf8')).not.toMatch(/[0-9۰-۹]+ (days?|روز)/);
});
