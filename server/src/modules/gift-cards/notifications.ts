export interface GiftCardNotifications {
  account_activated: { amountToman: number };
  card_redeemed: { amountToman: number };
}
