import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { type PlanRow, speedOfVersion } from './plan-tables.ts';
import { known, type Nullable } from './rows.ts';
import type { Period, Sale } from './rules.ts';

/** The only file that names `subscription` (a view of the wallet and the invariants read it too). */
export interface PeriodRow extends Period {
  readonly userId: string;
  readonly kind: Sale['kind'];
  readonly nameFa: string;
  readonly nameEn: string;
  readonly paidWith: 'wallet' | 'gift_card';
  readonly creditedToman: bigint;
  readonly createdAt: Date;
}

const periodColumns =
  sql.raw(`id, user_id AS "userId", plan_id AS "planId", kind, paid_with AS "paidWith", name_fa AS "nameFa",
  name_en AS "nameEn", price_toman AS "priceToman", duration_days AS "durationDays", traffic_limit_bytes AS "trafficLimitBytes",
  max_devices AS "maxDevices", ${speedOfVersion} AS "maxMbit", starts_at AS "startsAt", ends_at AS "endsAt", granted_bytes AS "grantedBytes", carried_bytes AS "carriedBytes",
  ended_at AS "endedAt", end_reason AS "endReason", credited_toman AS "creditedToman", created_at AS "createdAt"`);

/** Locks the running and future periods of these users, in id order. */
export async function lockOpenPeriods(tx: Tx, userIds: readonly string[], now: Date): Promise<PeriodRow[]> {
  const result = await sql<Nullable<PeriodRow>>`
    SELECT ${periodColumns} FROM subscription
    WHERE user_id = ANY (${userIds}::uuid[]) AND ended_at IS NULL AND ends_at > ${now} ORDER BY id FOR UPDATE
  `.execute(tx);
  return result.rows.map(known<PeriodRow>);
}

export async function selectWaiting(db: Executor, userIds: readonly string[], now: Date): Promise<Set<string>> {
  const result = await sql<{ user_id: string }>`
    SELECT user_id FROM subscription WHERE user_id = ANY (${userIds}::uuid[]) AND ended_at IS NULL AND starts_at > ${now}
  `.execute(db);
  return new Set(result.rows.map((row) => row.user_id));
}

export async function selectOpenPeriods(db: Executor, userId: string, now: Date): Promise<PeriodRow[]> {
  const result = await sql<Nullable<PeriodRow>>`
    SELECT * FROM ${openPeriodsOf(userId, now)} p ORDER BY p."startsAt", p.id
  `.execute(db);
  return result.rows.map(toPeriod);
}

/** Of these periods, those whose plan has a greatest speed, with it. */
export async function selectSpeeds(db: Executor, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; mbit: number | null }>`
    SELECT id, ${sql.raw(speedOfVersion)} AS mbit FROM subscription WHERE id = ANY (${ids}::uuid[])
  `.execute(db);
  return new Map(rows.flatMap(({ id, mbit }) => (mbit === null ? [] : [[id, mbit] as const])));
}

/** The running and future periods of a user, for the SQL of another module; `toPeriod` reads its rows. */
export function openPeriodsOf(userId: string, now: Date): RawBuilder<unknown> {
  return sql`(SELECT ${periodColumns} FROM subscription WHERE user_id = ${userId} AND ended_at IS NULL AND ends_at > ${now})`;
}

export const toPeriod = (row: Nullable<PeriodRow>): PeriodRow => known<PeriodRow>(row);

export async function selectAllOpenPeriods(db: Executor, now: Date): Promise<PeriodRow[]> {
  const result = await sql<Nullable<PeriodRow>>`
    SELECT ${periodColumns} FROM subscription WHERE ended_at IS NULL AND ends_at > ${now} ORDER BY id
  `.execute(db);
  return result.rows.map(known<PeriodRow>);
}

