import * as z from 'zod/mini';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { planChange, planTerms } from './plans.ts';
import { proposed } from './proposed.ts';
import type { Permission } from './roles.ts';
import { reason } from './staff.ts';

/**
 * What one member proposes and a second one decides, apart from corrections of wallets (`money.ts`), whose rules these are: what is done
 * is what was proposed, and one who is alone may decide after a delay.
 */
export const approvalActs = ['cards', 'price', 'plan'] as const;
export type ApprovalAct = (typeof approvalActs)[number];

/** What a member needs to decide, besides the call's own permission. */
export const approvalPermissions: Readonly<Record<ApprovalAct, Permission>> = {
  cards: 'cards.manage',
  price: 'prices.manage',
  plan: 'prices.manage',
};

/** A batch of gift cards, whose codes stay sealed until their export. */
export const proposedCards = z.object({
  count: z.int().check(z.gte(1), z.lte(staffLimits.cards.most)),
  usd_cents: z.int().check(z.gte(1), z.lte(staffLimits.cards.mostUsdCents)),
  /** Null: they have no end. */
  expires: z.nullable(instant),
  note: z.string(),
});
export type ProposedCards = z.output<typeof proposedCards>;

/** Another price of a gigabyte. */
export const proposedPrice = z.object({
  usd_cents_per_gb: z.int(),
  /** What it is now. */
  before: z.int(),
  /** Null: as soon as it is approved. */
  from: z.nullable(instant),
  /** The newest version by which it was proposed. */
  seen: z.nullable(id),
});
export type ProposedPrice = z.output<typeof proposedPrice>;

/** Other terms of a plan, or a new one. */
export const proposedPlan = z.object({
  id: z.string(),
  name_fa: z.string(),
  name_en: z.string(),
  /** Null: there is no such plan yet. */
  before: z.nullable(planTerms),
  after: planTerms,
  /** What of it is changed, as the call says it. */
  change: planChange,
  /** Null: as soon as it is approved. */
  from: z.nullable(instant),
  seen: z.nullable(z.int()),
});
export type ProposedPlan = z.output<typeof proposedPlan>;

export const approval = z.object({
  id,
  act: z.enum(approvalActs),
  /** What is proposed: of these the one that the act names. */
  cards: z.nullable(proposedCards),
  price: z.nullable(proposedPrice),
  plan: z.nullable(proposedPlan),
  /** Of cards that were issued: their batch. */
  made: z.nullable(id),
  ...proposed,
  /** Whether somebody at the server machine decided it. */
  at_machine: z.boolean(),
});
export type Approval = z.output<typeof approval>;

const why = z.strictObject({ reason });

export const approvalCalls = {
  listApprovals: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/approvals',
    caller: 'staff',
    may: 'approvals.propose',
    proof: 'none',
    reason: 'none',
    summary: 'What waits for a second member, oldest first, and the newest of the others; corrections of wallets apart',
    response: wrapped(z.object({ approvals: z.array(approval) })),
  }),
  approveAct: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/approvals/{id}/approve',
    caller: 'staff',
    may: 'approvals.decide',
    proof: 'money',
    reason: 'none',
    summary: 'Do what another member proposed, as it was proposed',
    params: idParams,
    body: z.strictObject({}),
    response: done,
  }),
  declineAct: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/approvals/{id}/decline',
    caller: 'staff',
    may: 'approvals.decide',
    proof: 'recent',
    reason: 'required',
    summary: 'Decline what another member proposed',
    params: idParams,
    body: why,
    response: done,
  }),
  withdrawAct: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/approvals/{id}/withdraw',
    caller: 'staff',
    may: 'approvals.propose',
    proof: 'none',
    reason: 'required',
    summary: 'Take back what one proposed oneself',
    params: idParams,
    body: why,
    response: done,
  }),
};
