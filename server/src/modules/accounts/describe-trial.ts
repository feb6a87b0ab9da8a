import type { Trial as TrialView } from '@raha/contract/public/trial.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { trialRequiresActivation } from './settings.ts';
import type { Trial } from './trial.ts';
import type { User } from './users.ts';

/** The trial as the panel shows it; null for a user who never had one, and after its last day. */
export async function describeTrial(
  db: Executor,
  user: Pick<User, 'activated_at'>,
  trial: Trial | undefined,
  now: Date,
): Promise<TrialView | null> {
  if (!trial?.last_day || trial.last_day <= now) return null;
  return {
    lastDay: trial.last_day.toISOString(),
    limit_bytes: Number(trial.limit_bytes),
    used_bytes: Number(trial.used_bytes),
    ended: trial.end_reason,
    needsActivation: user.activated_at === null && (await getSetting(db, trialRequiresActivation)),
  };
}
