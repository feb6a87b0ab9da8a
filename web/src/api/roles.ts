import type { User } from '@raha/contract/public/auth.ts';

type Role = User['role'];

export function hasRole(user: Pick<User, 'role'>, ...roles: readonly Role[]): boolean {
  return roles.includes(user.role);
}

/** An operator: `admin` or `super_admin`. */
export function isAdmin(user: Pick<User, 'role'>): boolean {
  return hasRole(user, 'admin', 'super_admin');
}

export function isReseller(user: Pick<User, 'role'>): boolean {
  return hasRole(user, 'agent');
}
