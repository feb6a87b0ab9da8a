import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { cleanGiftCode, giftCodeProblem } from '../gift-code.ts';
import { id, instant, pagination, paging, toman, wrapped } from '../shapes.ts';
import { user } from './auth.ts';

/** The code as typed; cleaned and held against the input rules of specification 2, section 5. */
export const giftCode = z.pipe(
  z.pipe(z.string('gift_required').check(z.maxLength(200, 'gift_length')), z.transform(cleanGiftCode)),
  z.string().check(
    z.superRefine((code, context) => {
      const problem = giftCodeProblem(code);
      if (problem) context.addIssue({ code: 'custom', message: problem, input: code });
    }),
  ),
);

const redeemed = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({
    /** Face value in US cents. */
    usd_cents: z.int(),
    /** Toman credited to the wallet. */
    amount: toman,
    /** Toman per dollar at which it was credited. */
    rate: toman,
    balance: toman,
    /** True when this card activated the account; a later card only credits the wallet. */
    activated: z.boolean(),
    user,
  }),
});

/** A card that the user has redeemed. */
export const redeemedCard = z.object({
  id,
  /** All but the last four symbols are hidden. */
  code: z.string(),
  /** Toman credited. */
  amount: toman,
  /** Face value in US cents. */
  usd_cents: z.int(),
  rate: toman,
  usedAt: instant,
  status: z.literal('used'),
});

export const giftCards = {
  listGiftCards: defineEndpoint({
    method: 'GET',
    path: '/giftcards/history',
    aliases: ['/user/gift-cards'],
    caller: 'user',
    summary: 'The gift cards that the signed-in user has redeemed, newest first',
    query: paging,
    response: wrapped(z.object({ gift_cards: z.array(redeemedCard), pagination })),
  }),
  verifyGiftCard: defineEndpoint({
    method: 'POST',
    path: '/giftcards/verify',
    aliases: ['/user/subscriptions/validate-gift-card'],
    caller: 'user',
    summary: 'What a gift card is worth, without redeeming it',
    body: z.strictObject({ gift_card_code: giftCode }),
    response: z.object({
      success: z.literal(true),
      data: z.object({ usd_cents: z.int(), amount: toman, rate: toman, last4: z.string() }),
    }),
  }),
  processGiftCard: defineEndpoint({
    method: 'POST',
    path: '/giftcards/process',
    caller: 'user',
    summary: 'Redeem a gift card: activates the account once and credits the wallet. Takes an Idempotency-Key header',
    body: z.strictObject({
      gift_card_code: giftCode,
      /** The rate the user saw; redeeming is refused when it is off by more than 2 %. */
      current_price: z.optional(z.number().check(z.gte(0))),
      subscription_type: z.optional(z.literal('usage_based')),
      payment_method: z.optional(z.literal('gift_card')),
    }),
    response: redeemed,
  }),
  activateAccount: defineEndpoint({
    method: 'POST',
    path: '/account/activate',
    caller: 'user',
    summary: 'Redeem a gift card at the current rate',
    body: z.strictObject({ giftCardCode: giftCode }),
    response: redeemed,
  }),
};
