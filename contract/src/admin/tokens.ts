import * as z from 'zod/mini';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { type AdminEndpoint, defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import type { Permission } from './roles.ts';
import { reason } from './staff.ts';

/**
 * Tokens by which programs of the operator make calls of the console, in the name of the member who made the token and never beyond
 * their role. A program shows no passkey: no token opens a call that needs a fresh proof, moves money, or shows a contact whole.
 */
export const tokenScopes = [
  'today.read',
  'audit.read',
  'people.read',
  'configs.read',
  'payments.read',
  'fleet.read',
  'fleet.margins',
  'alerts.read',
  'alerts.act',
] as const satisfies readonly Permission[];
export type TokenScope = (typeof tokenScopes)[number];

export const tokenLine = z.object({
  id,
  name: z.string(),
  /** The address of the member in whose name it acts. */
  member: z.string(),
  scopes: z.array(z.enum(tokenScopes)),
  created_at: instant,
  expires_at: instant,
  last_used_at: z.nullable(instant),
  revoked_at: z.nullable(instant),
});
export type TokenLine = z.output<typeof tokenLine>;

export const tokenOrder = z.strictObject({
  /** What it is for. */
  name: z
    .string('required')
    .check(z.trim(), z.minLength(1, 'required'), z.maxLength(staffLimits.tokens.nameMost, 'too_long')),
  scopes: z
    .array(z.enum(tokenScopes, 'invalid'))
    .check(z.minLength(1, 'required'), z.maxLength(tokenScopes.length, 'invalid')),
  days: z.int('invalid').check(z.gte(1, 'too_small'), z.lte(staffLimits.tokens.daysMost, 'too_large')),
});

export const tokens = {
  listTokens: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/tokens',
    caller: 'staff',
    may: 'tokens.manage',
    proof: 'none',
    reason: 'none',
    summary: 'Tokens for programs, those that work first; none of them can be read again',
    response: wrapped(z.object({ tokens: z.array(tokenLine) })),
  }),
  createToken: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/tokens',
    caller: 'staff',
    may: 'tokens.manage',
    proof: 'recent',
    reason: 'none',
    summary: 'Make a token that acts in one’s own name, with some of one’s own permissions; it is shown this once',
    status: 201,
    body: tokenOrder,
    response: wrapped(z.object({ id, token: z.string() })),
  }),
  revokeToken: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/tokens/{id}/revoke',
    caller: 'staff',
    may: 'tokens.manage',
    proof: 'none',
    reason: 'required',
    summary: 'End a token at once, also one of another member',
    params: idParams,
    body: z.strictObject({ reason }),
    response: done,
  }),
  describeCalls: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/openapi.json',
    caller: 'staff',
    may: 'today.read',
    proof: 'none',
    reason: 'none',
    summary: 'The OpenAPI 3.1 document of the calls that a token may make, each with the scope that it needs',
    produces: 'application/json',
  }),
};

/** The scope by which a token opens a call; undefined: no token does. */
export function scopeOf(endpoint: AdminEndpoint): TokenScope | undefined {
  if (endpoint.caller !== 'staff' || endpoint.proof !== 'none') return undefined;
  return tokenScopes.find((scope) => scope === endpoint.may);
}
