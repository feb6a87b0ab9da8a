import * as z from 'zod/mini';
import { done, id, idParams, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { proposed } from './proposed.ts';
import { reason } from './staff.ts';

/**
 * Money of a user, moved by staff. A correction is a signed difference, never a target. Beyond the limits of the installation
 * it is proposed, and a second member decides; one who is alone may decide after a delay. Each call may carry an
 * `Idempotency-Key`: sent again, it acts once.
 */

/** A signed number of toman that is not zero. */
const difference = z.int('invalid').check(
  z.gte(-staffLimits.adjustMost, 'too_small'),
  z.lte(staffLimits.adjustMost, 'too_large'),
  z.refine((value) => value !== 0, 'required'),
);

export const requested = z.object({
  outcome: z.enum(['done', 'proposed']),
  /** Of a proposal. */
  id: z.nullable(id),
});
export type Requested = z.output<typeof requested>;

export const proposal = z.object({
  id,
  /** Null: it is about the users of a bulk. */
  user: z.nullable(z.object({ id, name: z.string(), email: z.string() })),
  kind: z.enum(['adjustment', 'debt', 'credit', 'bulk']),
  /** Of a bulk the sum. */
  amount: toman,
  ...proposed,
  /** Of a credit: the payment that a bank holds the money of, and the bank’s reference. */
  payment: z.nullable(id),
  reference: z.nullable(z.string()),
  /** Of a bulk: how many users get how much each, and what they are told. */
  bulk: z.nullable(z.object({ id, people: z.int(), each: toman, message: z.string() })),
});
export type Proposal = z.output<typeof proposal>;

const why = z.strictObject({ reason });

export const money = {
  adjustWallet: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/people/{id}/adjust',
    caller: 'staff',
    may: 'wallet.adjust',
    proof: 'money',
    reason: 'required',
    summary: 'Correct a wallet by a difference, or propose it if it is beyond the limit of 30 days',
    params: idParams,
    body: z.strictObject({ toman: difference, reason }),
    response: wrapped(requested),
  }),
  forgiveDebt: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/people/{id}/forgive',
    caller: 'staff',
    may: 'wallet.adjust',
    proof: 'money',
    reason: 'required',
    summary: 'Propose to give up what a user owes after reversals',
    params: idParams,
    body: why,
    response: wrapped(requested),
  }),
  refundOnBehalf: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/people/{id}/payments/{payment}/refund',
    caller: 'staff',
    may: 'refunds.request',
    proof: 'money',
    reason: 'required',
    summary:
      'Request a refund for a user, within the rules that hold for the user; without a sum, all that is left of it',
    params: z.object({ id, payment: id }),
    body: z.strictObject({ toman: z.optional(z.int('invalid').check(z.gte(1, 'too_small'))), reason }),
    response: done,
  }),
  listProposals: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/proposals',
    caller: 'staff',
    may: 'wallet.adjust',
    proof: 'none',
    reason: 'none',
    summary: 'Corrections that wait for a second member, oldest first, and the newest of the others',
    response: wrapped(z.object({ proposals: z.array(proposal) })),
  }),
  approveProposal: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/proposals/{id}/approve',
    caller: 'staff',
    may: 'corrections.decide',
    proof: 'money',
    reason: 'none',
    summary: 'Do what another member proposed, as it was proposed',
    params: idParams,
    body: z.strictObject({}),
    response: done,
  }),
  declineProposal: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/proposals/{id}/decline',
    caller: 'staff',
    may: 'corrections.decide',
    proof: 'recent',
    reason: 'required',
    summary: 'Decline what another member proposed',
    params: idParams,
    body: why,
    response: done,
  }),
  withdrawProposal: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/proposals/{id}/withdraw',
    caller: 'staff',
    may: 'wallet.adjust',
    proof: 'none',
    reason: 'required',
    summary: 'Take back what one proposed oneself',
    params: idParams,
    body: why,
    response: done,
  }),
};
