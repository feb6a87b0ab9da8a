import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import type { Notifier } from '../../platform/notifications.ts';
import type { PlanNotifications } from './notifications.ts';
import { warnOfEndingPlans } from './warn-ending.ts';

export const planSalesWork: Work<{
  readonly db: Database;
  readonly clock: Clock;
  readonly notifier: Notifier<PlanNotifications>;
}> = {
  schedules: [{ name: 'warn of ending plans', everyMs: 600_000, run: warnOfEndingPlans }],
};
