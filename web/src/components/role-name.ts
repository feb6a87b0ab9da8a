import type { User } from '@raha/contract/public/auth.ts';
import { isAdmin, isReseller } from '../api/roles.ts';
import { m } from '../text/generated/messages.js';

/** The name of the role: administrator, agent (a reseller) or user. */
export function roleName(me: User): string {
  if (isAdmin(me)) return m.role_admin();
  return isReseller(me) ? m.role_agent() : m.role_user();
}
