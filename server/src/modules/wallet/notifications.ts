export interface WalletNotifications {
  transfer_received: { amountToman: number };
  transfer_sent: { amountToman: number };
  /** Negative if the wallet got less. */
  balance_adjusted: { amountToman: number };
}
