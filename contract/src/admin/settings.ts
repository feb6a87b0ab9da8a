import * as z from 'zod/mini';
import { done, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { allowedValues, inBoth } from './setting-values.ts';
import { reason } from './staff.ts';

/** What a setting is about; the order in which the console shows them. */
export const settingAreas = ['site', 'accounts', 'money', 'staff', 'service', 'messages', 'flags'] as const;
export type SettingArea = (typeof settingAreas)[number];

const key = z.string().check(z.regex(/^[a-zA-Z]{1,40}\.[a-zA-Z]{1,60}$/));

/** A change of a setting, as the audit has it. */
export const settingChange = z.object({
  /** Of the entry in the audit. */
  number: z.int(),
  at: instant,
  /** The member’s address, or the name of the machine’s user. */
  by: z.string(),
  is_machine: z.boolean(),
  /** As JSON, or a word. */
  before: z.string(),
  after: z.string(),
  /** Whether the initial value was set again. */
  is_reset: z.boolean(),
  reason: z.nullable(z.string()),
});
export type SettingChange = z.output<typeof settingChange>;

/** Of a flag, what its value does not say. */
const flag = z.object({
  /** The address of the member who looks after it; null: a role does, or a member who is gone. */
  owner: z.nullable(z.string()),
  /** Whether a role or somebody who works here looks after it. */
  is_owned: z.boolean(),
  /** Whether the day by which it is to be gone is over. */
  is_overdue: z.boolean(),
});

export const settingLine = z.object({
  key,
  area: z.enum(settingAreas),
  /** What it does, in a sentence, with its unit. */
  about: inBoth,
  allowed: allowedValues,
  value: z.unknown(),
  initial: z.unknown(),
  /** Whether the value is another one than the initial value. */
  differs: z.boolean(),
  /** Null: never since the audit is kept. */
  changed: z.nullable(settingChange),
  /** Null: it is no flag. */
  flag: z.nullable(flag),
});
export type SettingLine = z.output<typeof settingLine>;

/** The value by which it was decided: what another member changed meanwhile is not overwritten. */
const expected = z.unknown();

export const settingCalls = {
  listSettings: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/settings',
    caller: 'staff',
    may: 'settings.read',
    proof: 'none',
    reason: 'none',
    summary:
      'Every setting of the operator, what it does, its value and its last change; the price is among the prices',
    response: wrapped(z.object({ settings: z.array(settingLine) })),
  }),
  readSetting: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/settings/{key}',
    caller: 'staff',
    may: 'settings.read',
    proof: 'none',
    reason: 'none',
    summary: 'One setting and its changes, newest first; the next page is `before` the last number',
    params: z.object({ key }),
    query: z.object({
      before: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(Number.MAX_SAFE_INTEGER))),
    }),
    response: wrapped(z.object({ setting: settingLine, changes: z.array(settingChange), more: z.boolean() })),
  }),
  changeSetting: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/settings/{key}',
    caller: 'staff',
    may: 'settings.manage',
    proof: 'money',
    reason: 'required',
    summary: 'Change a setting, if its value is still the expected one',
    params: z.object({ key }),
    body: z.strictObject({ value: z.unknown(), expected, reason }),
    response: wrapped(z.object({ value: z.unknown() })),
  }),
  resetSetting: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/settings/{key}/reset',
    caller: 'staff',
    may: 'settings.manage',
    proof: 'money',
    reason: 'required',
    summary: 'Let a setting have the value that the product begins with, if its value is still the expected one',
    params: z.object({ key }),
    body: z.strictObject({ expected, reason }),
    response: done,
  }),
};
