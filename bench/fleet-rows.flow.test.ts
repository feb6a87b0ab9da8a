import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { enrolFakeNode } from '../server/test/fake-node.ts';
import { openTestWorld } from '../server/test/world.ts';
import { insertConfigs } from './fleet-rows.ts';

/** The SQL of part (f) has no types, and a whole run of that part takes a quarter of an hour. */
test('configs written for the bench are billed by their node, and the ledger holds', async () => {
  const world = await openTestWorld();
  const node = await enrolFakeNode(world);
  const model = await world.user();

  const configs = await insertConfigs(world.deps, node, model.id, 3);
  await node.report(configs.map((config) => ({ config })));
  await node.report(configs.map((config) => ({ config, down: 1_000_000 })));

  const { rows } = await sql`SELECT config_id, billed_bytes FROM meter ORDER BY config_id`.execute(world.deps.db);
  expect(rows).toEqual(configs.map((config) => ({ config_id: config, billed_bytes: 1_000_000n })));
  await world.proveLedger();
  await world.close();
});
