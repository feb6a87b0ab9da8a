import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { parseInstant, writeInstant } from './instants.ts';

const byLibrary = pg.types.getTypeParser(1184, 'text') as (text: string) => Date | number;
const pad = (value: number, digits: number) => String(value).padStart(digits, '0');

test('an instant is read as the library reads it', () => {
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,6}$/));
  const zone = fc.constantFrom('+00', '+00', '+00', '+03:30', '-05', '+04:51:16', '+00 BC');
  const year = fc.oneof(fc.integer({ min: 1970, max: 2100 }), fc.integer({ min: 1, max: 12_000 }));
  const part = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(year, part(11), part(27), part(23), part(59), part(59), fraction, zone, (y, mo, d, h, m, s, f, z) => {
      const text = `${pad(y, 4)}-${pad(mo + 1, 2)}-${pad(d + 1, 2)} ${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}${f}${z}`;
      expect([text, Number(parseInstant(text))]).toEqual([text, Number(byLibrary(text))]);
    }),
    { numRuns: 3_000 },
  );
});

test.each(['infinity', '-infinity', '2026-11-29', '12026-11-29 01:02:03+00', '2026-11-29 01:02:03'])(
  'what is no usual instant is left to the library: %s',
  (text) => {
    expect(Number(parseInstant(text))).toBe(Number(byLibrary(text)));
  },
);

test('an instant that is written is read again, and a year of five digits is left to the library', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (ms) => {
      const text = writeInstant(new Date(ms)) as string;
      expect(Number(parseInstant(text.replace('T', ' ').replace('Z', '+00')))).toBe(ms);
    }),
  );
  expect(writeInstant(new Date(Date.UTC(10_000, 0)))).toBeUndefined();
  expect(writeInstant(new Date(-1))).toBeUndefined();
  expect(writeInstant(new Date(Number.NaN))).toBeUndefined();
});
