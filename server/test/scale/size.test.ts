import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolFakeNode } from '../fake-node.ts';
import { openTestWorld, type TestWorld } from '../world.ts';
import { insertPopulation } from './people.ts';

/** How much a month of usage leaves in the database (performance G5): 240 hours for each active user. */
const ACTIVE = 200;
const HOURS_OF_A_MONTH = 240;

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ connections: 1 });
});
afterAll(() => world.close());

async function bytes(): Promise<number> {
  const { rows } = await sql<{ bytes: bigint }>`
    SELECT sum(pg_total_relation_size(name))::bigint AS bytes
    FROM unnest(ARRAY['ledger_entry', 'ledger_transfer', 'usage_hour']) name
  `.execute(world.deps.db);
  return Number(rows[0]?.bytes);
}

test('ledger and usage of an active user and month take at most 100 KB', async () => {
  const node = await enrolFakeNode(world);
  const model = await world.user();
  const before = await bytes();
  // One in ten is active.
  const now = world.deps.clock.now();
  await insertPopulation(world.deps.db, {
    ...{
      count: 10 * ACTIVE,
      hours: HOURS_OF_A_MONTH,
      // As the schedule books them: a thousand in one transfer.
      usersPerBooking: 1_000,
      nodeIds: [node.id],
      modelId: model.id,
      oldIds: [],
      payerIds: [],
      now,
    },
  });
  const perUser = ((await bytes()) - before) / ACTIVE;
  console.log(`${(perUser / 1_000).toFixed(1)} KB of ledger and usage per active user and month`);
  expect(perUser).toBeLessThanOrEqual(100_000);
});