export async function selectPeriods(
  db: Executor,
  userId: string,
  page: { number: number; size: number },
): Promise<{ periods: PeriodRow[]; total: number }> {
  const result = await sql<Nullable<PeriodRow> & { total: bigint }>`
    SELECT ${periodColumns}, count(*) OVER () AS total FROM subscription WHERE user_id = ${userId}
    ORDER BY created_at DESC, id DESC LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return { periods: result.rows.map(known<PeriodRow>), total: Number(result.rows[0]?.total ?? 0n) };
}

/** A user's own period; someone else's is not found. */
export async function selectOwnPeriod(db: Executor, userId: string, id: string): Promise<PeriodRow | undefined> {
  const result = await sql<Nullable<PeriodRow>>`
    SELECT ${periodColumns} FROM subscription WHERE id = ${id} AND user_id = ${userId}
  `.execute(db);
  return result.rows[0] && known<PeriodRow>(result.rows[0]);
}

/** A period that is known to exist. */
export async function selectPeriod(db: Executor, id: string): Promise<PeriodRow> {
  const result = await sql<Nullable<PeriodRow>>`SELECT ${periodColumns} FROM subscription WHERE id = ${id}`.execute(db);
  if (!result.rows[0]) throw new Error(`subscription ${id} does not exist`);
  return known<PeriodRow>(result.rows[0]);
}

export async function insertPeriod(
  tx: Tx,
  period: { id: string; userId: string; paidWith: string; plan: PlanRow; sale: Sale },
  now: Date,
): Promise<void> {
  const { plan, sale } = period;
  await sql`
    INSERT INTO subscription (id, user_id, plan_id, kind, paid_with, name_fa, name_en, price_toman, duration_days,
      traffic_limit_bytes, max_devices, starts_at, ends_at, created_at, version_id)
    VALUES (${period.id}, ${period.userId}, ${plan.id}, ${sale.kind}, ${period.paidWith}, ${plan.nameFa}, ${plan.nameEn},
      ${sale.priceToman}, ${plan.durationDays}, ${plan.trafficLimitBytes ?? null}, ${plan.maxDevices}, ${sale.startsAt},
      ${sale.endsAt}, ${now}, ${plan.versionId})
  `.execute(tx);
}

export async function updateEnded(
  tx: Tx,
  end: {
    readonly id: string;
    readonly reason: 'cancelled' | 'replaced' | 'used_up';
    readonly creditToman: bigint;
  },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE subscription SET ended_at = ${now}, end_reason = ${end.reason}, credited_toman = ${end.creditToman}
    WHERE id = ${end.id}
  `.execute(tx);
}

export async function updateSpan(tx: Tx, id: string, span: { startsAt: Date; endsAt: Date }): Promise<void> {
  await sql`UPDATE subscription SET starts_at = ${span.startsAt}, ends_at = ${span.endsAt} WHERE id = ${id}`.execute(
    tx,
  );
}

/**
 * Adds granted bytes: positive when leases take bytes, negative when they return them. Returns the owner and how the
 * period ended. `now` is stored at the first grant and proves that the period had begun (L25), whatever the clock says
 * when it ends.
 */
export async function addGranted(
  tx: Tx,
  id: string,
  bytes: bigint,
  now: Date,
): Promise<{ userId: string; endReason: Period['endReason'] | null }> {
  const result = await sql<{ userId: string; endReason: Period['endReason'] | null }>`
    UPDATE subscription SET granted_bytes = granted_bytes + ${bytes},
      first_given_at = CASE WHEN ${bytes}::bigint > 0 THEN coalesce(first_given_at, ${now}) ELSE first_given_at END
    WHERE id = ${id}
    RETURNING user_id AS "userId", end_reason AS "endReason"
  `.execute(tx);
  const row = result.rows[0];
  if (!row) throw new Error(`subscription ${id} does not exist`);
  return row;
}

/** Moves bytes from one period's traffic to another's. */
export async function carryBytes(tx: Tx, from: string, to: string, bytes: bigint): Promise<void> {
  await sql`
    UPDATE subscription SET carried_bytes = carried_bytes + CASE WHEN id = ${to} THEN ${bytes}::bigint ELSE -${bytes}::bigint END
    WHERE id IN (${from}, ${to})
  `.execute(tx);
}

/** Whether a user has had a period that is over by now: their configs are then expired, not merely unpaid. */
export function hadPeriodOf(userId: string, now: Date): RawBuilder<unknown> {
  return sql`EXISTS (
    SELECT FROM subscription WHERE user_id = ${userId}
      AND (ended_at IS NOT NULL OR ends_at <= ${now} OR granted_bytes = traffic_limit_bytes + carried_bytes))`;
}
/**
 * Running periods that end soon, that no other period follows and whose owner was not warned yet; each is returned
 * once.
 */
export async function takeEnding(
  tx: Tx,
  now: Date,
  before: Date,
): Promise<{ id: string; userId: string; nameFa: string; nameEn: string; endsAt: Date }[]> {
  const result = await sql<{ id: string; userId: string; nameFa: string; nameEn: string; endsAt: Date }>`
    UPDATE subscription s SET warned_at = ${now}
    WHERE ended_at IS NULL AND warned_at IS NULL AND starts_at <= ${now} AND ends_at > ${now} AND ends_at <= ${before}
      AND NOT EXISTS (SELECT FROM subscription n WHERE n.user_id = s.user_id AND n.ended_at IS NULL AND n.starts_at >= s.ends_at)
    RETURNING id, user_id AS "userId", name_fa AS "nameFa", name_en AS "nameEn", ends_at AS "endsAt"
  `.execute(tx);
  return result.rows;
}
