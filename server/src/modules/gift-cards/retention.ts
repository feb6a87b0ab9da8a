import type { TableRetention } from '../../platform/retention.ts';

export const giftCardsRetention: TableRetention = {
  gift_card: { ever: 'the books name it, and no code works twice' },
  gift_card_batch: { ever: 'the books name it' },
  gift_card_sale: { ever: 'the books name it' },
  gift_card_payment: { ever: 'the books name it' },
  gift_card_redirect: {
    days: 'storeVisits',
    after: 'the visit',
    schedule: 'forget old redemptions',
    leaves: 'visits that led to a card, without its code',
  },
  store_webhook: { days: 'storeVisits', after: 'it came', schedule: 'forget old redemptions' },
  refused_webhook: { days: 'storeVisits', after: 'its hour', schedule: 'forget old redemptions' },
  failed_redemption: { days: 'attempts', after: 'the attempt', schedule: 'forget old redemptions' },
};
