import { isPermitted, type Permission } from '@raha/contract/admin/roles.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { Executor } from '../../platform/database.ts';
import { getPreferencesOf } from '../accounts/preferences.ts';
import { listMembers } from '../staff/list-members.ts';

/** Who gets alerts by mail. */
export interface Receiver {
  /** Null: the operator's address of the configuration, of nobody who works here. */
  readonly memberId: string | null;
  readonly email: string;
  readonly locale: Locale;
}

/** Every member with the permission, which is to act on alerts unless a rule says otherwise, and the operator's address, each address once. */
export async function listReceivers(
  db: Executor,
  operatorEmail: string | undefined,
  permission: Permission = 'alerts.act',
): Promise<Receiver[]> {
  const members = (await listMembers(db)).filter(
    ({ isActive, role, email }) => isActive && email !== '' && isPermitted(role, permission),
  );
  const preferences = await getPreferencesOf(
    db,
    members.map(({ userId }) => userId),
  );
  const receivers = members.map(
    ({ userId, email }): Receiver => ({
      memberId: userId,
      email,
      locale: preferences.get(userId)?.language ?? 'fa',
    }),
  );
  const operator = operatorEmail?.toLowerCase();
  const isMember = receivers.some(({ email }) => email === operator);
  return operator === undefined || isMember
    ? receivers
    : [...receivers, { memberId: null, email: operator, locale: 'fa' }];
}
