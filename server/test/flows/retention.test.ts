import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { retention } from '../../src/app/retention.ts';
import { allSchedules } from '../../src/app/work.ts';
import type { Retention } from '../../src/platform/retention.ts';
import { type AgedRow, agedRows } from '../aged-rows.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** What the list says is deleted, is: of each table a row that is a day too old, and one that has a day to go. */
let world: TestWorld;
let user: TestUser;
beforeAll(async () => {
  world = await openTestWorld();
  const node = await enrolFakeNode(world);
  user = await world.user();
  await user.api.createConfig({ body: { name: 'خانه', serverId: node.id, keepKey: true } });
});
afterAll(() => world.close());

/** Not by age: `earned-days.test.ts` shows that a plan's row goes with its last day. */
const NOT_BY_AGE = ['unearned_plan'];
const deleted = retention
  .flatMap((declared) => Object.entries(declared))
  .filter(
    (entry): entry is [string, Retention & { schedule: string }] =>
      'schedule' in entry[1] && !NOT_BY_AGE.includes(entry[0]),
  );

test('every table that a schedule deletes from is tested here', () => {
  expect(deleted.map(([table]) => table).sort()).toEqual([...agedRows.keys()].sort());
});

test.each(deleted)('%s', async (table, kept) => {
  const aged = agedRows.get(table) as AgedRow;
  const days = 'days' in kept ? limits.keptDays[kept.days] : 0;
  for (const age of [days - 1, days + 1])
    await sql
      .raw(aged.insert(`now() - interval '${age} days'`, `(SELECT * FROM users WHERE id = '${user.id}')`))
      .execute(world.deps.db);
  const before = await countByAge(table, aged, days);
  expect([before.old > 0, before.young > 0]).toEqual([true, true]);
  await allSchedules.find(({ name }) => name === kept.schedule)?.run(world.deps);
  expect(await countByAge(table, aged, days)).toEqual({ old: 0, young: before.young });
});

async function countByAge(table: string, { column }: AgedRow, days: number): Promise<{ old: number; young: number }> {
  const isOld = `${column} <= now() - interval '${days} days'`;
  const { rows } = await sql
    .raw<{ old: bigint; young: bigint }>(
      `SELECT count(*) FILTER (WHERE ${isOld}) AS old, count(*) FILTER (WHERE NOT (${isOld})) AS young FROM ${table}`,
    )
    .execute(world.deps.db);
  return { old: Number(rows[0]?.old), young: Number(rows[0]?.young) };
}
