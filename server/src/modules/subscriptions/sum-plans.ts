import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/database.ts';
import { selectVersionsById, type VersionRow } from './plan-tables.ts';
import { addDueChanges, type PlanSum, selectPlanSums, selectSummedUntil } from './sum-tables.ts';

/** Changes of one transaction. */
const PORTION = 5_000;

/** Adds up what was sold, began, ended or was cancelled until now. Returns how many changes there were. */
export async function sumPlans(deps: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  let all = 0;
  for (;;) {
    const taken = await addDueChanges(deps.db, deps.clock.now(), PORTION);
    all += taken;
    if (taken < PORTION) return all;
  }
}

export interface PlanFigures extends PlanSum {
  /** Undefined of what names no version. */
  readonly version: VersionRow | undefined;
}

/**
 * What the versions of all plans came to, by plan, the last moment first, and what names no version at the end; with the moment until which
 * it is counted. Its cost grows with the number of versions, and not with that of sales.
 */
export async function readPlanFigures(
  db: Executor,
  now: Date,
): Promise<{ readonly until: Date; readonly figures: PlanFigures[] }> {
  // First: what is added up in between is then in the figures, and not the other way round.
  const until = await selectSummedUntil(db, now);
  const sums = await selectPlanSums(db);
  const ids = sums.map(({ versionId }) => versionId).filter((id) => id !== undefined);
  const versions = new Map((await selectVersionsById(db, ids)).map((version) => [version.id, version]));
  const figures = sums.map((sum) => ({
    ...sum,
    version: sum.versionId === undefined ? undefined : versions.get(sum.versionId),
  }));
  return { until, figures: figures.sort(byPlanAndMoment) };
}

function byPlanAndMoment(a: PlanFigures, b: PlanFigures): number {
  if (a.planId !== b.planId) return a.planId < b.planId ? -1 : 1;
  return (b.version?.validFrom.getTime() ?? -1) - (a.version?.validFrom.getTime() ?? -1);
}
