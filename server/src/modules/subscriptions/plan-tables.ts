import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Version } from '../../platform/versions.ts';
import { known, type Nullable } from './rows.ts';
import type { Plan } from './rules.ts';

/** The only file that names `plan` and `plan_version`. */

/** What a plan costs and gives. */
export interface Terms extends Omit<Plan, 'id'> {
  readonly originalPriceToman: bigint | undefined;
}

/** How a plan is offered: changed at once, and never planned. */
export interface Showing {
  readonly nameFa: string;
  readonly nameEn: string;
  readonly isPopular: boolean;
  readonly isOn: boolean;
  readonly position: number;
}

/** A plan with the terms by which it is sold at a moment. */
export interface PlanRow extends Plan, Terms, Showing {
  /** The version whose terms these are. */
  readonly versionId: string;
  /** Counts the changes of the plan, those of planned versions among them. */
  readonly revision: number;
}

export interface VersionRow extends Version, Terms {
  readonly planId: string;
  /** A member of staff; undefined: at the command line, or before versions were kept. */
  readonly createdBy: string | undefined;
  readonly reason: string | undefined;
  readonly cancelledAt: Date | undefined;
  readonly cancelledBy: string | undefined;
}

const showing =
  sql.raw(`p.id, p.name_fa AS "nameFa", p.name_en AS "nameEn", p.is_popular AS "isPopular", p.is_on AS "isOn",
  p.position, p.revision`);
const terms =
  sql.raw(`price_toman AS "priceToman", original_price_toman AS "originalPriceToman", duration_days AS "durationDays",
  traffic_limit_bytes AS "trafficLimitBytes", max_devices AS "maxDevices", max_mbit AS "maxMbit"`);
const versionColumns = sql`id, plan_id AS "planId", ${terms}, valid_from AS "validFrom", created_at AS "createdAt",
  created_by AS "createdBy", reason, cancelled_at AS "cancelledAt", cancelled_by AS "cancelledBy"`;

/** The speed of the version that a row of another table names in its `version_id`; a row without one has no limit. */
export const speedOfVersion = '(SELECT v.max_mbit FROM plan_version v WHERE v.id = version_id)';

/** The version that is sold at `now`, as `decideInForce` has it. */
const inForceAt = (now: Date) => sql`(
  SELECT id AS "versionId", ${terms} FROM plan_version
  WHERE plan_id = p.id AND cancelled_at IS NULL AND (valid_from <= ${now} OR valid_from = created_at)
  ORDER BY valid_from DESC LIMIT 1
)`;

export async function selectPlans(db: Executor, now: Date): Promise<PlanRow[]> {
  const result = await sql<Nullable<PlanRow>>`
    SELECT ${showing}, v.* FROM plan p JOIN LATERAL ${inForceAt(now)} v ON true ORDER BY p.position, p.id
  `.execute(db);
  return result.rows.map(known<PlanRow>);
}

export async function selectPlan(db: Executor, id: string, now: Date): Promise<PlanRow | undefined> {
  const result = await sql<Nullable<PlanRow>>`
    SELECT ${showing}, v.* FROM plan p JOIN LATERAL ${inForceAt(now)} v ON true WHERE p.id = ${id}
  `.execute(db);
  return result.rows[0] && known<PlanRow>(result.rows[0]);
}

/** Until the transaction ends the plan is not changed. Sales hold it together, and wait for a change of it only. */
export async function holdPlan(tx: Tx, id: string): Promise<void> {
  await sql`SELECT FROM plan WHERE id = ${id} FOR SHARE`.execute(tx);
}

/** Waits for the sales and changes of a plan that go on, and keeps later ones waiting. Undefined: there is no such plan. */
export async function lockPlan(tx: Tx, id: string): Promise<(Showing & Pick<PlanRow, 'revision'>) | undefined> {
  const { rows } = await sql<Showing & Pick<PlanRow, 'revision'>>`
    SELECT ${showing} FROM plan p WHERE p.id = ${id} FOR UPDATE
  `.execute(tx);
  return rows[0];
}

/** The planned version and the one in force, which are two at most: the last moment first. */
export async function selectNewest(db: Executor, planId: string): Promise<VersionRow[]> {
  const { rows } = await sql<Nullable<VersionRow>>`
    SELECT ${versionColumns} FROM plan_version WHERE plan_id = ${planId} AND cancelled_at IS NULL
    ORDER BY valid_from DESC LIMIT 2
  `.execute(db);
  return rows.map(known<VersionRow>);
}

