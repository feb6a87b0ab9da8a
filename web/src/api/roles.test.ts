import { roles } from '@raha/contract/accounts.ts';
import { expect, test } from 'vitest';
import { hasRole, isAdmin, isReseller } from './roles.ts';

test.each(roles)('%s', (role) => {
  const user = { role };
  expect({ admin: isAdmin(user), reseller: isReseller(user) }).toEqual({
    admin: role === 'admin' || role === 'super_admin',
    reseller: role === 'agent',
  });
  expect(hasRole(user, role)).toBe(true);
  expect(hasRole(user, ...roles.filter((other) => other !== role))).toBe(false);
});
