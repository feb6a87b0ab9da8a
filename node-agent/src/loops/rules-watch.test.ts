import { expect, test } from 'vitest';
import { createTurns } from '../platform/mutex.ts';
import type { Runtime } from '../runtime.ts';
import type { Shift } from '../shift.ts';
import { watchRules } from './rules-watch.ts';

/** A node whose nft answers when the test says; what is done about it is written down. */
function createToy() {
  const looks: { answer(hasRules: boolean): void; fail(): void }[] = [];
  const toy = { nowMs: 0, looks, done: [] as string[] };
  const runtime = {
    elapsedMs: () => toy.nowMs,
    log: { error: (what: string) => toy.done.push(`${what} not seen`), warn: () => {}, info: () => {} },
    firewall: {
      hasRules: () =>
        new Promise((resolve, reject) => looks.push({ answer: resolve, fail: () => reject(new Error('too busy')) })),
      build: async () => toy.done.push('built'),
      setLimits: async () => {},
    },
    spool: { writeUsage: async () => {} },
    usage: { epoch: 'a', configs: new Map(), closing: [] },
    ...{ tableEpoch: 'a', mintId: () => 'b' },
  } as unknown as Runtime;
  const shift = {
    runtime,
    isOver: false,
    inTurn: createTurns(),
    announceEpoch: () => toy.done.push('announced'),
  };
  return { toy, shift, look: watchRules(shift as unknown as Shift) };
}
const soon = () => new Promise((resolve) => setTimeout(resolve));

test('what takes turns goes on while the rules are looked for, however long that takes', async () => {
  const { shift, toy, look } = createToy();
  look();
  expect(toy.looks.length).toBe(1);
  await shift.inTurn(async () => toy.done.push('sampled'));
  expect(toy.done).toEqual(['sampled']);
});

test.each(['answer', 'fail'] as const)('one look at a time, and seldom where it takes long (%s)', async (end) => {
  const { toy, look } = createToy();
  look();
  look();
  toy.nowMs = 500;
  toy.looks[0]?.[end](true);
  await soon();
  look();
  toy.nowMs = 24_999;
  look();
  expect(toy.looks.length).toBe(1);
  toy.nowMs = 25_000;
  look();
  expect(toy.looks.length).toBe(2);
});

test('rules that are gone are looked for once more in turn, then made anew in a new epoch', async () => {
  const { toy, look } = createToy();
  look();
  toy.looks[0]?.answer(false);
  await soon();
  toy.looks[1]?.answer(false);
  await expect.poll(() => toy.done).toEqual(['built', 'announced']);
});

test.each([
  ['they were only missing for a moment', () => {}],
  ['the agent is ending', (shift: { isOver: boolean }) => Object.assign(shift, { isOver: true })],
] as const)('nothing is made anew: %s', async (_why, meanwhile) => {
  const { toy, shift, look } = createToy();
  look();
  meanwhile(shift);
  toy.looks[0]?.answer(false);
  await soon();
  toy.looks[1]?.answer(true);
  await soon();
  expect(toy.done).toEqual([]);
});
