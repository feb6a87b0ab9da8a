import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { drawAllowances, returnAllowance } from '../../src/modules/subscriptions/allowance.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { migrateSchema, runMigration } from '../../src/platform/migrate.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** Rows that an earlier version left in the database do not violate this version's invariants. */
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

/** A period that begins in ten days and has already given bytes. */
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

const migrations = join(import.meta.dirname, '../../migrations');
const read = (file: string) => readFileSync(join(migrations, file), 'utf8');

async function migrateBy(file: string): Promise<void> {
  await sql.raw(read(file)).execute(world.deps.db);
}

/**
 * A database as an earlier version left it, up to the migration before `file`, on a connection that is closed at the end.
 */
async function withDatabaseBefore(file: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const name = `upgrade_${randomUUID().replaceAll('-', '')}`;
  const cluster = new pg.Client(inject('postgresUrl'));
  await cluster.connect();
  await cluster.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  const client = new pg.Client(url.href);
  try {
    await client.connect();
    const earlier = readdirSync(migrations).filter((each) => each.endsWith('.sql') && each < file);
    const to = earlier.sort().at(-1)?.replace('.sql', '');
    if (to) await migrateSchema(url.href, { to });
    await work(client);
  } finally {
    await client.end();
    await cluster.query(`DROP DATABASE ${name}`);
    await cluster.end();
  }
}

const earlyPeriods = async () =>
  (await checkLedger(world.deps.db)).violations
    .filter(({ invariant }) => invariant.startsWith('L25 '))
    .flatMap(({ rows }) => rows.map((row) => (row as { id: string }).id));

test('a period that gave bytes before it began, as older versions allowed, is no violation; a new one is', async () => {
  await sql`ALTER TABLE subscription DROP COLUMN first_given_at`.execute(world.deps.db);
  await sql`ALTER TABLE subscription ADD COLUMN gave_early boolean NOT NULL DEFAULT false`.execute(world.deps.db);
  await cancel(await given());
  const waiting = await given();
  await migrateBy('0037_first_given.sql');
  await inTransaction(world.deps.db, (tx) => returnAllowance(tx, waiting, 400n, new Date()));
  await cancel(waiting);
  expect(await earlyPeriods()).toEqual([]);
  const forged = await given();
  await inTransaction(world.deps.db, (tx) => drawAllowances(tx, owner, new Map([[forged, 600n]]), new Date()));
  expect(await earlyPeriods()).toEqual([forged]);
});

