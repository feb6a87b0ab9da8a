import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import type { Judged } from './rules.ts';

/** The only file that names exchange_rate and exchange_rate_refresh. */
export interface RateRow {
  readonly id: string;
  readonly kind: 'operator' | 'market';
  readonly state: 'accepted' | 'held' | 'none';
  readonly toman_per_usd: bigint | null;
  readonly sources: readonly Judged[];
  readonly taken_at: Date;
  readonly valid_until: Date | null;
}

const columns = sql.raw('id, kind, state, toman_per_usd, sources, taken_at, valid_until');

type Known = RateRow & { readonly toman_per_usd: bigint };

/** The operator's own rate, while it is valid. */
export async function selectOverride(db: Executor, now: Date): Promise<Known | undefined> {
  const result = await sql<Known>`
    SELECT ${columns} FROM exchange_rate WHERE kind = 'operator' AND (valid_until IS NULL OR valid_until > ${now})
    ORDER BY taken_at DESC, id DESC LIMIT 1
  `.execute(db);
  return result.rows[0];
}

export async function selectAccepted(db: Executor): Promise<Known | undefined> {
  const result = await sql<Known>`
    SELECT ${columns} FROM exchange_rate WHERE kind = 'market' AND state = 'accepted'
    ORDER BY taken_at DESC, id DESC LIMIT 1
  `.execute(db);
  return result.rows[0];
}

/** The newest rate that was used, the operator's or the market's, however old. */
export async function selectLastServed(db: Executor): Promise<Known | undefined> {
  const result = await sql<Known>`
    SELECT ${columns} FROM exchange_rate WHERE state = 'accepted' ORDER BY taken_at DESC, id DESC LIMIT 1
  `.execute(db);
  return result.rows[0];
}

/** Readings held since the last accepted one, oldest first. */
export async function selectHeld(tx: Executor, since: Date): Promise<{ toman_per_usd: bigint; taken_at: Date }[]> {
  const result = await sql<{ toman_per_usd: bigint; taken_at: Date }>`
    SELECT toman_per_usd, taken_at FROM exchange_rate
    WHERE kind = 'market' AND state = 'held' AND taken_at > ${since} ORDER BY taken_at, id
  `.execute(tx);
  return result.rows;
}

export async function selectLastReading(db: Executor): Promise<RateRow | undefined> {
  const result = await sql<RateRow>`
    SELECT ${columns} FROM exchange_rate WHERE kind = 'market' ORDER BY taken_at DESC, id DESC LIMIT 1
  `.execute(db);
  return result.rows[0];
}

export async function selectHistory(db: Executor, limit: number): Promise<RateRow[]> {
  const result = await sql<RateRow>`
    SELECT ${columns} FROM exchange_rate ORDER BY taken_at DESC, id DESC LIMIT ${limit}
  `.execute(db);
  return result.rows;
}

export async function insertRate(tx: Executor, row: RateRow): Promise<void> {
  await sql`
    INSERT INTO exchange_rate (id, kind, state, toman_per_usd, sources, taken_at, valid_until)
    VALUES (${row.id}, ${row.kind}, ${row.state}, ${row.toman_per_usd}, ${JSON.stringify(row.sources)}::jsonb, ${row.taken_at}, ${row.valid_until})
  `.execute(tx);
}

/** Ends the operator's rates; true when there was one. */
export async function endOverrides(tx: Tx, now: Date): Promise<boolean> {
  const result = await sql`
    UPDATE exchange_rate SET valid_until = ${now} WHERE kind = 'operator' AND (valid_until IS NULL OR valid_until > ${now})
  `.execute(tx);
  return (result.numAffectedRows ?? 0n) > 0n;
}

/** True for the one process whose turn it is to read the market. */
export async function takeTurn(db: Executor, before: Date, now: Date): Promise<boolean> {
  const result = await sql`
    UPDATE exchange_rate_refresh SET started_at = ${now} WHERE started_at <= ${before}
  `.execute(db);
  return result.numAffectedRows === 1n;
}

/** Deletes readings that were not accepted. */
export async function deleteRefusedReadings(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) => sql`
      DELETE FROM exchange_rate WHERE ctid IN (
        SELECT ctid FROM exchange_rate WHERE kind = 'market' AND state <> 'accepted' AND taken_at < ${before} LIMIT ${limit})
    `,
  );
}

/** Deletes readings of the market. The last accepted one stays however old it is: the next is compared with it. */
export async function deleteOldReadings(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) => sql`
      DELETE FROM exchange_rate WHERE ctid IN (
        SELECT ctid FROM exchange_rate WHERE kind = 'market' AND taken_at < ${before} AND id IS DISTINCT FROM (
          SELECT id FROM exchange_rate WHERE kind = 'market' AND state = 'accepted' ORDER BY taken_at DESC, id DESC LIMIT 1)
        LIMIT ${limit})
    `,
  );
}
