import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { paymentGateways } from '../payment-gateways.ts';
import { cleanEmail, parseAmount } from '../persian.ts';
import { id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { ownerProof } from './factors.ts';
import { trial } from './trial.ts';

const typedAmount = z.pipe(
  z.union(
    [z.number('amount_invalid'), z.string('amount_invalid').check(z.maxLength(40, 'amount_invalid'))],
    'amount_invalid',
  ),
  z.transform((value) => (typeof value === 'number' ? value : parseAmount(value))),
);

/** An amount as typed (Persian digits and separators are fine) or as a number; an integer number of toman. */
export const chargeAmount = z.pipe(
  typedAmount,
  z
    .int('amount_invalid')
    .check(z.gte(limits.charge.minToman, 'amount_too_small'), z.lte(limits.charge.maxToman, 'amount_too_large')),
);

/** An amount for another user; an integer number of toman. */
export const transferAmount = z.pipe(
  typedAmount,
  z
    .int('amount_invalid')
    .check(
      z.gte(limits.transfer.minToman, 'transfer_too_small'),
      z.lte(limits.transfer.maxToman, 'transfer_too_large'),
    ),
);

/** The e-mail address of the user who gets it. */
export const transferRecipient = z.pipe(
  z.pipe(z.string('required'), z.transform(cleanEmail)),
  z.email('email_invalid').check(z.maxLength(limits.email.max, 'email_invalid')),
);

/** How the user paid last, for the next time; null before the first payment. */
export const usualCharge = z.nullable(
  z.object({
    amount: toman,
    /** Null if that gateway is not offered any more. */
    gateway: z.nullable(z.object({ name: z.enum(paymentGateways), title: z.string() })),
  }),
);
export type UsualCharge = z.output<typeof usualCharge>;

/** How a gateway does: answering, slow, or not answering at all. */
export const gatewayHealths = ['good', 'slow', 'off'] as const;

/** `30d`, or `all`. */
export const period = z._default(
  z.string('invalid').check(z.regex(/^([1-9]\d{0,2}d|all)$/, 'invalid')),
  limits.dashboard.period,
);

export const transactionTypes = [
  'wallet_charge',
  'gift_card',
  'usage',
  'refund',
  'subscription',
  'transfer',
  'adjustment',
] as const;

export const walletTransaction = z.object({
  id,
  /** Signed: negative for spending. */
  amount: toman,
  type: z.enum(transactionTypes),
  description: z.string(),
  status: z.enum(['completed', 'pending', 'failed', 'cancelled', 'refunded']),
  created_at: instant,
});
export type WalletTransaction = z.output<typeof walletTransaction>;

export const wallet = {
  getWallet: defineEndpoint({
    method: 'GET',
    path: '/user/wallet',
    aliases: ['/wallet'],
    caller: 'user',
    summary: 'Balance and totals of the wallet',
    response: wrapped(
      z.object({
        /** Everything the user owns: free money and money reserved for running configs. */
        balance: toman,
        /** The part that is reserved in leases on VPN servers; it comes back when it is not used. */
        reserved: toman,
        /** Owed after a bank took back a payment whose money was spent; every credit pays it first. */
        owed: toman,
        /** Toman per GB now; 0 while usage is free. */
        price_per_gb: z.number(),
        /** False while there is no dollar rate: the price is one of long ago. */
        price_is_current: z.boolean(),
        /** The trial until its last day, whether or not it ended before. */
        trial: z.nullable(trial),
        stats: z.object({ totalDeposits: toman, totalWithdrawals: toman, totalTransactions: z.int() }),
      }),
    ),
  }),
  listWalletTransactions: defineEndpoint({
    method: 'GET',
    path: '/user/wallet/transactions',
    aliases: ['/wallet/transactions'],
    caller: 'user',
    summary: 'Movements of the wallet, newest first; usage is one line per config and day',
    query: z.object({
      page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100_000)), 1),
      per_page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(limits.page.max)), limits.page.size),
    }),
    response: wrapped(
      z.object({
        transactions: z.array(walletTransaction),
        /** `current` page, `total` lines, `total_pages`. */
        pagination: z.object({ current: z.int(), total: z.int(), total_pages: z.int() }),
      }),
    ),
  }),
  getWalletTransaction: defineEndpoint({
    method: 'GET',
    path: '/user/wallet/transactions/{id}',
    aliases: ['/wallet/transactions/{id}'],
    caller: 'user',
    summary: 'One movement of the wallet',
    params: idParams,
    response: wrapped(walletTransaction),
  }),
  listPaymentGateways: defineEndpoint({
    method: 'GET',
    path: '/user/wallet/payment-gateways',
    caller: 'user',
    summary: 'The gateways that are switched on',
    response: wrapped(
      z.object({
        gateways: z.array(
          z.object({
            name: z.enum(paymentGateways),
            title: z.string(),
            /** True for the built-in test bank, which takes no money. */
            test: z.boolean(),
            /** How it does, measured from the calls of the last minutes. */
            health: z.enum(gatewayHealths),
          }),
        ),
        /** True while nobody can pay, because the books are being compared with the banks. */
        held: z.boolean(),
        usual: z.optional(usualCharge),
      }),
    ),
  }),
  chargeWallet: defineEndpoint({
    method: 'POST',
    path: '/user/wallet/charge',
    aliases: ['/wallet/charge'],
    caller: 'user',
    summary: 'Start a payment; the browser then goes to payment_url. Takes an Idempotency-Key header',
    body: z.strictObject({ amount: chargeAmount, payment_method: z.enum(paymentGateways, 'invalid') }),
    response: z.object({
      success: z.literal(true),
      payment_url: z.string(),
      transaction_id: id,
      message: z.optional(z.string()),
    }),
  }),
  verifyCharge: defineEndpoint({
    method: 'POST',
    path: '/user/wallet/verify',
    aliases: ['/wallet/verify'],
    caller: 'user',
    summary: 'Ask the bank for the outcome of a payment and credit it once',
    body: z.strictObject({
      transaction_id: id,
      authority: z.optional(z.string().check(z.maxLength(100, 'invalid'))),
    }),
    response: z.object({
      success: z.literal(true),
      status: z.literal('completed'),
      amount: toman,
      ref_id: z.string(),
      /** When the money was credited. */
      settled_at: z.optional(z.nullable(instant)),
      /** Balance after the credit. */
      balance: toman,
      message: z.optional(z.string()),
    }),
  }),
  transferMoney: defineEndpoint({
    method: 'POST',
    path: '/wallet/transfer',
    aliases: ['/user/wallet/transfer'],
    caller: 'user',
    summary:
      "Move money to another user's wallet. A new recipient, or a larger sum of the day, needs the sender's password or code. Takes an Idempotency-Key header",
    body: z.strictObject({
      to: transferRecipient,
      amount: transferAmount,
      note: z.optional(z.string().check(z.maxLength(100, 'too_long'))),
      ...ownerProof,
    }),
    response: z.object({
      success: z.literal(true),
      message: z.string(),
      data: z.object({ transaction_id: id, amount: toman, to: z.string(), balance: toman }),
    }),
  }),
  getWalletStats: defineEndpoint({
    method: 'GET',
    path: '/wallet/stats',
    aliases: ['/user/wallet/stats'],
    caller: 'user',
    summary: 'Sums of the wallet over a period',
    query: z.object({ period }),
    response: wrapped(
      z.object({
        balance: toman,
        totalDeposits: toman,
        totalWithdrawals: toman,
        totalTransactions: z.int(),
        byType: z.array(z.object({ type: z.enum(transactionTypes), amount: toman, count: z.int() })),
      }),
    ),
  }),
  getWalletChart: defineEndpoint({
    method: 'GET',
    path: '/wallet/chart',
    aliases: ['/user/wallet/chart'],
    caller: 'user',
    summary: 'Money in and out per day of Tehran, oldest first, days without movement included',
    query: z.object({
      period: z._default(z.string('invalid').check(z.regex(/^[1-9]\d{0,2}d$/, 'invalid')), limits.dashboard.period),
    }),
    response: wrapped(
      z.object({
        labels: z.array(z.iso.date()),
        deposits: z.array(toman),
        withdrawals: z.array(toman),
      }),
    ),
  }),
  /** Where the bank returns the browser to. Not trusted: it only makes the server query the bank. */
  gatewayReturn: defineEndpoint({
    method: 'GET',
    path: '/payments/return/{gateway}/{id}/{seal}',
    caller: 'callback',
    summary: 'Return from the bank; redirects to the charge page with the outcome',
    params: z.object({ gateway: z.enum(paymentGateways), id, seal: z.string().check(z.maxLength(64)) }),
    produces: 'text/html',
  }),
  /** The same, for gateways whose page posts a form. */
  gatewayReturnPosted: defineEndpoint({
    method: 'POST',
    path: '/payments/return/{gateway}/{id}/{seal}',
    caller: 'callback',
    summary: 'Return from a bank that posts a form; redirects to the charge page with the outcome',
    params: z.object({ gateway: z.enum(paymentGateways), id, seal: z.string().check(z.maxLength(64)) }),
    produces: 'text/html',
  }),
};
