import { limits } from '@raha/contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { takeEndingPeriods } from '../subscriptions/plans.ts';
import type { PlanNotifications } from './notifications.ts';

/** Notifies users, once, whose plan ends within seven days and is not renewed. */
export async function warnOfEndingPlans(deps: {
  db: Database;
  clock: Clock;
  notifier: Notifier<PlanNotifications>;
}): Promise<number> {
  return await inTransaction(deps.db, async (tx) => {
    const ending = await takeEndingPeriods(tx, deps.clock.now(), limits.subscription.expiringDays);
    for (const { id, userId, nameFa, nameEn, endsAt } of ending) {
      const data = { nameFa, nameEn, endsAt: endsAt.toISOString() };
      await deps.notifier.notify(tx, [{ userId, kind: 'plan_ending', cause: id, data }]);
    }
    return ending.length;
  });
}
