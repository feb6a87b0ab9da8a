import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LAST_ID, partsFrom } from './even-parts.ts';

test('the parts follow each other from the first id to the last, however few ids there are', () => {
  const begins = fc.uniqueArray(fc.uuid(), { maxLength: 12 });
  fc.assert(
    fc.property(begins, fc.integer({ min: 1, max: 20 }), (ids, count) => {
      const parts = partsFrom(ids.sort().slice(0, count - 1), count);
      expect(parts).toHaveLength(count);
      expect(parts[0]?.from).toMatch(/^[0-]+$/);
      expect(parts.at(-1)?.end).toBe(LAST_ID);
      for (const [at, { from, end }] of parts.entries()) {
        expect(from <= end).toBe(true);
        if (at > 0) expect(from).toBe(parts[at - 1]?.end);
      }
    }),
  );
});
