import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { earnDays } from './earn-days.ts';
import { followVersions } from './follow-versions.ts';
import { sumPlans } from './sum-plans.ts';

export const subscriptionsWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    { name: 'earn the days of plans', everyMs: 600_000, run: earnDays },
    { name: 'follow the versions of plans', everyMs: 60_000, run: followVersions },
    { name: 'add up what plans were sold', everyMs: 15_000, run: sumPlans },
  ],
};
