import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command, Context } from '../../src/cli/context.ts';
import { planCommands } from '../../src/cli/plan-commands.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { addSeconds, manualClock } from '../../src/platform/clock.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** `raha plans`: the use case of the console, without a form. */
const clock = manualClock(new Date('2026-11-27T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false });
});
afterAll(() => world?.close());

async function raha(command: string, flags: Record<string, string> = {}) {
  const { run } = planCommands[`plans ${command}`] as Command;
  const context: Pick<Context, 'db' | 'clock' | 'audit' | 'flags'> = { ...world.deps, clock, flags };
  return await run(context as Context);
}
const lines = async (command: string, flags: Record<string, string> = {}) => (await raha(command, flags)).lines;

test('a change at once, one that is planned for a time of Tehran, and its end', async () => {
  await raha('set', { id: 'basic', price: '100000', gb: '40', reason: 'the servers cost more' });
  expect((await lines('list'))[1]).toBe('basic\tپایه\t100000\t\t30\t40 GB\t2\tunlimited\tno\tyes');
  const planned = await lines('set', { id: 'basic', price: '120000', original: '150000', from: '2026-12-01T09:30' });
  expect(planned[0]).toContain('on 2026-12-01 09:30 in Tehran');
  expect((await lines('list'))[1]).toContain('100000');
  const versions = (await raha('versions', { id: 'basic' })).data as { versions: { id: string }[] };
  expect((await lines('versions', { id: 'basic' })).slice(1).map((line) => line.split('\t').slice(1))).toEqual([
    ['2026-12-01 09:30', 'planned', '120000', '150000', '30', '40 GB', '2', 'unlimited', ''],
    ['2026-11-27 11:30', 'in_force', '100000', '', '30', '40 GB', '2', 'unlimited', 'the servers cost more'],
    ['the beginning', 'over', '99000', '', '30', '50 GB', '2', 'unlimited', ''],
  ]);
  await expect(raha('set', { id: 'basic', price: '1', from: '2026-12-02 09:30' })).rejects.toThrow('planned already');
  const [{ id } = { id: '' }] = versions.versions;
  await raha('cancel', { id, reason: 'not yet' });
  await expect(raha('cancel', { id })).rejects.toThrow('cannot be cancelled any more');
  await expect(raha('cancel', { id: '00000000-0000-7000-8000-000000000000' })).rejects.toThrow('no such version');
  clock.advance(10 * 86_400_000);
  expect((await lines('list'))[1]).toContain('100000');
  const actions = (await listEntries(world.deps.db, {}, 3)).map(({ action }) => action);
  expect(actions).toEqual(['plans.cancel', 'plans.set', 'plans.set']);
});

test('what is so already is no mistake, and no entry', async () => {
  const before = await listEntries(world.deps.db, {}, 100);
  await raha('set', { id: 'basic', price: '100000' });
  expect(await listEntries(world.deps.db, {}, 100)).toEqual(before);
});

test.each([
  ['a day that is none', { from: '2026-02-30T09:30' }, '--from takes a day and a time of Tehran'],
  ['no time', { from: '2026-12-20' }, '--from takes a day and a time of Tehran'],
  ['the past', { from: '2026-12-01T09:30' }, 'at least two minutes'],
  ['a name later', { from: '2027-01-01T09:30', 'name-en': 'Light' }, 'change at once'],
  ['a lower original price', { original: '1' }, '--original none takes it away'],
])('%s is a mistake with a sentence', async (_what, flags, sentence) => {
  await expect(raha('set', { id: 'basic', price: '101000', ...(flags as Record<string, string>) })).rejects.toThrow(
    sentence,
  );
});

test('a plan that is made by a planned change is made at once, or not at all', async () => {
  const from = addSeconds(clock.now(), 3 * 86_400)
    .toISOString()
    .slice(0, 16);
  await expect(raha('set', { id: 'later', price: '5', from })).rejects.toThrow('change at once');
  await raha('set', { id: 'later', price: '5', sold: 'yes' });
  expect((await lines('list')).at(-1)).toBe('later\tlater\t5\t\t30\tunlimited\t1\tunlimited\tno\tyes');
});
