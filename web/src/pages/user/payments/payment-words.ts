import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import { m } from '../../../text/generated/messages.js';

/** Statuses and types of payments, in words. */
export const statuses: Readonly<Record<PaymentRecord['status'], () => string>> = {
  completed: m.payment_completed,
  pending: m.payment_pending,
  failed: m.payment_failed,
  cancelled: m.payment_cancelled,
  refunded: m.payment_refunded,
};

export const types: Readonly<Record<PaymentRecord['type'], () => string>> = {
  wallet_charge: m.type_wallet_charge,
  subscription: m.type_subscription,
  subscription_renewal: m.type_subscription_renewal,
  gift_card: m.type_gift_card,
  config_purchase: m.type_config_purchase,
};

/** Where money that goes back is. */
export const refunds: Readonly<Record<NonNullable<PaymentRecord['refund']>['status'], () => string>> = {
  requested: m.refund_requested,
  sent: m.refund_sent,
  confirmed: m.refund_confirmed,
  failed: m.refund_failed,
};
