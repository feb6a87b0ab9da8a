import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateSchema } from '../../src/platform/migrate.ts';
import { createTestDatabase } from '../database.ts';
import { changePlan } from '../plans.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** The rows of plans' versions: what PostgreSQL refuses, and what an older database becomes (decision 125). */
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ restores: false });
  await changePlan(world, 'basic', { priceToman: 100_000n });
});
afterAll(() => world?.close());

test('what was stays: no term, moment or reason is changed, and no row goes', async () => {
  await sql`
    INSERT INTO plan_version (id, plan_id, price_toman, duration_days, max_devices, valid_from, created_at, cancelled_at)
    VALUES (gen_random_uuid(), 'basic', 5, 30, 1, now() + interval '2 days', now(), now() + interval '1 day')
  `.execute(world.deps.db);
  for (const statement of [
    sql`UPDATE plan_version SET price_toman = 1`,
    sql`UPDATE plan_version SET traffic_limit_bytes = 1, cancelled_at = created_at`,
    sql`UPDATE plan_version SET valid_from = valid_from + interval '1 day', cancelled_at = created_at`,
    sql`UPDATE plan_version SET reason = 'another', cancelled_at = created_at`,
    sql`UPDATE plan_version SET cancelled_at = NULL, cancelled_by = NULL WHERE cancelled_at IS NOT NULL`,
    sql`DELETE FROM plan_version`,
    sql`TRUNCATE plan_version CASCADE`,
  ])
    await expect(statement.execute(world.deps.db)).rejects.toThrow('stay as they were');
  const late = sql`UPDATE plan_version SET cancelled_at = valid_from WHERE cancelled_at IS NULL`;
  await expect(late.execute(world.deps.db)).rejects.toThrow('plan_version_cancelled_in_time');
  const dear = sql`INSERT INTO plan_version (id, plan_id, price_toman, original_price_toman, duration_days, max_devices, valid_from, created_at)
    VALUES (gen_random_uuid(), 'basic', 5, 5, 30, 1, now(), now())`;
  await expect(dear.execute(world.deps.db)).rejects.toThrow('plan_version_original_price_above_price');
});

test('a database of the release before keeps its plans as first versions, and what was bought names none', async () => {
  const old = await createTestDatabase({ empty: true });
  const client = new pg.Client(old.url);
  try {
    await migrateSchema(old.url, { to: '0117_last_reading' });
    await client.connect();
    await client.query(`UPDATE plan SET price_toman = 7, original_price_toman = 9 WHERE id = 'basic'`);
    await migrateSchema(old.url);
    const { rows } = await client.query(`
      SELECT v.price_toman::int AS price, v.original_price_toman::int AS original, extract(epoch FROM valid_from)::int AS since,
        p.version_id = v.id AS stands
      FROM plan_version v JOIN plan p ON p.id = v.plan_id WHERE plan_id = 'basic'
    `);
    expect(rows).toEqual([{ price: 7, original: 9, since: 0, stands: true }]);
  } finally {
    await client.end();
    await old.drop();
  }
});
