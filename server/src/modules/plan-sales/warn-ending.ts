import { limits } from '@raha/contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { getSetting } from '../../platform/settings.ts';
import { getPerson } from '../accounts/people.ts';
import { planEndingMail } from '../sessions/mails.ts';
import { takeEndingPeriods } from '../subscriptions/plans.ts';

/** Writes once to everybody whose plan ends within seven days and is not renewed. */
export async function warnOfEndingPlans(deps: {
  db: Database;
  clock: Clock;
  jobs: Jobs;
  publicUrl: string;
}): Promise<number> {
  const brand = await getSetting(deps.db, 'brand.name');
  return await inTransaction(deps.db, async (tx) => {
    const ending = await takeEndingPeriods(tx, deps.clock.now(), limits.subscription.expiringDays);
    for (const { userId, nameFa, endsAt } of ending) {
      const { email } = await getPerson(tx, userId);
      const letter = planEndingMail(brand, nameFa, endsAt, `${deps.publicUrl}/user/plans`);
      await deps.jobs.send(tx, 'mail.send', { to: email, ...letter });
    }
    return ending.length;
  });
}
