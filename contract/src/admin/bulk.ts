import * as z from 'zod/mini';
import { cleanName } from '../persian.ts';
import { id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { listedStates, peopleFilter } from './people.ts';
import type { Permission } from './roles.ts';
import { reason } from './staff.ts';

/**
 * One act on many users: planned, then done one after another by the worker. `credit` gives each the same amount; a second member approves
 * the order, with its sum, by the rules of proposals (`money.ts`).
 */

export const bulkActs = ['suspend', 'reopen', 'end_sessions', 'credit'] as const;
export type BulkAct = (typeof bulkActs)[number];

/** What a member needs for the act, for one user as for many. */
export const bulkPermissions: Readonly<Record<BulkAct, Permission>> = {
  suspend: 'people.suspend',
  reopen: 'people.suspend',
  end_sessions: 'people.end-sessions',
  credit: 'wallet.adjust',
};

/** `proposed`: waits for a second member. `cancelled`: before it began. `stopped`: in the middle; what was done stays. */
export const bulkStates = ['proposed', 'planned', 'running', 'paused', 'stopped', 'cancelled', 'done'] as const;
export type BulkState = (typeof bulkStates)[number];

/**
 * Why nothing was done with one of them. `staff`: works here. `not_active`, `not_suspended`: the state is not the one that the act
 * begins with. `changed`: of an undo, somebody has acted on the account since. `error`: tried several times.
 */
export const bulkWhys = ['gone', 'staff', 'not_active', 'not_suspended', 'changed', 'error'] as const;
export type BulkWhy = (typeof bulkWhys)[number];

export const bulkLine = z.object({
  id,
  act: z.enum(bulkActs),
  state: z.enum(bulkStates),
  /** Of `people`, so many are done and so many failed; the others are left. */
  people: z.int(),
  done: z.int(),
  failed: z.int(),
  /** Of a credit: what each of them gets. */
  toman: z.nullable(toman),
  reason: z.string(),
  /** The address of the member who ordered it, or the machine’s user. */
  by: z.string(),
  ordered_at: instant,
  /** Until then it can be cancelled; null: nobody has approved it. */
  starts_at: z.nullable(instant),
  ended_at: z.nullable(instant),
});
export type BulkLine = z.output<typeof bulkLine>;

export const bulkFacts = z.extend(bulkLine, {
  /** By which they were chosen; null: one by one, or to undo another bulk. */
  filter: z.nullable(z.object({ state: z.nullable(z.enum(listedStates)), server: z.nullable(z.string()) })),
  /** The one that this one undoes, and the one by which it was undone. */
  undoes: z.nullable(id),
  undone_by: z.nullable(id),
  /** Of a credit: what its users are told. */
  message: z.nullable(z.string()),
  /** Of what a second member has to approve: until when, by whom it was, and whether they were alone and had ordered it themselves. */
  approve_by: z.nullable(instant),
  approved_by: z.nullable(z.string()),
  alone: z.boolean(),
  /** It was stopped because who ordered or approved it may not do that any more. */
  lost_permission: z.boolean(),
  /** Whether the caller may pause, go on with, stop and undo it. */
  may_steer: z.boolean(),
  may_undo: z.boolean(),
});
export type BulkFacts = z.output<typeof bulkFacts>;

export const bulkItemStates = ['open', 'done', 'failed'] as const;

export const bulkItem = z.object({
  id,
  name: z.string(),
  /** Masked. */
  email: z.string(),
  state: z.enum(bulkItemStates),
  why: z.nullable(z.enum(bulkWhys)),
  at: z.nullable(instant),
});
export type BulkItem = z.output<typeof bulkItem>;

/** One by one, or all who fit a filter, with the count that was shown for it. */
export const bulkWhom = z.union(
  [
    z.strictObject({
      ids: z.array(id).check(z.minLength(1, 'required'), z.maxLength(staffLimits.bulk.picked, 'too_long')),
    }),
    z.strictObject({
      filter: peopleFilter.check(
        z.refine(({ state, server }) => state !== undefined || server !== undefined, 'required'),
      ),
      count: z.int('invalid').check(z.gte(1, 'too_small')),
    }),
  ],
  'invalid',
);
export type BulkWhom = z.output<typeof bulkWhom>;

/** What each user is told with the amount: one line. */
const message = z.pipe(
  z.pipe(z.string('required').check(z.maxLength(10_000, 'too_long')), z.transform(cleanName)),
  z.string().check(z.minLength(staffLimits.reason.min, 'required'), z.maxLength(staffLimits.bulk.message, 'too_long')),
);

export const creditOrder = z.strictObject({
  whom: bulkWhom,
  toman: z.int('invalid').check(z.gte(1, 'too_small'), z.lte(staffLimits.adjustMost, 'too_large')),
  /** What was shown: the amount times the number of users. It is refused if that is another one by now. */
  sum: z.int('invalid').check(z.gte(1, 'too_small')),
  message,
  reason,
});

const ordered = wrapped(z.object({ id, people: z.int(), starts_at: instant }));
const read = { caller: 'staff', may: 'people.read', proof: 'none', reason: 'none' } as const;
const steer = { method: 'POST', caller: 'staff', may: 'bulks.steer', params: idParams } as const;

export const bulkCalls = {
  suspendPeople: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/bulks/suspend',
    caller: 'staff',
    may: 'people.suspend',
    proof: 'recent',
    reason: 'required',
    summary:
      'Suspend many accounts, or reopen suspended ones; it begins in two minutes and can be cancelled until then',
    body: z.strictObject({ act: z.enum(['suspend', 'reopen'], 'invalid'), whom: bulkWhom, reason }),
    response: ordered,
  }),
  endSessionsOfPeople: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/bulks/end-sessions',
    caller: 'staff',
    may: 'people.end-sessions',
    proof: 'recent',
    reason: 'required',
    summary: 'Sign many users out everywhere; it begins in two minutes and can be cancelled until then',
    body: z.strictObject({ whom: bulkWhom, reason }),
    response: ordered,
  }),
  creditPeople: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/bulks/credit',
    caller: 'staff',
    may: 'wallet.adjust',
    proof: 'money',
    reason: 'required',
    summary:
      'Propose to credit many users with the same amount, one sum; it begins two minutes after a second member has approved it',
    body: creditOrder,
    response: wrapped(z.object({ id, people: z.int(), sum: toman })),
  }),
  listBulks: defineAdminEndpoint({
    ...read,
    method: 'GET',
    path: '/admin/bulks',
    summary: 'Bulks, newest first; the next page begins `before` the last id',
    query: z.object({ before: z.optional(id) }),
    response: wrapped(z.object({ bulks: z.array(bulkLine), next: z.nullable(id) })),
  }),
  getBulk: defineAdminEndpoint({
    ...read,
    method: 'GET',
    path: '/admin/bulks/{id}',
    summary: 'A bulk: what is done, what failed, and what is left',
    params: idParams,
    response: wrapped(bulkFacts),
  }),
  listBulkPeople: defineAdminEndpoint({
    ...read,
    method: 'GET',
    path: '/admin/bulks/{id}/people',
    summary: 'Of a bulk, its users in a state, and why it failed; the next page begins `after` the last id',
    params: idParams,
    query: z.object({ state: z.enum(bulkItemStates, 'invalid'), after: z.optional(id) }),
    response: wrapped(z.object({ people: z.array(bulkItem), next: z.nullable(id) })),
  }),
  exportBulk: defineAdminEndpoint({
    ...read,
    method: 'GET',
    path: '/admin/bulks/{id}/outcome.csv',
    summary:
      'What became of each user of a bulk, as a spreadsheet without names and contacts; the audit keeps that it was taken',
    params: idParams,
    produces: 'text/csv',
  }),
  pauseBulk: defineAdminEndpoint({
    ...steer,
    path: '/admin/bulks/{id}/pause',
    proof: 'none',
    reason: 'none',
    summary: 'Pause a bulk that is running; the member needs the permission for its act',
    body: z.strictObject({}),
    response: wrapped(bulkFacts),
  }),
  continueBulk: defineAdminEndpoint({
    ...steer,
    path: '/admin/bulks/{id}/continue',
    proof: 'recent',
    reason: 'none',
    summary: 'Go on with a paused bulk',
    body: z.strictObject({}),
    response: wrapped(bulkFacts),
  }),
  stopBulk: defineAdminEndpoint({
    ...steer,
    path: '/admin/bulks/{id}/stop',
    proof: 'none',
    reason: 'none',
    summary: 'Stop a bulk for good, or cancel it before it begins; what was done stays',
    body: z.strictObject({}),
    response: wrapped(bulkFacts),
  }),
  undoBulk: defineAdminEndpoint({
    ...steer,
    path: '/admin/bulks/{id}/undo',
    may: 'people.suspend',
    proof: 'recent',
    reason: 'required',
    summary: 'Undo a suspension or reopening that has ended, for exactly those whom it changed; it begins at once',
    body: z.strictObject({ reason }),
    response: ordered,
  }),
};
