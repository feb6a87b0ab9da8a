import * as z from 'zod/mini';
import { paymentGateways } from '../payment-gateways.ts';
import { id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { reason } from './staff.ts';

/** The gateways' settlement files against our payments, and the months of the books. Days are those of the books, in Tehran. */

const gateway = z.enum(paymentGateways, 'invalid');
const day = z.iso.date('invalid');
const count = z.int();

export const gatewayAccount = z.object({
  gateway,
  credited: toman,
  refunded: toman,
  reversed: toman,
  /** Paid out, kept as a fee, or resolved by an operator. */
  settled: toman,
  /** Credited, less all of these: what the gateway still owes. */
  owed: toman,
  /** The ledger’s own figure of the same; anything but zero is an emergency. */
  difference: toman,
  /** Differences of its files that nobody has looked at. */
  open: count,
});
export type GatewayAccount = z.output<typeof gatewayAccount>;

export const payout = z.object({
  gateway,
  /** The bank’s own number; empty: the file has none. */
  payout: z.string(),
  from: z.nullable(day),
  to: z.nullable(day),
  lines: count,
  /** What arrived at the bank account, and what the bank kept. */
  bank: toman,
  fee: toman,
  /** Lines that fit no payment, and their sum. */
  open_lines: count,
  open: toman,
});
export type Payout = z.output<typeof payout>;

export const differenceKinds = [
  'unreadable',
  'doubled',
  'fee-above-amount',
  'unknown-payment',
  'unknown-return',
  'other-amount',
  'already-settled',
  'missing',
  'not-taken-back',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

export const settlementDifference = z.object({
  id,
  gateway,
  kind: z.enum(differenceKinds),
  state: z.enum(['open', 'solved', 'resolved']),
  /** Of the line, or of our payment, refund or reversal; null: nobody can read it. */
  toman: z.nullable(toman),
  payment: z.nullable(id),
  line: z.nullable(z.object({ file: z.string(), number: count, reference: z.nullable(z.string()) })),
  opened_at: instant,
  closed_at: z.nullable(instant),
  /** Who resolved it: the member’s address, or the name given at the command line. */
  by: z.nullable(z.string()),
  reason: z.nullable(z.string()),
});
export type SettlementDifference = z.output<typeof settlementDifference>;

/** `bank`: the money moved on the bank account. `difference`: it never will. `nothing`: nothing is booked. */
export const bookings = ['nothing', 'bank', 'difference'] as const;

export const bookMonth = z.object({
  /** Jalali, such as 1405-08. */
  month: z.string(),
  from: day,
  to: day,
  /** Null while it is open. */
  closed: z.nullable(z.object({ at: instant, by: z.string(), transfers: count })),
  /** It is over and all before it are closed. */
  can_be_closed: z.boolean(),
});
export type BookMonth = z.output<typeof bookMonth>;

const monthParams = z.object({ month: z.string().check(z.regex(/^\d{4}-\d\d$/, 'invalid')) });

export const bookCalls = {
  getReconciliation: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reconciliation',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: 'What each gateway owes and has paid out, and its newest payouts; counted at most once a minute',
    response: wrapped(z.object({ at: instant, gateways: z.array(gatewayAccount), payouts: z.array(payout) })),
  }),
  importSettlement: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/reconciliation/files',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'none',
    bodyBytes: Math.ceil(staffLimits.settlements.fileBytes / 3) * 4 + 4_096,
    summary: 'Import a gateway’s settlement file, in base64; the same file twice changes nothing',
    body: z.strictObject({
      gateway,
      name: z.string('required').check(z.trim(), z.minLength(1, 'required'), z.maxLength(200, 'too_long')),
      content: z.base64('invalid').check(z.minLength(4, 'required')),
      /** The days that it covers; those of its lines by default. */
      from: z.optional(day),
      to: z.optional(day),
      /** If neither the file nor the gateway’s own unit says it. */
      unit: z.optional(z.enum(['rial', 'toman'], 'invalid')),
      /** Import it although it seems to be in another unit, or somebody else’s. */
      all_the_same: z.optional(z.boolean()),
    }),
    response: wrapped(
      z.object({
        /** The very same file was imported before: nothing was done. */
        again: z.boolean(),
        lines: count,
        new_lines: count,
        from: day,
        to: day,
        /** Lines that were matched and booked; differences that are new, and that are explained now. */
        settled: count,
        opened: count,
        solved: count,
      }),
    ),
  }),
  listDifferences: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reconciliation/differences',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: 'Differences between files and books by age: open ones, or all; the next page is `after` the last id',
    query: z.object({
      gateway: z.optional(gateway),
      state: z._default(z.enum(['open', 'all'], 'invalid'), 'open'),
      after: z.optional(id),
    }),
    response: wrapped(z.object({ differences: z.array(settlementDifference), next: z.nullable(id) })),
  }),
  resolveDifference: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/reconciliation/differences/{id}/resolve',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'required',
    summary: 'Close a difference for a reason, and book it where money moved or never will',
    params: idParams,
    body: z.strictObject({ book: z.enum(bookings, 'invalid'), reason }),
    response: wrapped(z.object({ clearing: toman, bank: toman, fee: toman, difference: toman })),
  }),
  listBookMonths: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/books',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: 'The months of the books, newest first, and who closed them',
    response: wrapped(z.object({ months: z.array(bookMonth) })),
  }),
  closeBookMonth: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/books/{month}/close',
    caller: 'staff',
    may: 'payments.settle',
    proof: 'money',
    reason: 'required',
    summary: 'Close a month that is over, for good; its name is typed',
    params: monthParams,
    body: z.strictObject({ name: z.string('required').check(z.trim(), z.maxLength(20, 'too_long')), reason }),
    response: wrapped(z.object({ closed: z.boolean() })),
  }),
  exportJournal: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/books/{month}/journal',
    caller: 'staff',
    may: 'payments.read',
    proof: 'none',
    reason: 'none',
    summary: 'A month for hledger, after the balances before it; the audit keeps that it was taken',
    params: monthParams,
    produces: 'text/plain',
  }),
};