/** Of each plan, or of one, so many: the last moment first; cancelled ones too. */
export async function selectVersions(db: Executor, most: number, planId?: string): Promise<VersionRow[]> {
  const { rows } = await sql<Nullable<VersionRow>>`
    SELECT v.* FROM plan p CROSS JOIN LATERAL (
      SELECT ${versionColumns} FROM plan_version WHERE plan_id = p.id ORDER BY valid_from DESC, id DESC LIMIT ${most}
    ) v WHERE ${planId ?? null}::text IS NULL OR p.id = ${planId ?? null}
  `.execute(db);
  return rows.map(known<VersionRow>);
}

export async function selectVersion(db: Executor, id: string): Promise<VersionRow | undefined> {
  const { rows } = await sql<Nullable<VersionRow>>`
    SELECT ${versionColumns} FROM plan_version WHERE id = ${id}
  `.execute(db);
  return rows[0] && known<VersionRow>(rows[0]);
}

export async function selectVersionsById(db: Executor, ids: readonly string[]): Promise<VersionRow[]> {
  const { rows } = await sql<Nullable<VersionRow>>`
    SELECT ${versionColumns} FROM plan_version WHERE id = ANY (${ids}::uuid[])
  `.execute(db);
  return rows.map(known<VersionRow>);
}

/** The planned version that begins first, of all plans. */
export async function selectNextPlanned(db: Executor, now: Date): Promise<VersionRow | undefined> {
  const { rows } = await sql<Nullable<VersionRow>>`
    SELECT ${versionColumns} FROM plan_version
    WHERE cancelled_at IS NULL AND valid_from > created_at AND valid_from > ${now} ORDER BY valid_from, id LIMIT 1
  `.execute(db);
  return rows[0] && known<VersionRow>(rows[0]);
}

export async function insertVersion(tx: Tx, row: Omit<VersionRow, 'cancelledAt' | 'cancelledBy'>): Promise<void> {
  await sql`
    INSERT INTO plan_version (id, plan_id, price_toman, original_price_toman, duration_days, traffic_limit_bytes, max_devices,
      max_mbit, valid_from, created_at, created_by, reason)
    VALUES (${row.id}, ${row.planId}, ${row.priceToman}, ${row.originalPriceToman ?? null}, ${row.durationDays},
      ${row.trafficLimitBytes ?? null}, ${row.maxDevices}, ${row.maxMbit ?? null}, ${row.validFrom}, ${row.createdAt}, ${row.createdBy ?? null},
      ${row.reason ?? null})
  `.execute(tx);
}

export async function updateCancelled(tx: Tx, id: string, by: string | undefined, now: Date): Promise<void> {
  await sql`UPDATE plan_version SET cancelled_at = ${now}, cancelled_by = ${by ?? null} WHERE id = ${id}`.execute(tx);
}

/** A plan whose first version is inserted next. False: somebody else has just made it. */
export async function insertPlan(tx: Tx, plan: Omit<PlanRow, 'revision'>): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO plan (id, name_fa, name_en, price_toman, original_price_toman, duration_days, traffic_limit_bytes, max_devices,
      is_popular, is_on, position, version_id)
    VALUES (${plan.id}, ${plan.nameFa}, ${plan.nameEn}, ${plan.priceToman}, ${plan.originalPriceToman ?? null},
      ${plan.durationDays}, ${plan.trafficLimitBytes ?? null}, ${plan.maxDevices}, ${plan.isPopular}, ${plan.isOn},
      ${plan.position}, ${plan.versionId})
    ON CONFLICT DO NOTHING RETURNING id
  `.execute(tx);
  return rows.length === 1;
}

/** How a locked plan is offered. It counts as a change also when a version of it was made or cancelled. */
export async function updatePlan(tx: Tx, id: string, shown: Showing): Promise<void> {
  await sql`
    UPDATE plan SET name_fa = ${shown.nameFa}, name_en = ${shown.nameEn}, is_popular = ${shown.isPopular}, is_on = ${shown.isOn},
      position = ${shown.position}, revision = revision + 1 WHERE id = ${id}
  `.execute(tx);
}

/** Plans whose columns do not have the terms by which they are sold. */
export async function selectBehind(db: Executor, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT p.id FROM plan p JOIN LATERAL ${inForceAt(now)} v ON true WHERE p.version_id IS DISTINCT FROM v."versionId"
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** The columns of a locked plan get the terms by which it is sold: a server of the release before sells by them. */
export async function followVersion(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`
    UPDATE plan SET price_toman = v."priceToman", original_price_toman = v."originalPriceToman", duration_days = v."durationDays",
      traffic_limit_bytes = v."trafficLimitBytes", max_devices = v."maxDevices", version_id = v."versionId"
    FROM plan p JOIN LATERAL ${inForceAt(now)} v ON true
    WHERE p.id = plan.id AND plan.id = ${id} AND plan.version_id IS DISTINCT FROM v."versionId"
  `.execute(tx);
}
