import { limits } from '@raha/contract/limits.ts';
import type { UsageReport } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

/** The only file that names `blocked_query_day`: how many DNS queries the nodes' block lists blocked, by user and day. */

/**
 * Adds the counts of a report for configs of this node only. They are statistics and are never billed. A report can
 * raise a count by no more than a config can query between two reports.
 */
export async function recordBlockedQueries(
  tx: Tx,
  nodeId: string,
  reported: NonNullable<UsageReport['blockedQueries']>,
  now: Date,
): Promise<void> {
  if (reported.length === 0) return;
  const counts = reported.map(({ count }) => Math.min(count, limits.dnsFiltering.maxPerReport));
  await sql`
    INSERT INTO blocked_query_day AS b (user_id, day, count)
    SELECT m.user_id, ${dayOf(now)}, sum(i.count)
    FROM unnest(${reported.map(({ config }) => config)}::uuid[], ${counts}::bigint[]) AS i (config_id, count)
      JOIN meter m ON m.config_id = i.config_id AND m.node_id = ${nodeId} AND NOT m.final
    GROUP BY m.user_id ORDER BY m.user_id
    ON CONFLICT (user_id, day) DO UPDATE SET count = b.count + excluded.count
  `.execute(tx);
}

export async function readBlockedQueries(
  db: Executor,
  userId: string,
  now: Date,
): Promise<{ today: number; month: number }> {
  const result = await sql<{ today: bigint; month: bigint }>`
    SELECT coalesce(sum(count) FILTER (WHERE day = ${dayOf(now)}), 0)::bigint AS today,
      coalesce(sum(count) FILTER (WHERE day > ${dayOf(now)} - 30), 0)::bigint AS month
    FROM blocked_query_day WHERE user_id = ${userId}
  `.execute(db);
  const row = result.rows[0];
  return { today: Number(row?.today ?? 0n), month: Number(row?.month ?? 0n) };
}

export async function forgetBlockedQueries(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM blocked_query_day WHERE user_id = ${userId}`.execute(tx);
}

export async function forgetOldBlockedQueries(db: Executor, now: Date): Promise<void> {
  const last = sql`${dayOf(now)} - ${limits.keptDays.blockedQueries}::integer`;
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM blocked_query_day WHERE ctid IN (SELECT ctid FROM blocked_query_day WHERE day <= ${last} LIMIT ${limit})`,
  );
}

function dayOf(now: Date) {
  return sql`(${now}::timestamptz AT TIME ZONE 'Asia/Tehran')::date`;
}
