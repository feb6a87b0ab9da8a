import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { giftCards } from '@raha/contract/public/gift-cards.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { idempotentRequestOf } from '../../platform/idempotency.ts';
import { getUser } from '../accounts/users.ts';
import { requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { describeUser } from '../sessions/describe-user.ts';
import { previewGiftCard, type RedeemDeps, type Redemption, redeemGiftCard } from './redeem-card.ts';
import { maskedCode } from './rules.ts';
import { selectRedeemed } from './tables.ts';

const messages = {
  activated: { fa: 'اشتراک شما با موفقیت فعال شد!', en: 'Your account was activated successfully.' },
  credited: { fa: 'ارزش کارت به کیف پول شما افزوده شد.', en: "The card's value was added to your wallet." },
} as const;

export function giftCardRoutes(deps: RedeemDeps): Handlers<typeof giftCards, SignedInCaller, unknown> {
  const describe = async (userId: string, redemption: Redemption, locale: Locale) => {
    const user = await describeUser(deps.db, await getUser(deps.db, userId));
    return {
      success: true as const,
      message: messages[redemption.activated ? 'activated' : 'credited'][locale],
      data: {
        usd_cents: redemption.usdCents,
        amount: redemption.amountToman,
        rate: redemption.rateToman,
        balance: user.balance,
        activated: redemption.activated,
        user,
      },
    };
  };
  return {
    async listGiftCards({ caller, query }) {
      const page = { number: query.page, size: query.per_page };
      const { cards, total } = await selectRedeemed(deps.db, requireActive(caller.user).id, page);
      const gift_cards = cards.map((card) => ({
        id: card.id,
        code: maskedCode(card.last4),
        amount: toWire(card.credited_toman),
        usd_cents: card.face_usd_cents,
        rate: toWire(card.toman_per_usd),
        usedAt: card.redeemed_at.toISOString(),
        status: 'used' as const,
      }));
      const total_pages = Math.max(1, Math.ceil(total / query.per_page));
      return { success: true, data: { gift_cards, pagination: { page: query.page, total_pages, total } } };
    },
    async verifyGiftCard({ body, caller }) {
      requireActive(caller.user);
      const card = await previewGiftCard(deps, { userId: caller.user.id, code: body.gift_card_code });
      return {
        success: true,
        data: { usd_cents: card.usdCents, amount: card.amountToman, rate: card.rateToman, last4: card.last4 },
      };
    },
    async processGiftCard({ body, caller, request, locale }) {
      requireActive(caller.user);
      const userId = caller.user.id;
      const redemption = await redeemGiftCard(deps, {
        userId,
        code: body.gift_card_code,
        seenRateToman: body.current_price,
        idempotent: idempotentRequestOf(request, userId, body),
      });
      return await describe(userId, redemption, locale);
    },
    async activateAccount({ body, caller, request, locale }) {
      requireActive(caller.user);
      const userId = caller.user.id;
      const idempotent = idempotentRequestOf(request, userId, body);
      return await describe(
        userId,
        await redeemGiftCard(deps, { userId, code: body.giftCardCode, idempotent }),
        locale,
      );
    },
  };
}
