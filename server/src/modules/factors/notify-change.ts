import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { newId } from '../../platform/random.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import type { User } from '../accounts/users.ts';
import { brandName } from '../site/settings.ts';
import { factorChangedMail } from './mails.ts';
import type { FactorChange, FactorNotifications } from './notifications.ts';

export interface FactorDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly jobs: Jobs;
  readonly log: Log;
  readonly notifier: Notifier<FactorNotifications>;
  readonly publicUrl: string;
}

/** Notifies and mails the owner, in the transaction of the change. `name`: of the passkey. */
export async function notifyChange(
  tx: Tx,
  deps: Pick<FactorDeps, 'clock' | 'jobs' | 'notifier'>,
  user: Pick<User, 'id' | 'email'>,
  change: FactorChange,
  name = '',
): Promise<void> {
  const now = deps.clock.now();
  const data = { change, name };
  await deps.notifier.notify(tx, [{ userId: user.id, kind: 'factors_changed', cause: newId(now), data }]);
  const mail = factorChangedMail(await getSetting(tx, brandName), data, now);
  await deps.jobs.send(tx, sendEmail, { to: user.email, ...mail, about: { kind: 'factors_changed', userId: user.id } });
}
