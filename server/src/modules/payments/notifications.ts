export interface PaymentNotifications {
  payment_completed: { amountToman: number };
  payment_reversed: { amountToman: number };
  refund_confirmed: { amountToman: number };
  refund_failed: { amountToman: number };
}
