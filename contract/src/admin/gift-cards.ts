import * as z from 'zod/mini';
import { done, id, idParams, instant, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';
import { reason } from './staff.ts';

/**
 * Gift cards, in batches. No call answers with a code, and none lists what would find one: codes of a batch made here stay sealed until
 * `raha gift-cards export` takes them out once, on the machine. Here a code is only typed, to see what became of its card.
 */
const count = z.int();
const usdCents = z.int();

export const cardStates = ['active', 'redeemed', 'void', 'expired'] as const;
export type CardState = (typeof cardStates)[number];

export const cardBatch = z.object({
  id,
  note: z.string(),
  created_at: instant,
  /** The member’s address; null: at the command line, or at the first start. */
  by: z.nullable(z.string()),
  /** Sealed until their export, exported, or shown once when they were issued at the command line. */
  codes: z.enum(['waiting', 'exported', 'shown']),
  exported_at: z.nullable(instant),
  /** All of them, and by state: these four add up. */
  cards: count,
  active: count,
  redeemed: count,
  void: count,
  expired: count,
  usd_cents: usdCents,
  /** Of those that can still be redeemed. */
  outstanding_usd_cents: usdCents,
  /** What the redeemed ones came to in wallets. */
  credited: toman,
});
export type CardBatch = z.output<typeof cardBatch>;

export const cardLine = z.object({
  id,
  last4: z.string(),
  state: z.enum(cardStates),
  usd_cents: usdCents,
  expires_at: z.nullable(instant),
  redeemed_at: z.nullable(instant),
  voided_at: z.nullable(instant),
  /** In toman, once redeemed. */
  credited: z.nullable(toman),
});
export type CardLine = z.output<typeof cardLine>;

/** What became of people who were sent to a store, of the last `days` days. */
/**
 * Why a store's webhook was refused: nobody signed it, another key did, or too long ago; on a visit that nobody made, or with a code
 * that its buyer cannot redeem. `repeated` came before and changed nothing.
 */
export const webhookRefusals = [
  'unsigned',
  'wrong_signature',
  'too_old',
  'unknown_visit',
  'unusable_code',
  'repeated',
] as const;
export type WebhookRefusal = (typeof webhookRefusals)[number];

export const storeLine = z.object({
  name: z.string(),
  /** The built-in store of a workshop. */
  test: z.boolean(),
  visits: count,
  /** Of these, for how many the store said that it was paid, and how many of the codes were redeemed. */
  paid: count,
  redeemed: count,
  /** Paid, and the store named no code that its buyer could redeem: somebody has paid for nothing. */
  without_card: count,
  last_paid_at: z.nullable(instant),
  /** Webhooks that changed nothing, by why; the most recent first. */
  refused: z.array(z.object({ reason: z.enum(webhookRefusals), count, last_at: instant })),
});
export type StoreLine = z.output<typeof storeLine>;

/** `mistyped`: no code is written like that, so nothing was looked up. */
export const checkOutcomes = ['found', 'unknown', 'mistyped'] as const;

export const checkedCode = z.object({
  outcome: z.enum(checkOutcomes),
  card: z.nullable(z.extend(cardLine, { batch: id })),
});
export type CheckedCode = z.output<typeof checkedCode>;

/** The end of a batch's id: its beginning is the time, which batches made one after another share. It is typed to void one. */
export function batchName({ id: whole }: { readonly id: string }): string {
  return whole.slice(-8);
}

const typed = z.string('required').check(z.trim(), z.minLength(1, 'required'), z.maxLength(40, 'too_long'));

export const cardCalls = {
  listCardBatches: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/gift-cards',
    caller: 'staff',
    may: 'cards.read',
    proof: 'none',
    reason: 'none',
    summary:
      'Batches of gift cards, newest first, and what can still be redeemed of all; the next page is `before` the last id',
    query: z.object({ before: z.optional(id) }),
    response: wrapped(
      z.object({
        batches: z.array(cardBatch),
        next: z.nullable(id),
        /** Of all batches; counted some seconds ago at most. */
        outstanding: z.object({ cards: count, usd_cents: usdCents }),
        /** What one member may still issue without a second one. */
        alone: z.object({
          usd_cents: usdCents,
          /** After so many hours the caller may approve what they proposed; null: somebody else may. */
          hours: z.nullable(z.int()),
        }),
      }),
    ),
  }),
  getCardBatch: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/gift-cards/{id}',
    caller: 'staff',
    may: 'cards.read',
    proof: 'none',
    reason: 'none',
    summary: 'One batch and its cards by their last four symbols; the next page is `after` the last id',
    params: idParams,
    query: z.object({ after: z.optional(id) }),
    response: wrapped(z.object({ batch: cardBatch, cards: z.array(cardLine), next: z.nullable(id) })),
  }),
  listCardStores: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/gift-card-stores',
    caller: 'staff',
    may: 'cards.read',
    proof: 'none',
    reason: 'none',
    summary: 'The stores that sell our cards: who was sent there, paid and redeemed, as long as visits are kept',
    response: wrapped(z.object({ days: count, stores: z.array(storeLine) })),
  }),
  checkCardCode: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/gift-cards/check',
    caller: 'staff',
    may: 'cards.read',
    proof: 'none',
    reason: 'none',
    summary: 'What became of the card of a code that somebody typed; that it was asked is kept, the code is not',
    body: z.strictObject({ code: typed }),
    response: wrapped(checkedCode),
  }),
  issueCards: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/gift-cards',
    caller: 'staff',
    may: 'cards.manage',
    proof: 'money',
    reason: 'required',
    summary:
      'Issue a batch, or propose it if it is beyond what one member may; its codes stay sealed until they are exported on the machine',
    body: z.strictObject({
      count: z.int('invalid').check(z.gte(1, 'too_small'), z.lte(staffLimits.cards.most, 'too_large')),
      usd_cents: z.int('invalid').check(z.gte(1, 'too_small'), z.lte(staffLimits.cards.mostUsdCents, 'too_large')),
      /** Without it they have no end. */
      expires: z.optional(instant),
      note: z.string('required').check(z.trim(), z.maxLength(staffLimits.cards.noteMost, 'too_long')),
      reason,
    }),
    /** The id of the batch, or of the proposal. */
    response: wrapped(z.object({ outcome: z.enum(['done', 'proposed']), id })),
  }),
  voidCardBatch: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/gift-cards/{id}/void',
    caller: 'staff',
    may: 'cards.manage',
    proof: 'money',
    reason: 'required',
    summary: 'Void what is left of a batch, for good; the end of its id is typed',
    params: idParams,
    body: z.strictObject({ name: typed, reason }),
    response: wrapped(z.object({ cards: count })),
  }),
  voidCard: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/gift-cards/cards/{id}/void',
    caller: 'staff',
    may: 'cards.manage',
    proof: 'money',
    reason: 'required',
    summary: 'Void one card, for good; its last four symbols are typed',
    params: idParams,
    body: z.strictObject({ last4: typed, reason }),
    response: done,
  }),
  expireCardBatch: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/gift-cards/{id}/expire',
    caller: 'staff',
    may: 'cards.manage',
    proof: 'money',
    reason: 'required',
    summary: 'Set the end of what is left of a batch: earlier, later, or now',
    params: idParams,
    body: z.strictObject({
      /** Without it: now. */
      at: z.optional(instant),
      reason,
    }),
    response: wrapped(z.object({ cards: count })),
  }),
};
