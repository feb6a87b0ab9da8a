import * as z from 'zod/mini';
import { accountStatuses } from '../accounts.ts';
import { protocols } from '../protocols.ts';
import { service } from '../public/service.ts';
import { bytes, id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { reason } from './staff.ts';

/**
 * Finding a user, and what is known about them. Address and number are masked; seeing them whole is an act of its own.
 * Opening a user's page is kept in the audit, and the user sees that support looked at the account.
 */

/** What was asked for, and was found. */
export const foundBy = ['part', 'id', 'payment', 'config', 'transfer'] as const;

export const userLine = z.object({
  id,
  name: z.string(),
  /** Masked. */
  email: z.string(),
  /** Masked. */
  phone: z.nullable(z.string()),
  status: z.enum(accountStatuses),
  /** Free money and money reserved in leases. */
  balance: toman,
  joined_at: instant,
  /** Null in the list of all. */
  found_by: z.nullable(z.enum(foundBy)),
});
export type UserLine = z.output<typeof userLine>;

/** Why a config lets no traffic pass, as the panel says it to its owner. */
export const cutReasons = [
  'account_suspended',
  'account_closed',
  'not_activated',
  'switched_off',
  'cap_reached',
  'no_balance',
  'server_offline',
] as const;
export type CutReason = (typeof cutReasons)[number];

export const userConfig = z.object({
  id,
  name: z.string(),
  protocol: z.enum(protocols),
  server: z.string(),
  /** Null: nothing is in the way. */
  cut: z.nullable(z.enum(cutReasons)),
  connected: z.boolean(),
  /** Whether the server has taken over the last change. */
  applied: z.boolean(),
  used: bytes,
  last_used_at: z.nullable(instant),
  created_at: instant,
});
export type UserConfig = z.output<typeof userConfig>;

export const userFacts = z.object({
  id,
  name: z.string(),
  email: z.string(),
  phone: z.nullable(z.string()),
  status: z.enum(accountStatuses),
  is_staff: z.boolean(),
  joined_at: instant,
  email_verified: z.boolean(),
  activated_at: z.nullable(instant),
  balance: z.object({ free: toman, reserved: toman, owed: toman }),
  service,
  plan: z.nullable(
    z.object({
      ...{ name: z.string(), ends_at: instant, used: bytes, limit: z.nullable(bytes), max_devices: z.int() },
      /** Mbit/s of each device; null: not limited. */
      max_mbit: z.nullable(z.int()),
    }),
  ),
  factors: z.object({
    password: z.boolean(),
    passkeys: z.int(),
    totp: z.boolean(),
    recovery_codes_left: z.int(),
  }),
  sessions: z.int(),
  last_seen_at: z.nullable(instant),
  /** Null for roles that do not see configs. */
  configs: z.nullable(z.array(userConfig)),
  /** Per day and server: how often and how much. Nothing says from where. */
  connections: z.nullable(
    z.array(z.object({ day: z.string(), server: z.string(), times: z.int(), bytes, is_open: z.boolean() })),
  ),
});
export type UserFacts = z.output<typeof userFacts>;

export const timelineKinds = ['money', 'config', 'sign_in', 'notification', 'operator'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

export const timelineEvent = z.object({
  id: z.string(),
  kind: z.enum(timelineKinds),
  at: instant,
  title: z.string(),
  /** Of money: toman, with its sign. */
  amount: z.nullable(toman),
  /** Of money that is not settled, or not done. */
  status: z.nullable(z.string()),
  /** Of a payment: its id. */
  payment: z.nullable(id),
  /** Of an operator: who, and why. */
  actor: z.nullable(z.string()),
  reason: z.nullable(z.string()),
});
export type TimelineEvent = z.output<typeof timelineEvent>;

/** States by which users are listed; erased accounts are in no list. */
export const listedStates = ['active', 'incomplete', 'suspended', 'deactivated'] as const;

export const peopleFilter = z.strictObject({
  state: z.optional(z.enum(listedStates, 'invalid')),
  /** Has a config there. */
  server: z.optional(id),
});
export type PeopleFilter = z.output<typeof peopleFilter>;

/** Sent in the body, so that no log of an address keeps what was typed. */
const searchText = z.string().check(z.maxLength(staffLimits.people.query.max, 'too_long'));

/** `undoes`: the entry of the opposite act, which this takes back if nobody has acted on the account since. Takes an Idempotency-Key header. */
const steer = {
  method: 'POST',
  caller: 'staff',
  may: 'people.suspend',
  proof: 'recent',
  reason: 'required',
  params: idParams,
  body: z.strictObject({ reason, undoes: z.optional(z.int('invalid').check(z.gte(1, 'too_small'))) }),
  /** The number of its entry of the audit. */
  response: wrapped(z.object({ entry: z.int() })),
} as const;

export const people = {
  searchPeople: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/people/search',
    caller: 'staff',
    may: 'people.read',
    proof: 'none',
    reason: 'none',
    summary:
      'Users by a part of the e-mail or phone number, an id or its beginning, or a reference of a bank; without any, all. Of a state or with a config on a server, if that is given. Newest first',
    body: z.strictObject({
      text: z.optional(searchText),
      ...peopleFilter.shape,
      /** What the page before gave as `next`. */
      before: z.optional(id),
    }),
    response: wrapped(z.object({ people: z.array(userLine), next: z.nullable(id) })),
  }),
  countPeople: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/people/count',
    caller: 'staff',
    may: 'people.read',
    proof: 'none',
    reason: 'none',
    summary: `How many users fit a filter; counted up to ${staffLimits.bulk.most}, as many as one bulk may have`,
    query: z.object(peopleFilter.shape),
    response: wrapped(z.object({ count: z.int(), more: z.boolean() })),
  }),
  getUserFacts: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/people/{id}',
    caller: 'staff',
    may: 'people.read',
    proof: 'none',
    reason: 'none',
    summary: 'What is known about a user; the audit keeps that it was looked at, and the user sees it',
    params: idParams,
    response: wrapped(userFacts),
  }),
  readTimeline: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/people/{id}/timeline',
    caller: 'staff',
    may: 'people.read',
    proof: 'none',
    reason: 'none',
    summary: 'What happened on an account, newest first; the next page begins `before` the last instant',
    params: idParams,
    query: z.object({ before: z.optional(instant), kind: z.optional(z.enum(timelineKinds, 'invalid')) }),
    response: wrapped(z.object({ events: z.array(timelineEvent), more: z.boolean() })),
  }),
  suspendUser: defineAdminEndpoint({
    ...steer,
    path: '/admin/people/{id}/suspend',
    summary:
      'Suspend a user: configs stop, sessions end, signing in is refused; the user sees it in the panel afterwards',
  }),
  reopenUser: defineAdminEndpoint({
    ...steer,
    path: '/admin/people/{id}/reopen',
    summary: 'Open a suspended account again; its configs stay off until their owner connects them',
  }),
  showContact: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/people/{id}/contact',
    caller: 'staff',
    may: 'people.contact',
    proof: 'none',
    reason: 'required',
    summary: 'The whole e-mail and phone number of a user; the user sees that they were shown',
    params: idParams,
    body: z.strictObject({ reason }),
    response: wrapped(z.object({ email: z.string(), phone: z.nullable(z.string()) })),
  }),
};
