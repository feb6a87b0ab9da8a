import { sql } from 'kysely';
import { house } from '../../src/modules/ledger/house.ts';
import { type Database, inTransaction } from '../../src/platform/database.ts';
import { seedDocuments } from '../seed-documents.ts';

/** Users, of whom one in ten pays and uses traffic. */
export interface Population {
  readonly count: number;
  /** Nodes that hold their configs, in turns. */
  readonly nodeIds: readonly string[];
  /** A user who signed up normally; the others are copies of this row. */
  readonly modelId: string;
  /** Users who exist already and get the history of three years. */
  readonly oldIds: readonly string[];
  /** Users who exist already and get the history of one who pays. */
  readonly payerIds: readonly string[];
  readonly now: Date;
  /** Hours of usage of each who uses traffic, until now. */
  readonly hours?: number;
  /** How many users one booking of usage is about: 10. */
  readonly usersPerBooking?: number;
  /** How many of them had their last hour booked only now; at most those of the first 50,000 users who use traffic. */
  readonly bookedNow?: number;
  /** How many connections write at the same time: 1. */
  readonly lanes?: number;
}

const PAYMENTS = 18;
const PAYMENTS_OF_OLD = 10_000;
const TRANSFERS = 4;
const HOURS = 240;
/** So many in one transaction. Rows of a month lie together within a step, not across steps. */
export const STEP = 50_000;
const TOMAN_PER_HOUR = 100;
const BYTES_PER_HOUR = 10_000_000;
/** Thousandths of a toman per 10^9 bytes. */
const PRICE = TOMAN_PER_HOUR * 100 * 1_000;

/**
 * Writes a population with its ledger: each user has two configs, five notifications and three sessions; who pays also has
 * payments, transfers and hours of usage, of which some were booked just now. A few statements for many users, through the
 * triggers of the schema; afterwards every invariant holds. Rows of money and usage are written in the order of their time, as the product
 * does, so that those of a month lie together.
 */
export async function insertPopulation(db: Database, population: Population): Promise<void> {
  await sql`UPDATE node SET next_slot = 2000000 WHERE id = ANY (${population.nodeIds}::uuid[])`.execute(db);
  const step = async (first: number) => {
    const known = first === 0 ? population : { ...population, oldIds: [], payerIds: [] };
    await insertStep(db, { ...known, count: Math.min(STEP, population.count - first) }, first);
  };
  // Alone, because the statements of the others are planned with its statistics.
  await step(0);
  let next = STEP;
  const lane = async () => {
    for (let first = next; first < population.count; first = next) {
      next += STEP;
      await step(first);
    }
  };
  await Promise.all(Array.from({ length: population.lanes ?? 1 }, lane));
  await seedDocuments(db);
  await sql`ANALYZE`.execute(db);
}

