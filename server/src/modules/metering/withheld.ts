import { limits } from '@raha/contract/limits.ts';
import type { UsageReport } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `blocked_query_day`: how many questions for names nodes kept unanswered, by user and day. */

/**
 * Adds what a report tells, of configs of this node only. A figure is a statistic that nobody pays for; one report can
 * raise it by no more than a config can ask between two.
 */
export async function recordWithheld(
  tx: Tx,
  nodeId: string,
  withheld: NonNullable<UsageReport['blockedQueries']>,
  now: Date,
): Promise<void> {
  if (withheld.length === 0) return;
  const counts = withheld.map(({ count }) => Math.min(count, limits.dnsFiltering.maxPerReport));
  await sql`
    INSERT INTO blocked_query_day AS w (user_id, day, count)
    SELECT m.user_id, ${dayOf(now)}, sum(i.count)
    FROM unnest(${withheld.map(({ config }) => config)}::uuid[], ${counts}::bigint[]) AS i (config_id, count)
      JOIN meter m ON m.config_id = i.config_id AND m.node_id = ${nodeId} AND NOT m.final
    GROUP BY m.user_id ORDER BY m.user_id
    ON CONFLICT (user_id, day) DO UPDATE SET count = w.count + excluded.count
  `.execute(tx);
}

export async function readWithheld(db: Executor, userId: string, now: Date): Promise<{ today: number; month: number }> {
  const result = await sql<{ today: bigint; month: bigint }>`
    SELECT coalesce(sum(count) FILTER (WHERE day = ${dayOf(now)}), 0)::bigint AS today,
      coalesce(sum(count) FILTER (WHERE day > ${dayOf(now)} - 30), 0)::bigint AS month
    FROM blocked_query_day WHERE user_id = ${userId}
  `.execute(db);
  const row = result.rows[0];
  return { today: Number(row?.today ?? 0n), month: Number(row?.month ?? 0n) };
}

export async function forgetWithheld(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM blocked_query_day WHERE user_id = ${userId}`.execute(tx);
}

export async function forgetOldWithheld(db: Executor, now: Date): Promise<void> {
  await sql`DELETE FROM blocked_query_day WHERE day <= ${dayOf(now)} - ${limits.dnsFiltering.keptDays}::integer`.execute(
    db,
  );
}

function dayOf(now: Date) {
  return sql`(${now}::timestamptz AT TIME ZONE 'Asia/Tehran')::date`;
}
