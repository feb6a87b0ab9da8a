import { limits } from '@raha/contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notices } from '../../platform/notices.ts';
import { getSetting } from '../../platform/settings.ts';
import { getPerson } from '../accounts/people.ts';
import { planEndingMail } from '../sessions/mails.ts';
import { takeEndingPeriods } from '../subscriptions/plans.ts';

/** Writes and tells once to everybody whose plan ends within seven days and is not renewed. */
export async function warnOfEndingPlans(deps: {
  db: Database;
  clock: Clock;
  jobs: Jobs;
  notices: Notices;
  publicUrl: string;
}): Promise<number> {
  const brand = await getSetting(deps.db, 'brand.name');
  return await inTransaction(deps.db, async (tx) => {
    const ending = await takeEndingPeriods(tx, deps.clock.now(), limits.subscription.expiringDays);
    for (const { id, userId, nameFa, nameEn, endsAt } of ending) {
      const { email } = await getPerson(tx, userId);
      const letter = planEndingMail(brand, nameFa, endsAt, `${deps.publicUrl}/user/plans`);
      await deps.jobs.send(tx, 'mail.send', { to: email, ...letter });
      const data = { nameFa, nameEn, endsAt: endsAt.toISOString() };
      await deps.notices.tell(tx, [{ userId, kind: 'plan_ending', cause: id, data }]);
    }
    return ending.length;
  });
}
