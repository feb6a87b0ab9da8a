export interface WalletNotifications {
  transfer_received: { amountToman: number };
  transfer_sent: { amountToman: number };
}
