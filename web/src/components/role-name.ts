import type { User } from '@raha/contract/public/auth.ts';
import { isAdmin, isAgent } from '../api/roles.ts';
import { m } from '../text/generated/messages.js';

/** Admin and agent by their names; everybody else is a user. */
export function roleName(me: User): string {
  if (isAdmin(me)) return m.role_admin();
  return isAgent(me) ? m.role_agent() : m.role_user();
}
