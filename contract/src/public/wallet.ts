import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits, paymentGateways } from '../limits.ts';
import { parseAmount } from '../persian.ts';
import { id, idParams, instant, toman, wrapped } from '../shapes.ts';

/** An amount as typed (Persian digits and separators are fine) or as a number; an integer number of toman. */
export const chargeAmount = z.pipe(
  z.pipe(
    z.union(
      [z.number('amount_invalid'), z.string('amount_invalid').check(z.maxLength(40, 'amount_invalid'))],
      'amount_invalid',
    ),
    z.transform((value) => (typeof value === 'number' ? value : parseAmount(value))),
  ),
  z
    .int('amount_invalid')
    .check(z.gte(limits.charge.minToman, 'amount_too_small'), z.lte(limits.charge.maxToman, 'amount_too_large')),
);

export const transactionTypes = [
  'wallet_charge',
  'gift_card',
  'usage',
  'refund',
  'subscription',
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
        /** Everything the person owns: free money and money reserved for running configs. */
        balance: toman,
        /** The part that is reserved in leases on VPN servers; it comes back when it is not used. */
        reserved: toman,
        /** Toman per GB now; 0 while usage is free. */
        price_per_gb: z.number(),
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
          }),
        ),
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
      /** Balance after the credit. */
      balance: toman,
      message: z.optional(z.string()),
    }),
  }),
  /** Where the bank sends the browser back. A hint only: it makes the server ask the bank. */
  gatewayReturn: defineEndpoint({
    method: 'GET',
    path: '/payments/return/{gateway}/{id}/{seal}',
    caller: 'callback',
    summary: 'Return from the bank; redirects to the charge page with the outcome',
    params: z.object({ gateway: z.enum(paymentGateways), id, seal: z.string().check(z.maxLength(64)) }),
    produces: 'text/html',
  }),
};
