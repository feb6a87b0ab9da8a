import { expect, test } from 'vitest';
import type { AgentContext } from '../agent-context.ts';
import { createControlState } from '../control/control-state.ts';
import { createMeteringState } from '../metering/metering-state.ts';
import { startUsage } from '../metering/usage-state.ts';
import { watchRules } from './rules-watch.ts';

/** A node whose nft answers when the test says, and that records what it does then. */
function createToy() {
  const looks: { answer(hasRules: boolean): void; fail(): void }[] = [];
  const toy = { nowMs: 0, looks, done: [] as string[] };
  const control = createControlState();
  const metering = { ...createMeteringState(startUsage('a', 'boot'), 0), tableEpoch: 'a' };
  control.polling = { abort: () => toy.done.push('announced') } as unknown as AbortController;
  const context = {
    elapsedMs: () => toy.nowMs,
    log: { error: (what: string) => toy.done.push(`${what} not seen`), warn: () => {}, info: () => {} },
    firewall: {
      hasRules: () =>
        new Promise((resolve, reject) => looks.push({ answer: resolve, fail: () => reject(new Error('too busy')) })),
      build: async () => toy.done.push('built'),
      setLimits: async () => {},
    },
    spool: { writeUsage: async () => {} },
    ...{ control, metering, bootId: 'boot', agentVersion: '1', mintId: () => 'b' },
  } as unknown as AgentContext;
  return { toy, control, metering, look: watchRules(context) };
}
const soon = () => new Promise((resolve) => setTimeout(resolve));

test('sampling goes on while the rules are checked, however long that takes', async () => {
  const { metering, toy, look } = createToy();
  look();
  expect(toy.looks.length).toBe(1);
  await metering.mutex.runExclusive(async () => toy.done.push('sampled'));
  expect(toy.done).toEqual(['sampled']);
});

test.each(['answer', 'fail'] as const)('one check at a time, and rarely when a check takes long (%s)', async (end) => {
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

test('a check that takes very long is repeated half a minute after its end', async () => {
  const { toy, look } = createToy();
  look();
  toy.nowMs = 5_000;
  toy.looks[0]?.fail();
  await soon();
  toy.nowMs = 34_999;
  look();
  expect(toy.looks.length).toBe(1);
  toy.nowMs = 35_000;
  look();
  expect(toy.looks.length).toBe(2);
});

test('missing rules are checked again under the mutex, then rebuilt in a new epoch', async () => {
  const { toy, look } = createToy();
  look();
  toy.looks[0]?.answer(false);
  await soon();
  toy.looks[1]?.answer(false);
  await expect.poll(() => toy.done).toEqual(['built', 'announced']);
});

test.each([
  ['they were missing only for a moment', () => {}],
  ['the agent is stopping', (control: { isStopping: boolean }) => Object.assign(control, { isStopping: true })],
] as const)('nothing is rebuilt: %s', async (_why, meanwhile) => {
  const { toy, control, look } = createToy();
  look();
  meanwhile(control);
  toy.looks[0]?.answer(false);
  await soon();
  toy.looks[1]?.answer(true);
  await soon();
  expect(toy.done).toEqual([]);
});
