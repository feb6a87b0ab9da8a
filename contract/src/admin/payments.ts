import * as z from 'zod/mini';
import { accountStatuses } from '../accounts.ts';
import { paymentGateways } from '../payment-gateways.ts';
import { done, id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { requested } from './money.ts';
import { reason } from './staff.ts';

/**
 * Payments and refunds as staff see them: what the books hold beside what the bank answered. What waits for the operator is
 * settled here, through the use cases of the command line.
 */

/** Groups of states. `waiting`: the bank's answer does not fit, or it never answered and is not asked again. */
export const paymentGroups = ['waiting', 'open', 'completed', 'failed', 'cancelled'] as const;
export type PaymentGroup = (typeof paymentGroups)[number];

export const paymentStates = ['created', 'redirected', 'completed', 'failed', 'cancelled', 'needs_review'] as const;
export const refundStates = ['requested', 'sent', 'confirmed', 'failed', 'unknown'] as const;

/** The owner, masked. */
const owner = z.object({ id, name: z.string(), email: z.string(), status: z.enum(accountStatuses) });

export const paymentLine = z.object({
  id,
  user: owner,
  gateway: z.enum(paymentGateways),
  amount: toman,
  state: z.enum(paymentStates),
  /** Whether it waits for the operator. */
  waits: z.boolean(),
  /** The state of its refund, if there is one. */
  refund: z.nullable(z.enum(refundStates)),
  /** Whether the bank took it back. */
  reversed: z.boolean(),
  created_at: instant,
  settled_at: z.nullable(instant),
});
export type PaymentLine = z.output<typeof paymentLine>;

export const staffRefund = z.object({
  id,
  payment: id,
  user: owner,
  gateway: z.enum(paymentGateways),
  amount: toman,
  state: z.enum(refundStates),
  /** By the gateway's call, or by hand in its panel. */
  route: z.enum(['gateway', 'hand']),
  /** Whether it waits for the operator. */
  waits: z.boolean(),
  reason: z.string(),
  tracking: z.nullable(z.string()),
  /** Why it is not done. */
  failure: z.nullable(z.string()),
  created_at: instant,
  sent_at: z.nullable(instant),
  settled_at: z.nullable(instant),
});
export type StaffRefund = z.output<typeof staffRefund>;

/** One answer of the bank, as it is kept: fields that staff may see, and how many others there are. */
export const bankAnswer = z.object({
  /** Why it was put before the operator, in our words. */
  why: z.nullable(z.string()),
  fields: z.array(z.object({ name: z.string(), value: z.string() })),
  hidden: z.int(),
});
export type BankAnswer = z.output<typeof bankAnswer>;

export const paymentFacts = z.object({
  ...paymentLine.shape,
  gateway_reference: z.nullable(z.string()),
  bank_reference: z.nullable(z.string()),
  card: z.nullable(z.string()),
  /** How often the bank was asked, and when it is asked next. */
  checks: z.int(),
  next_check_at: z.nullable(instant),
  answers: z.array(bankAnswer),
  /** What operators found, oldest first. */
  verdicts: z.array(z.object({ by: z.string(), note: z.string() })),
  refunds: z.array(staffRefund),
  reversal: z.nullable(z.object({ amount: toman, owed: toman, at: instant })),
  /** Lines of the bank's settlement files that it stands in. */
  settlements: z.array(
    z.object({
      kind: z.enum(['payment', 'refund', 'reversal']),
      amount: toman,
      payout: z.string(),
      file: z.nullable(z.string()),
      line: z.nullable(z.int()),
      booked_at: instant,
    }),
  ),
  /** What it moved in the ledger, oldest first. `account`: a house account, or `wallet`. */
  transfers: z.array(
    z.object({
      id,
      kind: z.string(),
      purpose: z.string(),
      at: instant,
      entries: z.array(z.object({ account: z.string(), amount: toman })),
    }),
  ),
  /** Of the owner: what crediting adds to. */
  balance: toman,
  /** Crediting it waits for a second member. */
  credit_proposal: z.nullable(
    z.object({
      reference: z.string(),
      reason: z.string(),
      proposed_by: z.string(),
      proposed_at: instant,
      expires_at: instant,
    }),
  ),
});
export type PaymentFacts = z.output<typeof paymentFacts>;

/** What a bank says now. */
export const inquiryAnswers = ['in-bank', 'paid', 'verified', 'failed', 'cancelled', 'reversed', 'unknown'] as const;
export type InquiryAnswer = (typeof inquiryAnswers)[number];

const day = z.optional(z.iso.date('invalid'));
const filters = {
  group: z.optional(z.enum(paymentGroups, 'invalid')),
  gateway: z.optional(z.enum(paymentGateways, 'invalid')),
  /** Days of Tehran on which it began; both count. */
  from: day,
  to: day,
};

const bankText = z.string('required').check(z.trim(), z.minLength(1, 'required'), z.maxLength(100, 'too_long'));
const why = z.strictObject({ reason });

export const payments = {
  listAllPayments: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/payments',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: 'Payments, newest first, and how many payments and refunds wait; the next page is `before` the last id',
    query: z.object({ ...filters, before: z.optional(id) }),
    response: wrapped(
      z.object({
        payments: z.array(paymentLine),
        next: z.nullable(id),
        waiting: z.object({ payments: z.int(), refunds: z.int() }),
      }),
    ),
  }),
  exportPayments: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/payments.csv',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: `The same as a spreadsheet, at most ${staffLimits.payments.exported} payments, without names and contacts; the audit keeps that it was taken`,
    query: z.object(filters),
    produces: 'text/csv',
  }),
  getPaymentFacts: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/payments/{id}',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: 'A payment with the bank’s evidence; the audit keeps that its user’s account was looked at',
    params: idParams,
    response: wrapped(paymentFacts),
  }),
  askBank: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/payments/{id}/ask',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'none',
    reason: 'none',
    summary: 'Ask the bank what it knows of a payment now; this settles nothing',
    params: idParams,
    body: z.strictObject({}),
    response: wrapped(z.object({ answer: z.enum(inquiryAnswers), at: instant })),
  }),
  creditPayment: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/payments/{id}/credit',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'required',
    summary:
      'Credit a payment that waits, because the bank holds its money, or propose it if it is beyond one member’s limit',
    params: idParams,
    body: z.strictObject({
      reference: bankText,
      /** The bank gave this reference twice, and holds the money of both payments. */
      same_reference: z._default(z.boolean(), false),
      reason,
    }),
    response: wrapped(requested),
  }),
  failPayment: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/payments/{id}/fail',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'required',
    summary: 'Close a payment that waits as failed: the bank holds nothing of it, or it was sent back by hand',
    params: idParams,
    body: why,
    response: done,
  }),
  listRefunds: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/refunds',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: 'Refunds that wait for the operator, oldest first',
    response: wrapped(z.object({ refunds: z.array(staffRefund), more: z.boolean() })),
  }),
  markRefundSent: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/refunds/{id}/sent',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'required',
    summary: 'A refund was handed to the bank, under this tracking number',
    params: idParams,
    body: z.strictObject({ tracking: bankText, reason }),
    response: done,
  }),
  confirmRefund: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/refunds/{id}/confirm',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'required',
    summary: 'A refund arrived at the payer',
    params: idParams,
    body: z.strictObject({ tracking: z.optional(bankText), reason }),
    response: done,
  }),
  failRefund: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/refunds/{id}/fail',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'required',
    summary: 'A refund cannot be sent: its money returns to the wallet',
    params: idParams,
    body: why,
    response: done,
  }),
};
