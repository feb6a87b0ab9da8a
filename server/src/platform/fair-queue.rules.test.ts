import { expect, test } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

test('lines are served in turn, and a full one is shed without holding up the other', async () => {
  const queue = createFairQueue<'flood' | 'owner'>(1, 3);
  const entered: string[] = [];
  const leave = await queue.enter('flood');
  const enter = async (kind: 'flood' | 'owner') => {
    const done = await queue.enter(kind);
    entered.push(kind);
    done();
  };
  const waiting = [enter('flood'), enter('flood'), enter('flood'), enter('owner')];
  await expect(enter('flood')).rejects.toMatchObject({ code: 'unavailable' });
  leave();
  await Promise.all(waiting);
  expect(entered).toEqual(['flood', 'owner', 'flood', 'flood']);
});

test('a slot is given back once, however often it is said', async () => {
  const queue = createFairQueue<'work'>(1, 3);
  const leave = await queue.enter('work');
  leave();
  leave();
  await queue.enter('work');
  let isInside = false;
  const second = queue.enter('work').then(() => {
    isInside = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isInside).toBe(false);
  leave();
  expect(isInside).toBe(false);
  void second;
});
