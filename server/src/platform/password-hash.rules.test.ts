import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password-hash.ts';

/** The number of requests of one kind that may run or wait. */
const ROOM = availableParallelism() + 50;

test('a flood of one kind is shed; another kind gets its turn before the flood is through', async () => {
  const stored = await hashPassword('Correct-horse-7');
  const finished: string[] = [];
  const flood = Array.from({ length: ROOM + 10 }, () =>
    hashPassword('Flood-horse-7').then(
      () => finished.push('flood'),
      (error: unknown) => error,
    ),
  );
  const signIn = verifyPassword(stored, 'Correct-horse-7', 'session').then((fits) => {
    finished.push('session');
    return fits;
  });
  expect(await signIn).toBe(true);
  expect(finished.indexOf('session')).toBeLessThan(ROOM / 2);
  const outcomes = await Promise.all(flood);
  expect(outcomes.filter((outcome) => (outcome as { code?: string }).code === 'unavailable')).toHaveLength(10);
});
