import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { prepare } from '../../platform/statements.ts';
import { configEventsOf } from '../configs/list-configs.ts';
import { allTrafficOf, type UsedDay, usedDays } from '../metering/usage-series.ts';
import { lastChargeOf } from '../payments/usual-charge.ts';
import { signInsOf } from '../sessions/list-sign-ins.ts';
import { type LineRow, newestLinesOf } from '../wallet/wallet-lines.ts';

/** The only file that names traffic_window. */
export interface TrafficFacts {
  /** Those in which something was used. */
  readonly days: readonly UsedDay[];
  /** All bytes ever used. */
  readonly total: bigint;
  /** When the user last restarted the total, and what it was then. */
  readonly started_at: Date | null;
  readonly base_bytes: bigint | null;
}

/** Without a used day there is one row, and its label is null. */
export type TrafficRow = (UsedDay | { readonly label: null }) & Omit<TrafficFacts, 'days'>;

/** The traffic of today and of so many days before it, all of it, and the user's own window. */
export const traffic = prepare<{ userId: string; daysBefore: number; now: Date }, TrafficRow>(
  ({ userId, daysBefore, now }) => sql`
    SELECT u.*, total.bytes AS total, w.started_at, w.base_bytes
    FROM (SELECT ${allTrafficOf(userId)} AS bytes) total
    LEFT JOIN traffic_window w ON w.user_id = ${userId}
    LEFT JOIN ${usedDays(userId, daysBefore, now)} u ON true
  `,
);

export function toTrafficFacts(rows: readonly TrafficRow[]): TrafficFacts {
  const { total, started_at, base_bytes } = rows[0] as TrafficRow;
  return { days: rows.filter((row) => row.label !== null), total, started_at, base_bytes };
}

/** Something that happened on an account, from the table in which it is written. */
export type EventRow =
  | {
      readonly source: 'sign_in' | 'config_created' | 'config_deleted';
      readonly name: string;
      readonly id: string;
      readonly at: Date;
    }
  | (LineRow & { readonly source: 'wallet' })
  /** The payment that was credited last; `detail` is its gateway. */
  | { readonly source: 'last_charge'; readonly amount: bigint; readonly detail: GatewayName };

const noLine = sql.raw(
  'NULL AS type, NULL::bigint AS amount, NULL AS status, NULL AS detail, NULL AS plan_name_fa, NULL AS plan_name_en',
);

/** The latest sign-ins, changes of configs and lines of the wallet, `limit` of each or more, and the last charge, in no order. */
export const events = prepare<{ userId: string; limit: number }, EventRow>(
  ({ userId, limit }) => sql`
    SELECT 'sign_in' AS source, s.device AS name, s.id, s.created_at AS at, ${noLine} FROM ${signInsOf(userId, limit)} s
    UNION ALL
    SELECT CASE WHEN c.deleted THEN 'config_deleted' ELSE 'config_created' END, c.name, c.id, c.at, ${noLine}
    FROM ${configEventsOf(userId, limit)} c
    UNION ALL
    SELECT 'wallet', NULL, l.id, l.at, l.type, l.amount, l.status, l.detail, l.plan_name_fa, l.plan_name_en
    FROM ${newestLinesOf(userId, limit)} l
    UNION ALL
    SELECT 'last_charge', NULL, NULL, NULL, NULL, p.amount_toman, NULL, p.gateway, NULL, NULL FROM ${lastChargeOf(userId)} p
  `,
);

export async function upsertWindow(db: Executor, userId: string, baseBytes: bigint, now: Date): Promise<void> {
  await sql`
    INSERT INTO traffic_window (user_id, started_at, base_bytes) VALUES (${userId}, ${now}, ${baseBytes})
    ON CONFLICT (user_id) DO UPDATE SET started_at = excluded.started_at, base_bytes = excluded.base_bytes
  `.execute(db);
}
