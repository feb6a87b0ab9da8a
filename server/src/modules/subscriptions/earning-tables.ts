import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names unearned_plan and earned_day (the invariants read them too). */

/** Part of a sale: nothing of the price is earned yet. */
export async function insertUnearned(tx: Tx, subscriptionId: string, toman: bigint): Promise<void> {
  await sql`
    INSERT INTO unearned_plan (subscription_id, toman, after_day)
    VALUES (${subscriptionId}, ${toman}, (SELECT max(day) FROM earned_day))
  `.execute(tx);
}

/** Removes what a plan has not earned yet, and returns it; waits for a day that is being booked. */
export async function takeUnearned(tx: Tx, subscriptionId: string): Promise<bigint> {
  const result = await sql<{ toman: bigint }>`
    DELETE FROM unearned_plan WHERE subscription_id = ${subscriptionId} RETURNING toman
  `.execute(tx);
  return result.rows[0]?.toman ?? 0n;
}

/** A plan got another start: what was earned before says nothing about it. */
export async function restartEarning(tx: Tx, subscriptionId: string): Promise<void> {
  await sql`
    UPDATE unearned_plan SET after_day = (SELECT max(day) FROM earned_day) WHERE subscription_id = ${subscriptionId}
  `.execute(tx);
}

/**
 * The days until yesterday (Tehran) that are not earned yet, oldest first; at the very first only yesterday. A day counts as
 * over ten minutes after midnight, when every sale of before midnight has been committed.
 */
export async function selectDaysToEarn(db: Executor, now: Date, limit: number): Promise<string[]> {
  const result = await sql<{ day: string }>`
    WITH clock AS (SELECT ((${now}::timestamptz - interval '10 minutes') AT TIME ZONE 'Asia/Tehran')::date - 1 AS yesterday)
    SELECT to_char(day, 'YYYY-MM-DD') AS day FROM clock,
      generate_series(coalesce((SELECT max(day) + 1 FROM earned_day), yesterday), yesterday, interval '1 day') AS day
    ORDER BY 1 LIMIT ${limit}
  `.execute(db);
  return result.rows.map((row) => row.day);
}

/** False if the day is there already; waits for a transaction that is booking it. */
export async function insertEarnedDay(tx: Tx, day: string, now: Date): Promise<boolean> {
  const result = await sql`
    INSERT INTO earned_day (day, toman, booked_at) VALUES (${day}::date, 0, ${now}) ON CONFLICT DO NOTHING
  `.execute(tx);
  return (result.numAffectedRows ?? 0n) > 0n;
}

/**
 * Lowers what every plan has not earned yet to what is left of its price at the end of the day, and returns the sum. The
 * same rule as `earnedOf`; nothing is ever raised, so that a clock that was set back takes nothing back. Rows are locked
 * in order before, and the plans are read after that.
 */
export async function earnUntil(tx: Tx, day: string): Promise<bigint> {
  await sql`SELECT FROM unearned_plan ORDER BY subscription_id FOR UPDATE`.execute(tx);
  const result = await sql<{ toman: bigint }>`
    WITH due AS (
      SELECT u.subscription_id, u.toman, s.price_toman - div(
        s.price_toman * extract(epoch FROM greatest(least((${day}::date + 1)::timestamp AT TIME ZONE 'Asia/Tehran', s.ends_at) - s.starts_at, interval '0')),
        extract(epoch FROM s.ends_at - s.starts_at)) AS left_toman
      FROM unearned_plan u JOIN subscription s ON s.id = u.subscription_id
    ), earned AS (
      UPDATE unearned_plan u SET toman = d.left_toman FROM due d
      WHERE u.subscription_id = d.subscription_id AND d.left_toman < u.toman
      RETURNING d.toman - u.toman AS toman
    ), day AS (
      UPDATE earned_day SET toman = (SELECT coalesce(sum(toman), 0) FROM earned) WHERE day = ${day}::date
    )
    SELECT coalesce(sum(toman), 0)::bigint AS toman FROM earned
  `.execute(tx);
  await sql`DELETE FROM unearned_plan WHERE toman = 0`.execute(tx);
  return result.rows[0]?.toman ?? 0n;
}

/** What all plans have not earned yet. */
export async function sumUnearned(db: Executor): Promise<bigint> {
  const result = await sql<{ toman: bigint }>`
    SELECT coalesce(sum(toman), 0)::bigint AS toman FROM unearned_plan
  `.execute(db);
  return result.rows[0]?.toman ?? 0n;
}
