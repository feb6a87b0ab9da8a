import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LastConnection, readLastConnections } from '../../src/modules/metering/connections.ts';
import type { Tx } from '../../src/platform/database.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const CONFIGS = 5;
const EACH = 400;

test('the last connection of each config is found without reading the earlier ones', async () => {
  const ids = Array.from({ length: CONFIGS }, () => randomUUID());
  await world.deps.db.transaction().execute(async (tx) => {
    await connectOften(tx, ids);
    const requested = [...ids, randomUUID()];
    const readBefore = await rowsRead(tx);
    const found = await readLastConnections(tx, requested);
    expect((await rowsRead(tx)) - readBefore).toBe(CONFIGS);
    const { rows } = await sql<LastConnection>`
      SELECT DISTINCT ON (config_id) config_id, started_at, start_bytes FROM connection
      WHERE config_id = ANY (${requested}::uuid[]) ORDER BY config_id, started_at DESC
    `.execute(tx);
    expect(rows).toHaveLength(CONFIGS);
    expect(found).toEqual(new Map(rows.map((row) => [row.config_id, row])));
  });
});

/** Connections at random times, of configs that do not exist. */
async function connectOften(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`ALTER TABLE connection DROP CONSTRAINT connection_config_id_fkey`.execute(tx);
  await sql`
    INSERT INTO connection (config_id, started_at, ended_at, start_bytes, end_bytes)
    SELECT id, at, at, bytes, bytes FROM unnest(${ids}::uuid[]) AS id,
      LATERAL (SELECT now() - random() * interval '300 days' AS at, (random() * 1e12)::bigint AS bytes
        FROM generate_series(1, ${EACH}::int) WHERE id IS NOT NULL) AS made
  `.execute(tx);
  await sql`ANALYZE connection`.execute(tx);
}

/** Rows of `connection` that this transaction has read. */
async function rowsRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS count FROM pg_stat_xact_user_tables WHERE relname = 'connection'
  `.execute(tx);
  return Number(rows[0]?.count);
}
