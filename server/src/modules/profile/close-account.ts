import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { deactivateUser, eraseUser, lockUser, suspendUser, type User } from '../accounts/users.ts';
import { blockConfigs, deleteConfigs } from '../configs/close-configs.ts';
import { forgetDnsFiltering } from '../dns-filtering/dns-filtering.ts';
import { forgetVisits } from '../gift-cards/forget.ts';
import { forgetConnections } from '../metering/connections.ts';
import { forgetNotifications } from '../notifications/forget.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { forgetUser } from '../sessions/forget.ts';
import { accountDeactivatedMail, accountDeletedMail } from '../sessions/mails.ts';
import { brandName } from '../site/settings.ts';
import { deleteCodesOf } from './phone-tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly jobs: Jobs;
}

/**
 * Switches an account off: nodes refuse its configs, every session ends, the owner gets an email. Signing in brings it
 * back where the operator lets it (`accounts.returnBySignIn`); the configs stay off until they are connected.
 */
export async function deactivateAccount(deps: Deps, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const user = await lockOpen(tx, userId);
    await deactivateUser(tx, userId);
    await blockConfigs(tx, deps, userId);
    await endSessions(tx, deps, userId, null, 'the account was deactivated');
    const email = accountDeactivatedMail(await getSetting(tx, brandName), deps.clock.now());
    await deps.jobs.send(tx, sendEmail, { to: user.email, ...email });
  });
}

/**
 * The operator bars an account: nodes refuse its configs, every session ends, signing in is refused with a sentence until
 * it is reopened. The money stays its owner's. False when there is nobody to bar.
 */
export async function suspendAccount(deps: Omit<Deps, 'jobs'>, email: string): Promise<boolean> {
  return await inTransaction(deps.db, async (tx) => {
    const user = await suspendUser(tx, email);
    if (!user) return false;
    await blockConfigs(tx, deps, user.id);
    await endSessions(tx, deps, user.id, null, 'the account was suspended');
    return true;
  });
}

/**
 * Erases an account for good, after its owner has confirmed: nodes remove its configs, sessions, devices, codes, links to
 * providers, picture, number, notifications, settings, name and address go. The books stay, under a number without a
 * name; what is in the wallet is given up, and the address may sign up anew. Of two deletions at once one deletes.
 */
export async function deleteAccount(deps: Deps, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const user = await lockOpen(tx, userId);
    await deleteConfigs(tx, deps, userId);
    await endSessions(tx, deps, userId, null, 'the account was deleted');
    await deleteCodesOf(tx, userId);
    await forgetConnections(tx, userId);
    await forgetDnsFiltering(tx, userId);
    await forgetVisits(tx, userId);
    await forgetNotifications(tx, userId);
    await forgetUser(tx, user);
    await eraseUser(tx, userId);
    // Mails and text messages that still wait are not sent any more; the last one says that the account is gone.
    for (const subject of [user.email, user.pending_email, user.phone])
      if (subject) await deps.jobs.forget(tx, subject);
    const email = accountDeletedMail(await getSetting(tx, brandName), deps.clock.now());
    await deps.jobs.send(tx, sendEmail, { to: user.email, ...email });
  });
}

async function lockOpen(tx: Tx, userId: string): Promise<User> {
  const user = await lockUser(tx, userId);
  // Another request was first; its sessions are gone.
  if (user.status === 'deleted' || user.status === 'deactivated') throw new Refusal('unauthenticated');
  if (user.role === 'super_admin') throw new Refusal('operator_stays');
  return user;
}
