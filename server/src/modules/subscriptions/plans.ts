import { staffLimits } from '@raha/contract/admin/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { decideInForce, isPlanned } from '../../platform/versions.ts';
import type { Change } from './plan-change.ts';
import {
  type PlanRow,
  type Showing,
  selectNextPlanned,
  selectPlans,
  selectVersions,
  type Terms,
  type VersionRow,
} from './plan-tables.ts';
import {
  hadPeriodOf,
  openPeriodsOf,
  type PeriodRow,
  selectAllOpenPeriods,
  selectOpenPeriods,
  selectPeriods,
  selectSpeeds,
  takeEnding,
  toPeriod,
} from './tables.ts';

export type { Change, PeriodRow, PlanRow, Showing, Terms, VersionRow };
export type VersionState = 'planned' | 'in_force' | 'over' | 'cancelled';
export interface KnownVersion extends VersionRow {
  readonly state: VersionState;
}
export { hadPeriodOf, openPeriodsOf, toPeriod };

/** All plans in the operator's order, including those switched off, each on the terms by which it is sold at `now`. */
export async function listPlans(db: Executor, now: Date): Promise<PlanRow[]> {
  return await selectPlans(db, now);
}

/** The newest versions of a plan, cancelled ones among them, each with what has become of it by `now`. */
export async function listVersions(db: Executor, planId: string, now: Date): Promise<KnownVersion[]> {
  return withStates(await selectVersions(db, staffLimits.prices.listed, planId), now);
}

/** The newest versions of every plan. */
export async function listAllVersions(db: Executor, now: Date): Promise<ReadonlyMap<string, KnownVersion[]>> {
  const rows = await selectVersions(db, staffLimits.plans.listed);
  const plans = Map.groupBy(rows, ({ planId }) => planId);
  return new Map([...plans].map(([id, versions]) => [id, withStates(versions, now)]));
}

function withStates(versions: readonly VersionRow[], now: Date): KnownVersion[] {
  const inForce = decideInForce(
    versions.filter(({ cancelledAt }) => !cancelledAt),
    now,
  );
  return versions.map((version) => ({ ...version, state: stateOf(version, inForce, now) }));
}

function stateOf(version: VersionRow, inForce: VersionRow | undefined, now: Date): VersionState {
  if (version.cancelledAt) return 'cancelled';
  if (version === inForce) return 'in_force';
  return isPlanned(version, now) ? 'planned' : 'over';
}

/** Of the changes that wait for their moment, the first. */
export async function findPlannedVersion(db: Executor, now: Date): Promise<VersionRow | undefined> {
  return await selectNextPlanned(db, now);
}

/** The running and future periods of a user, by start. */
export async function listOpenPeriods(db: Executor, userId: string, now: Date): Promise<PeriodRow[]> {
  return await selectOpenPeriods(db, userId, now);
}

/** The greatest speed of each of these periods, in Mbit/s; one without a limit is not among them. */
export async function readSpeeds(db: Executor, periodIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return periodIds.length === 0 ? new Map() : await selectSpeeds(db, periodIds);
}

/** The running and future periods of all users. */
export async function listAllOpenPeriods(db: Executor, now: Date): Promise<PeriodRow[]> {
  return await selectAllOpenPeriods(db, now);
}

/** All periods a user ever bought, newest first. */
export async function listPeriods(db: Executor, userId: string, page: { number: number; size: number }) {
  return await selectPeriods(db, userId, page);
}

/** Running periods that end within the warning time; each is returned once. */
export async function takeEndingPeriods(tx: Tx, now: Date, days: number) {
  return await takeEnding(tx, now, addDays(now, days));
}