/** One row in every table whose name, columns or rows 0038 changes; each value is distinct. */
const OLD_ROWS = `
  INSERT INTO users (id, email, status, created_at) VALUES ('00000000-0000-7000-8000-0000000000a1', 'a@example.com', 'active', now());
  INSERT INTO node (id, name, country, city, wireguard_port, address_limit, wanted_agent, created_at)
    VALUES ('00000000-0000-7000-8000-0000000000b1', 'old', 'DE', 'Berlin', 51820, 100, repeat('a', 64), now());
  INSERT INTO node_presence (node_id, seen_at, asked_at, blocked_names, passed_ahead_bytes, passed_at)
    VALUES ('00000000-0000-7000-8000-0000000000b1', now(), '2026-01-01Z', 7, 8, '2026-01-02Z');
  INSERT INTO node_suspicion VALUES ('00000000-0000-7000-8000-0000000000b1', 'cloned', 3, now());
  INSERT INTO node_authority VALUES ('00000000-0000-7000-8000-0000000000b1', 'certificate', 'key', 'tls');
  INSERT INTO config (id, user_id, node_id, name, protocol, public_key, preshared_key_sealed, slot, created_at) VALUES
    ('00000000-0000-7000-8000-0000000000c2', '00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-0000000000b1', 'new', 'wireguard', 'key-2', 'secret-2', 3, now());
  INSERT INTO config (id, user_id, node_id, name, protocol, public_key, preshared_key_sealed, slot, created_at, successor_id) VALUES
    ('00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-0000000000b1', 'old', 'wireguard', 'key-1', 'secret-1', 2, now(), '00000000-0000-7000-8000-0000000000c2');
  INSERT INTO subscription (id, user_id, plan_id, kind, paid_with, name_fa, name_en, price_toman, duration_days, max_devices, starts_at, ends_at, created_at)
    VALUES ('00000000-0000-7000-8000-0000000000d1', '00000000-0000-7000-8000-0000000000a1', 'basic', 'purchase', 'wallet', 'پایه', 'Basic', 0, 30, 2, now(), now() + interval '1 day', now());
  INSERT INTO meter (config_id, user_id, node_id, generation, segment_plan, rate_up, rate_down, leaving)
    VALUES ('00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-0000000000b1', 1, '00000000-0000-7000-8000-0000000000d1', 11, 12, true);
  INSERT INTO price_segment VALUES ('00000000-0000-7000-8000-0000000000c1', 0, 10, 5, '00000000-0000-7000-8000-0000000000d1');
  INSERT INTO payment (id, user_id, gateway, amount_toman, state, authority, created_at)
    VALUES ('00000000-0000-7000-8000-0000000000e1', '00000000-0000-7000-8000-0000000000a1', 'zarinpal', 1000, 'redirected', 'A-1', now());
  INSERT INTO bank_simulator_session (authority, gateway, merchant, amount_rial, callback_url, description, state, created_at)
    VALUES ('A-1', 'zarinpal', 'm', 10000, 'u', 'd', 'IN_BANK', now());
  INSERT INTO refund (id, payment_id, user_id, gateway, amount_toman, route, state, created_at, asked_once_at)
    VALUES ('00000000-0000-7000-8000-0000000000f1', '00000000-0000-7000-8000-0000000000e1', '00000000-0000-7000-8000-0000000000a1', 'zarinpal', 10, 'gateway', 'unknown', now(), '2026-01-03Z');
  INSERT INTO gift_card_batch (id, created_at) VALUES ('00000000-0000-7000-8000-0000000000f2', now());
  INSERT INTO gift_card (id, batch_id, code_hmac, pepper_version, last4, face_usd_cents, rate_toman, created_at)
    VALUES ('00000000-0000-7000-8000-0000000000f3', '00000000-0000-7000-8000-0000000000f2', 'x', 1, '1234', 500, 80000, now());
  INSERT INTO balance_level VALUES ('00000000-0000-7000-8000-0000000000a1', 9000, 'cause', 20);
  INSERT INTO name_screening VALUES ('00000000-0000-7000-8000-0000000000a1');
  INSERT INTO withheld_day VALUES ('00000000-0000-7000-8000-0000000000a1', '2026-01-04', 42);
  INSERT INTO session (id, user_id, generation, created_at, last_used_at, expires_at)
    VALUES ('00000000-0000-7000-8000-0000000000f4', '00000000-0000-7000-8000-0000000000a1', 1, now(), now(), now());
  INSERT INTO refresh_token VALUES ('t', '00000000-0000-7000-8000-0000000000f4', 0, now(), 'sealed');
  INSERT INTO email_challenge (id, email, purpose, code_hmac, tries, created_at, expires_at)
    VALUES ('00000000-0000-7000-8000-0000000000f5', 'a@example.com', 'sign-in', 'x', 4, now(), now());
  INSERT INTO phone_challenge (id, user_id, phone, code_hmac, tries, created_at, expires_at)
    VALUES ('00000000-0000-7000-8000-0000000000f6', '00000000-0000-7000-8000-0000000000a1', '09120000000', 'x', 2, now(), now());
  INSERT INTO idempotency VALUES ('00000000-0000-7000-8000-0000000000a1', 'k', 'h', '{"a": 1}', now());
  UPDATE exchange_rate_turn SET taken_at = '2026-01-05Z';
  INSERT INTO attempt VALUES ('login', 'a@example.com', '2026-01-06Z'), ('change-email', '00000000-0000-7000-8000-0000000000a1', '2026-01-07Z'),
    ('transfer', '00000000-0000-7000-8000-0000000000a1', '2026-01-08Z'), ('gift-card', '00000000-0000-7000-8000-0000000000a1', '2026-01-09Z');
`;

