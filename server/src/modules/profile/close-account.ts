import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { deactivateUser, eraseUser, lockUser, type User } from '../accounts/users.ts';
import { blockConfigs, deleteConfigs } from '../configs/close-configs.ts';
import { forgetDnsFiltering } from '../dns-filtering/dns-filtering.ts';
import { forgetFactors } from '../factors/forget.ts';
import { forgetVisits } from '../gift-cards/forget.ts';
import { forgetConnections } from '../metering/connections.ts';
import { forgetNotifications } from '../notifications/forget.ts';
import { rememberDebtor } from '../payments/pay-debts.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { forgetUser } from '../sessions/forget.ts';
import { accountDeactivatedMail, accountDeletedMail } from '../sessions/mails.ts';
import { brandName } from '../site/settings.ts';
import { forgetMember } from '../staff/forget.ts';
import { deleteCodesOf } from './phone-tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly bus: Bus;
  readonly jobs: Jobs;
}

/**
 * Deactivates an account: nodes refuse its configs, every session ends, and the owner gets an email. Signing in
 * reactivates it if the operator allows that (`accounts.returnBySignIn`); the configs stay off until they are connected.
 */
export async function deactivateAccount(deps: Deps, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const user = await lockOpen(tx, userId);
    await deactivateUser(tx, userId);
    await blockConfigs(tx, deps, userId);
    await endSessions(tx, deps, userId, null, 'the account was deactivated');
    const email = accountDeactivatedMail(await getSetting(tx, brandName), deps.clock.now());
    const about = { kind: 'account_deactivated', userId } as const;
    await deps.jobs.send(tx, sendEmail, { to: user.email, ...email, about });
  });
}

/**
 * Erases an account after its owner has confirmed. Nodes remove its configs; sessions, devices, codes, factors, links to
 * providers, picture, phone number, notifications, settings, name and address are deleted. The ledger stays, under an id without a
 * name; the wallet's balance is forfeited, and the address may sign up again. Of two concurrent deletions one succeeds.
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
    await forgetFactors(tx, userId);
    await forgetUser(tx, user);
    await forgetMember(tx, userId, deps.clock.now());
    await rememberDebtor(tx, deps.vault, user, deps.clock.now());
    await eraseUser(tx, deps.vault, user, deps.clock.now());
    // Waiting emails and text messages are dropped; the last email confirms the deletion.
    for (const subject of [user.email, user.pending_email, user.phone])
      if (subject) await deps.jobs.forget(tx, subject);
    const email = accountDeletedMail(await getSetting(tx, brandName), deps.clock.now());
    await deps.jobs.send(tx, sendEmail, { to: user.email, ...email, about: { kind: 'account_deleted' } });
  });
}

async function lockOpen(tx: Tx, userId: string): Promise<User> {
  const user = await lockUser(tx, userId);
  // A concurrent request has closed the account and ended its sessions.
  if (user.status === 'deleted' || user.status === 'deactivated') throw new Refusal('unauthenticated');
  if (user.role === 'super_admin') throw new Refusal('operator_stays');
  return user;
}
