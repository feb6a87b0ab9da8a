import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { publicEndpoints } from '../public/table.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { reason } from './staff.ts';
import { adminEndpoints } from './table.ts';

const call = { method: 'POST', path: '/admin/x', summary: 'x' } as const;
const staff = { ...call, caller: 'staff' } as const;
const why = z.strictObject({ reason });

test('a call of staff that forgets what it needs does not compile', () => {
  const refused = [
    // @ts-expect-error no permission
    defineAdminEndpoint({ ...staff, proof: 'none', reason: 'none' }),
    // @ts-expect-error no proof
    defineAdminEndpoint({ ...staff, may: 'staff.manage', reason: 'none' }),
    // @ts-expect-error no word about a reason
    defineAdminEndpoint({ ...staff, may: 'staff.manage', proof: 'recent' }),
    // @ts-expect-error a permission that no role has
    defineAdminEndpoint({ ...staff, may: 'staff.everything', proof: 'none', reason: 'none' }),
    // @ts-expect-error asks for a reason, and the body has none
    defineAdminEndpoint({ ...staff, may: 'staff.manage', proof: 'none', reason: 'required' }),
    // @ts-expect-error asks for a reason, and the body has another field
    defineAdminEndpoint({
      ...staff,
      may: 'staff.manage',
      proof: 'none',
      reason: 'required',
      body: z.object({ x: id }),
    }),
    // @ts-expect-error no caller
    defineAdminEndpoint(call),
    // @ts-expect-error a caller of the panel
    defineAdminEndpoint({ ...call, caller: 'user' }),
  ];
  const accepted = [
    defineAdminEndpoint({ ...staff, may: 'staff.manage', proof: 'recent', reason: 'required', body: why }),
    defineAdminEndpoint({ ...call, caller: 'self' }),
  ];
  expect(refused.length + accepted.length).toBe(10);
});

const id = z.string();

test('the calls of the console stand apart: below /admin, with names and paths that no public call has', () => {
  const names = Object.keys(adminEndpoints);
  expect(names.filter((name) => name in publicEndpoints)).toEqual([]);
  for (const { path } of Object.values(adminEndpoints)) expect(path).toMatch(/^\/admin\//);
  for (const { path } of Object.values(publicEndpoints)) expect(path).not.toMatch(/^\/admin/);
});