test('0038 renames: all rows of an old database are there under the new names', async () => {
  await withDatabaseBefore('0038_names.sql', async (client) => {
    await client.query(OLD_ROWS);
    await client.query(read('0038_names.sql'));
    const row = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows[0]?.map(String);
    expect(
      await row(
        `SELECT credential, client_secret_sealed, right(replacement_id::text, 2) FROM config WHERE name = 'old'`,
      ),
    ).toEqual(['key-1', 'secret-1', 'c2']);
    expect(
      await row(
        'SELECT right(segment_subscription_id::text, 2), throughput_up, throughput_down, is_replaced FROM meter',
      ),
    ).toEqual(['d1', '11', '12', 'true']);
    expect(await row('SELECT price, right(subscription_id::text, 2) FROM price_segment')).toEqual(['5', 'd1']);
    expect(await row('SELECT gateway_reference FROM payment')).toEqual(['A-1']);
    expect(await row('SELECT reference, merchant FROM test_bank_session')).toEqual(['A-1', 'm']);
    expect(await row('SELECT unrepeatable_call_at::date FROM refund')).toHaveLength(1);
    expect(await row('SELECT toman_per_usd FROM gift_card')).toEqual(['80000']);
    expect(await row('SELECT baseline_toman, warned_percent FROM low_balance_baseline')).toEqual(['9000', '20']);
    expect(await row('SELECT occurrences FROM node_anomaly')).toEqual(['3']);
    expect(await row('SELECT certificate, private_key_sealed FROM node_certificate_authority')).toEqual([
      'certificate',
      'key',
    ]);
    expect(await row('SELECT count(*) FROM dns_filtering')).toEqual(['1']);
    expect(await row('SELECT count FROM blocked_query_day')).toEqual(['42']);
    expect(await row('SELECT desired_agent_sha256 FROM node')).toEqual(['a'.repeat(64)]);
    expect(await row('SELECT block_list_names, ahead_of_link_bytes FROM node_presence')).toEqual(['7', '8']);
    expect(await row(`SELECT polled_at = '2026-01-01Z', ahead_of_link_at = '2026-01-02Z' FROM node_presence`)).toEqual([
      'true',
      'true',
    ]);
    expect(await row('SELECT replacement_sealed FROM refresh_token')).toEqual(['sealed']);
    expect(await row('SELECT e.attempts, p.attempts FROM email_challenge e, phone_challenge p')).toEqual(['4', '2']);
    expect(await row('SELECT key, request_hash FROM idempotent_request')).toEqual(['k', 'h']);
    expect(await row(`SELECT started_at = '2026-01-05Z' FROM exchange_rate_refresh`)).toEqual(['true']);
    expect(await row(`SELECT email, at = '2026-01-06Z' FROM failed_login`)).toEqual(['a@example.com', 'true']);
    for (const [table, day] of [
      ['email_change_request', '07'],
      ['unknown_recipient', '08'],
      ['failed_redemption', '09'],
    ]) {
      expect(await row(`SELECT right(user_id::text, 2), at = '2026-01-${day}Z' FROM ${table}`)).toEqual(['a1', 'true']);
    }
    const { rows } = await client.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conname ~ '_check[0-9]*$' AND array_length(conkey, 1) > 1`,
    );
    expect(rows).toEqual([]);
  });
});

test('0058 plans bought before: what time has earned stays revenue, the rest is deferred; transfers get their Tehran day', async () => {
  await withDatabaseBefore('0058_plans_by_day.sql', async (client) => {
    const revenue = '00000000-0000-7000-8000-000000000020';
    const user = '00000000-0000-7000-8000-0000000000a1';
    await client.query(
      `INSERT INTO users (id, email, status, created_at) VALUES ('${user}', 'a@example.com', 'active', now());
       INSERT INTO ledger_account (id, kind, owner_id, code, balance, version, floor, created_at)
         VALUES ('${user}', 'user_wallet', '${user}', 'user:a:wallet', 0, 0, -1000000, now())`,
    );
    for (const [at, [price, begin, end, ended]] of [
      [100_000, '-10 days', '20 days', false],
      [99_999, '1 day', '31 days', false],
      [50_000, '-31 days', '-1 day', false],
      [50_000, '-10 days', '20 days', true],
      [0, '-10 days', '20 days', false],
    ].entries()) {
      const id = `00000000-0000-7000-8000-00000000010${at}`;
      await client.query(`
        INSERT INTO subscription (id, user_id, plan_id, kind, paid_with, name_fa, name_en, price_toman, duration_days, max_devices,
          starts_at, ends_at, ended_at, end_reason, created_at)
        SELECT '${id}', '${user}', 'basic', 'purchase', 'wallet', 'پایه', 'Basic', ${price}, 30, 2, now() + interval '${begin}',
          now() + interval '${end}', ${ended ? "now(), 'cancelled'" : 'NULL, NULL'}, '2026-10-01T20:45:00Z'`);
      if (price === 0) continue;
      await client.query(`
        WITH transfer AS (
          INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
          VALUES ('${id}', 'subscription', 'subscription', '${id}', 'purchase', '2026-10-01T20:45:00Z')
        ), wallet AS (
          UPDATE ledger_account SET balance = balance - ${price}, version = version + 1 WHERE id = '${user}' RETURNING version, balance
        )
        INSERT INTO ledger_entry SELECT '${id}'::uuid, '${revenue}'::uuid, ${price}, NULL::bigint, NULL::bigint
        UNION ALL SELECT '${id}'::uuid, '${user}'::uuid, -${price}, version, balance FROM wallet`);
    }
    await runMigration(client, '0058_plans_by_day', read('0058_plans_by_day.sql'));
    const rows = async (text: string) =>
      (await client.query({ text, rowMode: 'array' })).rows.map((row) => row.map(String));
    expect(await rows('SELECT right(subscription_id::text, 3), toman FROM unearned_plan ORDER BY 1')).toEqual([
      ['100', expect.stringMatching(/^6666\d$/)],
      ['101', '99999'],
    ]);
    expect(
      await rows(`SELECT a.code, sum(e.amount) = (SELECT sum(toman) FROM unearned_plan) FROM ledger_entry e
        JOIN ledger_account a ON a.id = e.account_id WHERE a.code = 'deferred:plan' GROUP BY 1`),
    ).toEqual([['deferred:plan', 'true']]);
    expect(await rows('SELECT DISTINCT booked_on::text FROM ledger_transfer ORDER BY 1')).toEqual([
      ['2026-10-02'],
      [expect.any(String)],
    ]);
    const invariants = readFileSync(join(migrations, '../src/modules/subscriptions/invariants.sql'), 'utf8');
    for (const code of ['L23', 'L27', 'L28', 'L29']) {
      const query = invariants.split(/^-- name: /m).find((part) => part.startsWith(`${code} `)) ?? '';
      const [whole = ''] = query.slice(query.indexOf('\n')).split(/^-- (?:recent|month)/m);
      expect(await rows(whole), code).toEqual([]);
    }
  });
});

test('0060 batches of before are not sold: their cards stay an expense', async () => {
  await withDatabaseBefore('0060_card_sales.sql', async (client) => {
    const batch = '00000000-0000-7000-8000-0000000000f2';
    await client.query(`
      INSERT INTO gift_card_batch (id, created_at) VALUES ('${batch}', now());
      INSERT INTO gift_card (id, batch_id, code_hmac, pepper_version, last4, face_usd_cents, created_at)
        VALUES ('00000000-0000-7000-8000-0000000000f3', '${batch}', 'x', 1, '1234', 500, now())`);
    await client.query(read('0060_card_sales.sql'));
    const { rows } = await client.query('SELECT sold_toman, broken_at FROM gift_card');
    expect(rows).toEqual([{ sold_toman: null, broken_at: null }]);
  });
});
