import { toWire } from '@raha/contract/money.ts';
import type { User } from '@raha/contract/public/auth.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Person } from '../accounts/people.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';

/** A person as the panel sees them. The balance is all that they own: free money and money reserved in leases. */
export async function describeUser(db: Executor, person: Person): Promise<User> {
  const accounts = await getUserAccounts(db, person.id);
  return {
    id: person.id,
    name: person.name,
    fullName: person.name,
    email: person.email,
    phone: person.phone,
    avatar: person.avatar_id && avatarUrl(person.avatar_id),
    role: person.role,
    status: person.status,
    profileCompleted: person.profile_completed,
    isEmailVerified: person.email_verified_at !== null,
    isActivated: person.activated_at !== null,
    trialNeedsActivation: await getSetting(db, 'trial.requiresActivation'),
    // Activation is the perpetual subscription; paid plans add to it.
    hasActiveSubscription: person.activated_at !== null,
    balance: toWire(accounts.walletToman + accounts.leaseToman),
    trialEndsAt: person.trial_ends_at?.toISOString() ?? null,
    createdAt: person.created_at.toISOString(),
  };
}

/** Where a picture is shown; each picture has an address of its own. */
export function avatarUrl(id: string): string {
  return `/api/v1/avatars/${id}`;
}
