import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import type { GatewayCalls } from './rules.ts';

/** The only file that names `gateway_minute`. */
export async function insertCall(
  db: Executor,
  gateway: GatewayName,
  now: Date,
  unanswered: boolean,
  tookMs: number,
): Promise<void> {
  await sql`
    INSERT INTO gateway_minute AS m (gateway, minute, calls, unanswered, total_ms)
    VALUES (${gateway}, date_trunc('minute', ${now}::timestamptz), 1, ${unanswered ? 1 : 0}, ${tookMs})
    ON CONFLICT (gateway, minute) DO UPDATE
      SET calls = m.calls + 1, unanswered = m.unanswered + excluded.unanswered, total_ms = m.total_ms + excluded.total_ms
  `.execute(db);
}

export async function selectCalls(db: Executor, since: Date): Promise<Map<string, GatewayCalls>> {
  const result = await sql<{ gateway: string; calls: bigint; unanswered: bigint; total_ms: bigint }>`
    SELECT gateway, sum(calls)::bigint AS calls, sum(unanswered)::bigint AS unanswered, sum(total_ms)::bigint AS total_ms
    FROM gateway_minute WHERE minute >= ${since} GROUP BY gateway
  `.execute(db);
  return new Map(
    result.rows.map((row) => [
      row.gateway,
      { calls: Number(row.calls), unanswered: Number(row.unanswered), totalMs: Number(row.total_ms) },
    ]),
  );
}

export async function deleteOldMinutes(db: Executor, before: Date): Promise<void> {
  await sql`DELETE FROM gateway_minute WHERE minute < ${before}`.execute(db);
}
