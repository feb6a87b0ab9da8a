export interface PaymentNotifications {
  payment_completed: { amountToman: number };
  /** `owedToman`: what the wallet no longer held; absent before debts were told. */
  payment_reversed: { amountToman: number; owedToman?: number };
  /** From a credit, for earlier reversals; `leftToman` is still owed. */
  debt_paid: { amountToman: number; leftToman: number };
  refund_confirmed: { amountToman: number };
  refund_failed: { amountToman: number };
}
