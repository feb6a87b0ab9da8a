import * as z from 'zod/mini';
import { limits } from '../limits.ts';
import { bytes, done, id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { second } from './prices.ts';
import { reason } from './staff.ts';

/** Plans, and what each of them cost and gave, costs and gives, and will: versions that hold from a moment on and never change. */

const terms = {
  price: toman,
  /** Crossed out beside the price; null: none. */
  original_price: z.nullable(toman),
  duration_days: z.int(),
  /** Null: unlimited. */
  traffic_bytes: z.nullable(bytes),
  max_devices: z.int(),
  /** Of each device, in each direction; null: no limit. */
  max_mbit: z.nullable(z.int()),
};

export const planTerms = z.object(terms);
export type PlanTerms = z.output<typeof planTerms>;

export const planVersion = z.object({
  id,
  ...terms,
  /** Null: since before versions were kept. */
  from: z.nullable(instant),
  state: z.enum(['planned', 'in_force', 'over', 'cancelled']),
  /** The member’s address; null: at the command line, or before versions were kept. */
  by: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  cancelled_at: z.nullable(instant),
  cancelled_by: z.nullable(z.string()),
});
export type PlanVersion = z.output<typeof planVersion>;

export const staffPlan = z.object({
  id: z.string(),
  name_fa: z.string(),
  name_en: z.string(),
  is_popular: z.boolean(),
  is_on: z.boolean(),
  position: z.int(),
  /** By which it is sold now. */
  ...terms,
  /** What a change has to have seen: it counts the changes of the plan. */
  seen: z.int(),
  /** The newest ones, the last moment first. */
  versions: z.array(planVersion),
});
export type StaffPlan = z.output<typeof staffPlan>;

const { plans } = staffLimits;
const planId = z.string('required').check(z.regex(/^[a-z][a-z0-9-]{0,30}$/, 'invalid'));
const whole = (least: number, most: number) =>
  z.int('invalid').check(z.gte(least, 'too_small'), z.lte(most, 'too_large'));
const name = z
  .string('required')
  .check(z.trim(), z.minLength(1, 'required'), z.maxLength(plans.name, 'too_long'), z.regex(/^[^|]*$/, 'invalid'));

/** What is not named stays. */
const change = {
  price: z.optional(whole(0, plans.mostToman)),
  original_price: z.optional(z.nullable(whole(1, plans.mostToman))),
  duration_days: z.optional(whole(1, plans.mostDays)),
  traffic_gb: z.optional(z.nullable(whole(1, plans.mostGb))),
  max_devices: z.optional(whole(1, plans.mostDevices)),
  max_mbit: z.optional(z.nullable(whole(1, limits.node.maxMbit))),
  name_fa: z.optional(name),
  name_en: z.optional(name),
  is_popular: z.optional(z.boolean()),
  is_on: z.optional(z.boolean()),
  position: z.optional(whole(0, plans.mostPosition)),
};
export const planChange = z.object(change);
export type PlanChange = z.output<typeof planChange>;

const planOrder = z.strictObject({
  ...change,
  /** Without it: at once. Only for price, original price, time, traffic, devices and speed. */
  from: z.optional(instant),
  /** `seen` of the plan by which it was decided, null for a new one: what another member changed meanwhile is not overwritten. */
  seen: z.nullable(z.int()),
  reason,
});

export const planCalls = {
  listStaffPlans: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/plans',
    caller: 'staff',
    may: 'prices.read',
    proof: 'none',
    reason: 'none',
    summary: 'All plans with what they cost and give, what is planned, and what was before, newest first',
    response: wrapped(z.object({ plans: z.array(staffPlan), second })),
  }),
  setPlan: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/plans/{id}',
    caller: 'staff',
    may: 'prices.propose',
    proof: 'money',
    reason: 'required',
    summary:
      'Change a plan or make one; other terms are a new version, at once or from a moment on, and may wait for a second member. What was bought keeps its own',
    params: z.object({ id: planId }),
    body: planOrder,
    /** Of what is proposed `from` is null if it is to hold as soon as it is approved. */
    response: wrapped(z.object({ outcome: z.enum(['done', 'proposed']), from: z.nullable(instant) })),
  }),
  cancelPlanVersion: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/plan-versions/{id}/cancel',
    caller: 'staff',
    may: 'prices.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'Cancel a planned version of a plan before it begins',
    params: idParams,
    body: z.strictObject({ reason }),
    response: done,
  }),
};
