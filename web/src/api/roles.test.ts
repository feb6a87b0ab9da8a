import { roles } from '@raha/contract/accounts.ts';
import { expect, test } from 'vitest';
import { hasRole, isAdmin, isAgent } from './roles.ts';

test.each(roles)('%s', (role) => {
  const user = { role };
  expect({ admin: isAdmin(user), agent: isAgent(user) }).toEqual({
    admin: role === 'admin' || role === 'super_admin',
    agent: role === 'agent',
  });
  expect(hasRole(user, role)).toBe(true);
  expect(hasRole(user, ...roles.filter((other) => other !== role))).toBe(false);
});
