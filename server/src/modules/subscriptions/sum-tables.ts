import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { known, type Nullable } from './rows.ts';

/** The only file that names `plan_sum` and `plan_sum_change`, which a trigger fills in the transaction of a sale or an end. */

/** What the sales of one version came to. */
export interface PlanSum {
  readonly planId: string;
  /** Undefined: bought before versions were kept, or from a server of the release before them. */
  readonly versionId: string | undefined;
  readonly sold: bigint;
  /** Begun, and neither over nor ended early. */
  readonly running: bigint;
  readonly cancelled: bigint;
  /** Paid at the sale, less what was credited at an early end. */
  readonly broughtToman: bigint;
}

/**
 * Adds up changes whose moment has come, at most so many, in the order of their moments. Two workers at once take different ones. Returns
 * how many there were.
 */
export async function addDueChanges(db: Executor, now: Date, most: number): Promise<number> {
  const { rows } = await sql<{ taken: bigint }>`
    WITH due AS (
      SELECT id FROM plan_sum_change WHERE at <= ${now} ORDER BY at LIMIT ${most} FOR UPDATE SKIP LOCKED
    ), taken AS (
      DELETE FROM plan_sum_change c USING due WHERE c.id = due.id RETURNING c.*
    ), added AS (
      INSERT INTO plan_sum AS s (plan_id, version_id, sold, running, cancelled, paid_toman, credited_toman)
      SELECT plan_id, version_id, sum(sold), sum(running), sum(cancelled), sum(paid_toman), sum(credited_toman) FROM taken
      GROUP BY plan_id, version_id ORDER BY plan_id, version_id
      ON CONFLICT (plan_id, version_id) DO UPDATE SET sold = s.sold + excluded.sold, running = s.running + excluded.running,
        cancelled = s.cancelled + excluded.cancelled, paid_toman = s.paid_toman + excluded.paid_toman,
        credited_toman = s.credited_toman + excluded.credited_toman
    )
    SELECT count(*) AS taken FROM taken
  `.execute(db);
  return Number(rows[0]?.taken ?? 0n);
}

/** The moment up to which all changes are added up: now, or that of the first one that waits. */
export async function selectSummedUntil(db: Executor, now: Date): Promise<Date> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT min(at) AS at FROM plan_sum_change WHERE at <= ${now}
  `.execute(db);
  return rows[0]?.at ?? now;
}

/** A row for each version of which one was sold. */
export async function selectPlanSums(db: Executor): Promise<PlanSum[]> {
  const { rows } = await sql<Nullable<PlanSum>>`
    SELECT plan_id AS "planId", version_id AS "versionId", sold, running, cancelled, paid_toman - credited_toman AS "broughtToman"
    FROM plan_sum
  `.execute(db);
  return rows.map(known<PlanSum>);
}
