import type {
  InquiryAnswer,
  PaymentFacts,
  PaymentGroup,
  PaymentLine,
  StaffRefund,
} from '@raha/contract/admin/payments.ts';
import { type GatewayName, gatewayTitles } from '@raha/contract/payment-gateways.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';

export function gatewayName(gateway: GatewayName): string {
  return gatewayTitles[gateway][currentLocale()];
}

export const groupNames: Readonly<Record<PaymentGroup, () => string>> = {
  waiting: m.console_pay_group_waiting,
  open: m.console_pay_group_open,
  completed: m.console_pay_group_completed,
  failed: m.console_pay_group_failed,
  cancelled: m.console_pay_group_cancelled,
};

export const stateNames: Readonly<Record<PaymentLine['state'], () => string>> = {
  created: m.console_pay_created,
  redirected: m.console_pay_redirected,
  completed: m.console_pay_completed,
  failed: m.console_pay_failed,
  cancelled: m.console_pay_cancelled,
  needs_review: m.console_pay_needs_review,
};

export const refundNames: Readonly<Record<StaffRefund['state'], () => string>> = {
  requested: m.console_refund_requested,
  sent: m.console_refund_sent,
  confirmed: m.console_refund_confirmed,
  failed: m.console_refund_failed,
  unknown: m.console_refund_unknown,
};

export const inquirySentences: Readonly<Record<InquiryAnswer, () => string>> = {
  'in-bank': m.console_pay_asked_in_bank,
  paid: m.console_pay_asked_paid,
  verified: m.console_pay_asked_verified,
  failed: m.console_pay_asked_failed,
  cancelled: m.console_pay_asked_cancelled,
  reversed: m.console_pay_asked_reversed,
  unknown: m.console_pay_asked_unknown,
};

/** Our own reasons, as they stand in the evidence. */
const reasons: Readonly<Record<string, () => string>> = {
  'this reference was credited before': m.console_pay_why_taken,
  'the account was deleted': m.console_pay_why_deleted,
  'never started': m.console_pay_why_never,
  'cancelled by the user': m.console_pay_why_user,
};

export function reasonOf(why: string): string {
  return reasons[why]?.() ?? why;
}

/** What is to be known first. */
export function findingOf(payment: PaymentFacts): string {
  const { state, waits, reversed, refund } = payment;
  if (waits) {
    const why = payment.answers.findLast((answer) => answer.why !== null)?.why;
    if (state !== 'needs_review') return m.console_pay_finding_silent();
    return why ? reasonOf(why) : m.console_pay_finding_mismatch();
  }
  if (reversed) return m.console_pay_finding_reversed();
  if (refund !== null && refund !== 'failed') return refundNames[refund]();
  return stateNames[state]();
}