async function insertStep(db: Database, population: Population, first: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    const {
      count,
      nodeIds,
      modelId,
      oldIds,
      payerIds,
      now,
      hours = HOURS,
      bookedNow = 0,
      usersPerBooking = 10,
    } = population;
    const made = sql`${now}::timestamptz - interval '400 days'`;
    const slotsBefore = 1_000 + (first / STEP) * Math.ceil((2 * STEP) / nodeIds.length + 100);
    const run = (query: ReturnType<typeof sql>) => query.execute(tx);
    // The id of a row that was written at an instant begins with it (RFC 9562, section 5.7), as the product's own.
    await run(sql`
      CREATE OR REPLACE FUNCTION pg_temp.id_at(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS
      $$ SELECT uuidv7(at - clock_timestamp()) $$
    `);
    await run(sql`
      CREATE TEMP TABLE member ON COMMIT DROP AS
        SELECT pg_temp.id_at(${made}) AS id, pg_temp.id_at(${made}) AS wallet, n, n % 10 = 0 AS pays, false AS is_old, true AS is_new
        FROM generate_series(${first + 1}::integer, ${first + count}::integer) n
    `);
    await run(sql`
      INSERT INTO users SELECT (jsonb_populate_record(u, jsonb_build_object('id', m.id, 'email', m.id || '@mail.example', 'phone', NULL))).*
      FROM member m, users u WHERE u.id = ${modelId}
    `);
    await run(sql`
      INSERT INTO ledger_account (id, kind, owner_id, code, balance, version, floor, created_at)
        SELECT wallet, 'user_wallet', id, 'user:' || id || ':wallet', 0, 0, 0, ${now}::timestamptz FROM member
    `);
    await run(sql`
      INSERT INTO member
        SELECT w.owner_id, w.id, row_number() OVER () - 100, true, w.owner_id = ANY (${oldIds}::uuid[]), false
        FROM ledger_account w
        WHERE w.kind = 'user_wallet' AND w.owner_id = ANY (${[...oldIds, ...payerIds]}::uuid[])
    `);
    await run(sql`
      CREATE TEMP TABLE device ON COMMIT DROP AS
        SELECT pg_temp.id_at(${made}) AS id, m.id AS user_id, d = 1 AND m.pays AS used,
          (${nodeIds}::uuid[])[1 + (m.n + 100) % ${nodeIds.length}::integer] AS node_id, d
        FROM member m CROSS JOIN generate_series(1, 2) d
    `);
    await run(sql`
      INSERT INTO config (id, user_id, node_id, name, protocol, credential, client_secret_sealed, slot, created_at)
        SELECT id, user_id, node_id, 'device ' || d, 'wireguard', encode(sha256(uuid_send(id)), 'base64'), '',
          ${slotsBefore}::integer + row_number() OVER (PARTITION BY node_id), ${made} FROM device
    `);
    const used = sql`CASE WHEN d.used THEN ${hours * BYTES_PER_HOUR}::bigint ELSE 0 END`;
    await run(sql`
      INSERT INTO meter (config_id, user_id, node_id, generation, epoch, epoch_down, total_down, billed_bytes, lease_limit_bytes,
        segment_price, sampled_at, last_used_at, hour_start)
      SELECT d.id, d.user_id, d.node_id, 0, n.epoch, ${used}, ${used}, ${used}, ${used}, ${PRICE}::bigint,
        ${now}::timestamptz - interval '2 hours', CASE WHEN d.used THEN ${now}::timestamptz - interval '2 hours' END,
        CASE WHEN d.used THEN date_trunc('hour', ${now}::timestamptz - interval '2 hours', 'Asia/Tehran') END
      FROM device d JOIN node n ON n.id = d.node_id
    `);
    await run(sql`
      INSERT INTO usage_hour (config_id, hour, up, down, charged_toman)
        SELECT d.id, date_trunc('hour', ${now}::timestamptz, 'Asia/Tehran') - make_interval(hours => h + 2), 0, ${BYTES_PER_HOUR}::bigint, ${TOMAN_PER_HOUR}::bigint
        FROM device d CROSS JOIN generate_series(1, ${hours}::integer) h WHERE d.used ORDER BY h DESC
    `);
    await run(sql`
      INSERT INTO notification (id, user_id, kind, cause, data, created_at)
        SELECT pg_temp.id_at(at), id, 'transfer_received', 'made ' || k, '{"amountToman": 10000}', at
        FROM member, generate_series(1, 5) k, LATERAL (SELECT ${now}::timestamptz - make_interval(days => 10 * k) AS at) t
    `);
    await run(sql`
      INSERT INTO session (id, user_id, generation, created_at, last_used_at, expires_at, ended_at, end_reason)
        SELECT uuidv7(), id, 1, at, at, at + interval '7 days', CASE WHEN k > 1 THEN at + interval '1 day' END, CASE WHEN k > 1 THEN 'logout' END
        FROM member, generate_series(1, 3) k, LATERAL (SELECT ${now}::timestamptz - make_interval(days => k) AS at) t
    `);
    await run(sql`
      INSERT INTO refresh_token (token_hash, session_id, generation)
        SELECT sha256(uuid_send(s.id)), s.id, s.generation FROM session s JOIN member m ON m.id = s.user_id AND m.is_new
    `);
    await insertMoney(run, now, { bookedNow: first === 0 ? bookedNow : 0, usersPerBooking });
    // The deferred triggers read these for each transfer. Without statistics they would read all accounts each time.
    if (first === 0) await run(sql`ANALYZE ledger_account, ledger_entry, ledger_transfer`);
  });
}

