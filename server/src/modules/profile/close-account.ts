import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { deactivatePerson, erasePerson, lockPerson, type Person, suspendPerson } from '../accounts/people.ts';
import { blockConfigs, deleteConfigs } from '../configs/close-configs.ts';
import { forgetScreening } from '../configs/screening.ts';
import { forgetVisits } from '../gift-cards/forget.ts';
import { forgetConnections } from '../metering/connections.ts';
import { forgetNotices } from '../notifications/forget.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { forgetPerson } from '../sessions/forget.ts';
import { accountDeactivatedMail, accountDeletedMail } from '../sessions/mails.ts';
import { deleteCodesOf } from './phone-tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly jobs: Jobs;
}

/**
 * Switches an account off: nodes refuse its configs, every session ends, the owner is told by mail. Signing in brings it
 * back where the operator lets it (`accounts.returnBySignIn`); the configs stay off until they are connected.
 */
export async function deactivateAccount(deps: Deps, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const person = await lockOpen(tx, userId);
    await deactivatePerson(tx, userId);
    await blockConfigs(tx, deps, userId);
    await endSessions(tx, deps, userId, null, 'the account was deactivated');
    const letter = accountDeactivatedMail(await getSetting(tx, 'brand.name'), deps.clock.now());
    await deps.jobs.send(tx, 'mail.send', { to: person.email, ...letter });
  });
}

/**
 * The operator bars an account: nodes refuse its configs, every session ends, signing in is refused with a sentence until
 * it is reopened. The money stays its owner's. False when there is nobody to bar.
 */
export async function suspendAccount(deps: Omit<Deps, 'jobs'>, email: string): Promise<boolean> {
  return await inTransaction(deps.db, async (tx) => {
    const person = await suspendPerson(tx, email);
    if (!person) return false;
    await blockConfigs(tx, deps, person.id);
    await endSessions(tx, deps, person.id, null, 'the account was suspended');
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
    const person = await lockOpen(tx, userId);
    await deleteConfigs(tx, deps, userId);
    await endSessions(tx, deps, userId, null, 'the account was deleted');
    await deleteCodesOf(tx, userId);
    await forgetConnections(tx, userId);
    await forgetScreening(tx, userId);
    await forgetVisits(tx, userId);
    await forgetNotices(tx, userId);
    await forgetPerson(tx, person);
    await erasePerson(tx, userId);
    const letter = accountDeletedMail(await getSetting(tx, 'brand.name'), deps.clock.now());
    await deps.jobs.send(tx, 'mail.send', { to: person.email, ...letter });
  });
}

async function lockOpen(tx: Tx, userId: string): Promise<Person> {
  const person = await lockPerson(tx, userId);
  // Another request was first; its sessions are gone.
  if (person.status === 'deleted' || person.status === 'deactivated') throw new Refusal('unauthenticated');
  if (person.role === 'super_admin') throw new Refusal('operator_stays');
  return person;
}
