import * as z from 'zod/mini';
import { instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';

const word = z.optional(z.string().check(z.maxLength(100, 'too_long')));

export const auditEntry = z.object({
  number: z.int(),
  at: instant,
  actor_kind: z.enum(['command-line', 'staff']),
  /** The id of a member, or the name of the machine’s user. */
  actor: z.string(),
  /** The address of the member. */
  actor_email: z.nullable(z.string()),
  action: z.string(),
  target_kind: z.nullable(z.string()),
  target_id: z.nullable(z.string()),
  /** Of a target that is a member. */
  target_email: z.nullable(z.string()),
  /** The name that was given with the action, at the command line. */
  operator: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  details: z.record(z.string(), z.unknown()),
  /** By field, the values before and after. */
  changed: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const audit = {
  listAudit: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/audit',
    caller: 'staff',
    may: 'audit.read',
    proof: 'none',
    reason: 'none',
    summary: 'What operators did, newest first, as far as the role sees it; the next page is `before` the last number',
    query: z.object({
      before: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(Number.MAX_SAFE_INTEGER))),
      count: z._default(
        z.coerce.number().check(z.int(), z.gte(1), z.lte(staffLimits.audit.most)),
        staffLimits.audit.page,
      ),
      /** The address or id of a member, or the name of the machine’s user. */
      actor: word,
      action: word,
      target_kind: word,
      /** The id of the target, or the address of a member. */
      target: word,
    }),
    response: wrapped(z.object({ entries: z.array(auditEntry), more: z.boolean() })),
  }),
};