/** Payments, transfers and usage of the members, as one list of movements that the ledger gets at the end. */
async function insertMoney(
  run: (query: ReturnType<typeof sql>) => Promise<unknown>,
  now: Date,
  { bookedNow, usersPerBooking }: { readonly bookedNow: number; readonly usersPerBooking: number },
): Promise<void> {
  await run(sql`
    CREATE TEMP TABLE paid ON COMMIT DROP AS
      SELECT pg_temp.id_at(at) AS id, m.id AS user_id, m.wallet, at, 500000::bigint AS amount
      FROM member m CROSS JOIN LATERAL generate_series(1, CASE WHEN m.is_old THEN ${PAYMENTS_OF_OLD}::integer WHEN m.pays THEN ${PAYMENTS}::integer ELSE 0 END) k,
        LATERAL (SELECT date_trunc('milliseconds', ${now}::timestamptz - interval '1 hour' * (250 + k * CASE WHEN m.is_old THEN 2.6 ELSE 400 END)) AS at) t
  `);
  await run(sql`
    INSERT INTO payment (id, user_id, gateway, amount_toman, state, gateway_reference, ref_id, evidence, created_at, settled_at)
      SELECT id, user_id, 'zarinpal', amount, 'completed', 'made ' || id, 'made ' || id, '{}', at, at FROM paid ORDER BY at
  `);
  await run(sql`
    CREATE TEMP TABLE sent ON COMMIT DROP AS
      SELECT pg_temp.id_at(at) AS id, m.id AS from_id, m.wallet AS from_wallet, o.id AS to_id, o.wallet AS to_wallet, at, 1000::bigint AS amount
      FROM member m JOIN (
        SELECT id, coalesce(lead(id) OVER w, first_value(id) OVER w) AS next FROM member WHERE pays WINDOW w AS (ORDER BY n)
      ) ring ON ring.id = m.id JOIN member o ON o.id = ring.next
      CROSS JOIN generate_series(1, ${TRANSFERS}::integer) k,
        LATERAL (SELECT date_trunc('milliseconds', ${now}::timestamptz - interval '1 hour' * (240 - k)) AS at) t WHERE o.id <> m.id
  `);
  await run(sql`
    INSERT INTO wallet_transfer (id, from_user_id, to_user_id, amount_toman, created_at)
      SELECT id, from_id, to_id, amount, at FROM sent ORDER BY at
  `);
  // Usage is booked by the hour, several users at once; of some the last hour is booked only now.
  await run(sql`
    CREATE TEMP TABLE used_hour ON COMMIT DROP AS
      SELECT m.wallet, div(m.n, ${10 * usersPerBooking}::integer) AS batch, h.hour, h.charged_toman AS amount,
        CASE WHEN m.n BETWEEN 1 AND ${10 * bookedNow}::integer AND row_number() OVER w = 1 THEN ${now}::timestamptz - interval '5 minutes' ELSE h.hour + interval '1 hour' END AS at
      FROM device d JOIN member m ON m.id = d.user_id JOIN usage_hour h ON h.config_id = d.id WHERE d.used
      WINDOW w AS (PARTITION BY h.config_id ORDER BY h.hour DESC)
  `);
  await run(sql`
    CREATE TEMP TABLE booking ON COMMIT DROP AS
      SELECT batch, at, pg_temp.id_at(at) AS id FROM (SELECT DISTINCT batch, at FROM used_hour) times
  `);
  await run(sql`
    CREATE TEMP TABLE movement ON COMMIT DROP AS
      SELECT id, 'wallet_charge' AS kind, 'payment' AS source_type, id::text AS source_id, 'credit' AS purpose, at, wallet AS account, amount,
        ${house.zarinpalClearing}::uuid AS other FROM paid
      UNION ALL SELECT id, 'transfer', 'wallet_transfer', id::text, 'move', at, from_wallet, -amount, NULL FROM sent
      UNION ALL SELECT id, 'transfer', 'wallet_transfer', id::text, 'move', at, to_wallet, amount, NULL FROM sent
      UNION ALL SELECT b.id, 'usage', 'usage_report', b.id::text, 'charge', b.at, u.wallet, -u.amount, ${house.usageRevenue}::uuid
        FROM used_hour u JOIN booking b USING (batch, at)
  `);
  await run(sql`
    INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
      SELECT DISTINCT id, kind, source_type, source_id, purpose, at FROM movement ORDER BY id
  `);
  await run(sql`
    CREATE TEMP TABLE line ON COMMIT DROP AS
      SELECT m.id, m.account, m.amount, a.version + row_number() OVER w AS version, a.balance + sum(m.amount) OVER w AS balance
      FROM movement m JOIN ledger_account a ON a.id = m.account WINDOW w AS (PARTITION BY m.account ORDER BY m.at, m.id)
  `);
  await run(sql`
    INSERT INTO ledger_entry (transfer_id, account_id, amount, account_version, balance_after)
      SELECT id, account, amount, version, balance FROM line
      UNION ALL SELECT id, other, -sum(amount), NULL, NULL FROM movement WHERE other IS NOT NULL GROUP BY id, other ORDER BY 1
  `);
  await run(sql`
    UPDATE ledger_account a SET balance = l.balance, version = l.version
    FROM (SELECT DISTINCT ON (account) account, balance, version FROM line ORDER BY account, version DESC) l WHERE a.id = l.account
  `);
}
