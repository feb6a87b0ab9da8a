import { expect, test } from 'vitest';
import { decideOld } from './nightly-backup.ts';

const night = (day: number) => `raha-2026-11-${String(day).padStart(2, '0')}T00-30-00-000Z`;

test('the newest stay, older ones and unfinished ones go, and what is not ours stays', () => {
  const foreign = ['notes.txt', 'raha', 'raha-old', 'other-2026-11-01T00-00-00-000Z'];
  const names = [...foreign, night(3), night(1), night(4), night(2), `${night(2)}.unfinished`];
  expect(decideOld(names, 2)).toEqual([night(1), night(2), `${night(2)}.unfinished`]);
  expect(decideOld(names, 4)).toEqual([`${night(2)}.unfinished`]);
  expect(decideOld([], 7)).toEqual([]);
});
