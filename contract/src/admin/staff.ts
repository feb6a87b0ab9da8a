import * as z from 'zod/mini';
import { email } from '../public/auth.ts';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { staffRoles } from './roles.ts';

/** Why something is done, for the audit: a sentence, without names or addresses of users. */
export const reason = z.pipe(
  z.pipe(
    z.string('required').check(z.maxLength(10_000, 'too_long')),
    z.transform((text) => text.trim()),
  ),
  z.string().check(z.minLength(staffLimits.reason.min, 'required'), z.maxLength(staffLimits.reason.max, 'too_long')),
);

export const staffMember = z.object({
  id,
  email: z.string(),
  role: z.enum(staffRoles),
  active: z.boolean(),
  added_at: instant,
});
export type StaffMember = z.output<typeof staffMember>;

export const staff = {
  listStaff: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/staff',
    caller: 'staff',
    may: 'staff.read',
    proof: 'none',
    reason: 'none',
    summary: 'Everybody who works or worked here',
    response: wrapped(z.object({ members: z.array(staffMember) })),
  }),
  addStaffMember: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/staff',
    caller: 'staff',
    may: 'staff.manage',
    proof: 'recent',
    reason: 'none',
    summary: 'Make somebody a member of staff, with a role that may do no more than one’s own',
    status: 201,
    body: z.strictObject({ email, role: z.enum(staffRoles, 'invalid') }),
    response: wrapped(z.object({ id })),
  }),
  disableStaffMember: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/staff/{id}/disable',
    caller: 'staff',
    may: 'staff.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'Take a member’s access away at once; the last super admin stays',
    params: idParams,
    body: z.strictObject({ reason }),
    response: done,
  }),
};
