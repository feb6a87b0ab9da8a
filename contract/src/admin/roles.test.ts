import { expect, test } from 'vitest';
import { mayGrant, permissions, rolePermissions, staffRoles } from './roles.ts';

test('a super admin may do everything, and grants every role', () => {
  expect(rolePermissions.super_admin).toEqual(permissions);
  for (const role of staffRoles) expect(mayGrant('super_admin', role)).toBe(true);
});

test('nobody grants what they do not have', () => {
  const grants = staffRoles.flatMap((granter) =>
    staffRoles.filter((role) => role !== granter && mayGrant(granter, role)).map((role) => `${granter} → ${role}`),
  );
  expect(grants.filter((grant) => !grant.startsWith('super_admin'))).toEqual([]);
});
