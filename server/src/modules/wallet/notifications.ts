export interface WalletNotifications {
  transfer_received: { amountToman: number };
}
