import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/modules/ledger/check-ledger.ts';
import { drawAllowances, returnAllowance } from '../../src/modules/subscriptions/allowance.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** What an earlier version left in the database is no alarm for this one. */
let world: TestWorld;
let owner: string;

beforeAll(async () => {
  world = await openTestWorld();
  owner = (await world.user({ usdCents: 0 })).id;
});
afterAll(async () => {
  await sql`DELETE FROM subscription`.execute(world.deps.db);
  await world.proveLedger();
  await world.close();
});

/** A period that begins in ten days and has given bytes. */
async function given(): Promise<string> {
  const id = randomUUID();
  await sql`
    INSERT INTO subscription (id, user_id, plan_id, kind, paid_with, name_fa, name_en, price_toman, duration_days, max_devices,
      starts_at, ends_at, granted_bytes, created_at)
    VALUES (${id}, ${owner}, 'basic', 'renewal', 'wallet', 'پایه', 'Basic', 0, 30, 2,
      now() + interval '10 days', now() + interval '40 days', 1000, now())
  `.execute(world.deps.db);
  return id;
}

async function cancel(id: string): Promise<void> {
  await sql`UPDATE subscription SET ended_at = now(), end_reason = 'cancelled' WHERE id = ${id}`.execute(world.deps.db);
}

async function migrateBy(file: string): Promise<void> {
  const path = join(import.meta.dirname, '../../migrations', file);
  await sql.raw(readFileSync(path, 'utf8')).execute(world.deps.db);
}

const earlyGivers = async () =>
  (await checkLedger(world.deps.db)).violations
    .filter(({ invariant }) => invariant.startsWith('L25 '))
    .flatMap(({ rows }) => rows.map((row) => (row as { id: string }).id));

test('a period that gave before it began, as all could once, is no alarm; one that does so now is', async () => {
  await sql`ALTER TABLE subscription DROP COLUMN first_given_at`.execute(world.deps.db);
  await sql`ALTER TABLE subscription ADD COLUMN gave_early boolean NOT NULL DEFAULT false`.execute(world.deps.db);
  await cancel(await given());
  const waiting = await given();
  await migrateBy('0037_first_given.sql');
  await inTransaction(world.deps.db, (tx) => returnAllowance(tx, waiting, 400n, new Date()));
  await cancel(waiting);
  expect(await earlyGivers()).toEqual([]);
  const forged = await given();
  await inTransaction(world.deps.db, (tx) => drawAllowances(tx, owner, new Map([[forged, 600n]]), new Date()));
  expect(await earlyGivers()).toEqual([forged]);
});
