import { toWire } from '@raha/contract/money.ts';
import type { User as UserView } from '@raha/contract/public/auth.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { trialRequiresActivation } from '../accounts/settings.ts';
import type { User } from '../accounts/users.ts';
import { getUserAccounts, type UserAccounts } from '../ledger/user-accounts.ts';

/** A user as the panel shows them. The balance is everything they own: free money and money reserved in leases. */
export async function describeUser(db: Executor, user: User, known?: UserAccounts): Promise<UserView> {
  const accounts = known ?? (await getUserAccounts(db, user.id));
  return {
    id: user.id,
    name: user.name,
    fullName: user.name,
    email: user.email,
    phone: user.phone,
    avatar: user.avatar_id && avatarUrl(user.avatar_id),
    role: user.role,
    status: user.status,
    profileCompleted: user.profile_completed,
    isEmailVerified: user.email_verified_at !== null,
    isActivated: user.activated_at !== null,
    trialNeedsActivation: await getSetting(db, trialRequiresActivation),
    // Activation counts as a perpetual subscription; paid plans add to it.
    hasActiveSubscription: user.activated_at !== null,
    balance: toWire(accounts.walletToman + accounts.leaseToman),
    trialEndsAt: user.trial_ends_at?.toISOString() ?? null,
    createdAt: user.created_at.toISOString(),
  };
}

/** The URL of a profile picture; each picture has its own. */
export function avatarUrl(id: string): string {
  return `/api/v1/avatars/${id}`;
}
