import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { reconcileSettlements } from './reconcile.ts';

export const settlementsWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [{ name: 'compare settlement files with payments again', everyMs: 3_600_000, run: reconcileSettlements }],
};
