import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { paymentGateways } from '../payment-gateways.ts';
import { id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { chargeAmount, gatewayHealths, period } from './wallet.ts';

export const paymentStatuses = ['completed', 'pending', 'failed', 'cancelled', 'refunded'] as const;
export const paymentTypes = [
  'wallet_charge',
  'subscription',
  'subscription_renewal',
  'gift_card',
  'config_purchase',
] as const;

export const paymentGateway = z.object({
  name: z.enum(paymentGateways),
  title: z.string(),
  /** True for a built-in test bank, which takes no money. */
  test: z.boolean(),
  health: z.enum(gatewayHealths),
});
export type PaymentGateway = z.output<typeof paymentGateway>;

/** Where money that goes back is: asked for, handed to the bank, back, refused (it is in the wallet again). */
export const refundStatuses = ['requested', 'sent', 'confirmed', 'failed'] as const;

export const paymentRecord = z.object({
  id,
  /** The same as `id`, in the spelling of older clients. */
  paymentId: id,
  /** The bank's proof of the payment; null until it is paid. */
  reference_id: z.nullable(z.string()),
  amount: toman,
  type: z.enum(paymentTypes),
  purpose: z.enum(paymentTypes),
  status: z.enum(paymentStatuses),
  /** Null where no gateway took part. */
  gateway: z.nullable(z.enum(paymentGateways)),
  paymentMethod: z.object({ provider: z.string(), title: z.string() }),
  description: z.string(),
  /** The number of the payment at the gateway. */
  tracking_code: z.nullable(z.string()),
  receipt_url: z.nullable(z.string()),
  refundable: z.boolean(),
  /** The amount a refund would return now, in toman: the unspent part; 0 when it is not refundable. */
  refundable_amount: toman,
  /** Until when a refund can be requested; null when it is not refundable. */
  refundable_until: z.nullable(instant),
  /** Working days within which a refund reaches the card, as the operator states it; null when it is not refundable. */
  refund_arrival_days: z.nullable(z.number()),
  cancellable: z.boolean(),
  refund: z.nullable(
    z.object({
      id,
      status: z.enum(refundStatuses),
      amount: toman,
      tracking_code: z.nullable(z.string()),
      created_at: instant,
    }),
  ),
  created_at: instant,
  updated_at: instant,
});
export type PaymentRecord = z.output<typeof paymentRecord>;

const paging = {
  page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100_000)), 1),
  per_page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(limits.page.max)), limits.page.size),
};
const filters = {
  status: z.optional(z.enum(paymentStatuses, 'invalid')),
  type: z.optional(z.enum(paymentTypes, 'invalid')),
  gateway: z.optional(z.enum(paymentGateways, 'invalid')),
};
const searchText = z.string().check(z.maxLength(100, 'too_long'));

const page = wrapped(
  z.object({
    payments: z.array(paymentRecord),
    pagination: z.object({ page: z.int(), total_pages: z.int(), total: z.int() }),
  }),
);

/** The answer of a payment that is credited. */
export const verifiedCharge = z.object({
  success: z.literal(true),
  status: z.literal('completed'),
  amount: toman,
  ref_id: z.string(),
  /** Balance after the credit. */
  balance: toman,
  message: z.optional(z.string()),
});

export const payments = {
  listPayments: defineEndpoint({
    method: 'GET',
    path: '/payments',
    aliases: ['/user/payments'],
    caller: 'user',
    summary: 'Payments of the user, newest first',
    query: z.object({ ...paging, ...filters, q: z.optional(searchText) }),
    response: page,
  }),
  searchPayments: defineEndpoint({
    method: 'GET',
    path: '/payments/search',
    caller: 'user',
    summary: 'Payments whose description, number or gateway contains a text',
    query: z.object({ ...paging, ...filters, q: searchText }),
    response: page,
  }),
  getPaymentStats: defineEndpoint({
    method: 'GET',
    path: '/payments/stats',
    caller: 'user',
    summary: 'Counts of payments by status, the sum of what was paid in, and of what was bought with it',
    query: z.object({ period }),
    response: wrapped(
      z.object({
        successfulPayments: z.int(),
        pendingPayments: z.int(),
        failedPayments: z.int(),
        cancelledPayments: z.int(),
        refundedPayments: z.int(),
        /** Paid in: charges and gift cards that are completed. */
        totalAmount: toman,
        /** Plans bought from the wallet; never part of `totalAmount`, whose money they spend. */
        totalPurchases: toman,
      }),
    ),
  }),
  listPaymentMethods: defineEndpoint({
    method: 'GET',
    path: '/payments/methods',
    caller: 'user',
    summary: 'Ways to pay that are switched on, in the order of the operator',
    response: wrapped(z.object({ methods: z.array(paymentGateway) })),
  }),
  createPayment: defineEndpoint({
    method: 'POST',
    path: '/payments/create',
    caller: 'user',
    summary: 'Start a wallet charge; the browser then goes to payment_url. Takes an Idempotency-Key header',
    body: z.strictObject({
      amount: chargeAmount,
      gateway: z.enum(paymentGateways, 'invalid'),
      type: z.optional(z.literal('wallet_charge', 'invalid')),
    }),
    response: z.object({
      success: z.literal(true),
      payment_url: z.string(),
      transaction_id: id,
      data: z.object({ payment: paymentRecord }),
    }),
  }),
  getPayment: defineEndpoint({
    method: 'GET',
    path: '/payments/{id}',
    caller: 'user',
    summary: 'One payment',
    params: idParams,
    response: wrapped(z.object({ payment: paymentRecord })),
  }),
  verifyPayment: defineEndpoint({
    method: 'POST',
    path: '/payments/{id}/verify',
    caller: 'user',
    summary: 'Ask the bank for the outcome of a payment and credit it once',
    params: idParams,
    body: z.optional(z.strictObject({ authority: z.optional(z.string().check(z.maxLength(100, 'invalid'))) })),
    response: verifiedCharge,
  }),
  cancelPayment: defineEndpoint({
    method: 'POST',
    path: '/payments/{id}/cancel',
    aliases: ['/user/wallet/transactions/{id}/cancel', '/wallet/transactions/{id}/cancel'],
    caller: 'user',
    summary: 'Give up a payment that is not paid; if the bank took money after all, it is credited',
    params: idParams,
    response: z.object({ success: z.literal(true), message: z.string(), data: z.object({ payment: paymentRecord }) }),
  }),
  refundPayment: defineEndpoint({
    method: 'POST',
    path: '/payments/{id}/refund',
    caller: 'user',
    summary: `Send a wallet charge of the last ${limits.payment.refundDays} days back, up to what is unspent. Takes an Idempotency-Key header`,
    params: idParams,
    body: z.optional(
      z.strictObject({
        /** Toman; without it all that is unspent of the payment. */
        amount: z.optional(z.int('amount_invalid').check(z.gte(1, 'amount_invalid'))),
        reason: z.optional(z.string().check(z.maxLength(300, 'too_long'))),
      }),
    ),
    response: z.object({ success: z.literal(true), message: z.string(), data: z.object({ payment: paymentRecord }) }),
  }),
  downloadReceipt: defineEndpoint({
    method: 'GET',
    path: '/payments/{id}/receipt',
    caller: 'user',
    summary: 'The receipt of a successful payment as a PDF in Persian',
    params: idParams,
    produces: 'application/pdf',
  }),
};
