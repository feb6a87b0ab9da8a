export interface WalletNotifications {
  transfer_received: { amountToman: number };
  transfer_sent: { amountToman: number };
  /** Negative if the wallet got less. `message`: why, in the operator's words, where many users got the same. */
  balance_adjusted: { amountToman: number; message?: string };
}
