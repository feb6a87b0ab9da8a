import type { FlagValue } from '@raha/contract/admin/flags.ts';
import { staffRoles } from '@raha/contract/admin/roles.ts';
import type { Member } from '../modules/staff/list-members.ts';
import { tehranDay } from '../platform/clock.ts';
import type { Executor } from '../platform/database.ts';
import { isOverdue } from '../platform/flag-rules.ts';
import { type Flag, isFlag } from '../platform/flags.ts';
import { getSetting } from '../platform/settings.ts';
import { settings } from './all-settings.ts';

export interface KnownFlag {
  readonly name: string;
  readonly value: FlagValue;
  /** The day by which it is to be gone is over. */
  readonly isOverdue: boolean;
}

export function allFlags(): Flag[] {
  return [...settings.values()].filter(isFlag);
}

export async function listFlags(db: Executor, now: Date): Promise<KnownFlag[]> {
  const known = allFlags().map(async (flag): Promise<KnownFlag> => {
    const value = await getSetting(db, flag);
    return { name: flag.flag, value, isOverdue: isOverdue(value, tehranDay(now)) };
  });
  return await Promise.all(known);
}

/** Whether somebody looks after it: a role, or a member who works here. */
export function isOwned({ owner }: Pick<FlagValue, 'owner'>, members: readonly Member[]): boolean {
  const isRole = staffRoles.some((role) => role === owner);
  return isRole || members.some(({ userId, isActive }) => isActive && userId === owner);
}
