import type { DeliveryChannel, DeliveryKind, DeliveryReason, DeliveryState } from '@raha/contract/deliveries.ts';
import { m } from '../../text/generated/messages.js';

export const channelNames: Readonly<Record<DeliveryChannel, () => string>> = {
  mail: m.console_delivery_by_mail,
  sms: m.console_delivery_by_sms,
};

export const stateNames: Readonly<Record<DeliveryState, () => string>> = {
  waiting: m.console_delivery_is_waiting,
  sent: m.console_delivery_is_sent,
  uncertain: m.console_delivery_is_uncertain,
  failed: m.console_delivery_is_failed,
  given_up: m.console_delivery_is_given_up,
};

export const reasonNames: Readonly<Record<DeliveryReason, () => string>> = {
  refused: m.console_delivery_because_refused,
  busy: m.console_delivery_because_busy,
  sign_in: m.console_delivery_because_sign_in,
  tls: m.console_delivery_because_tls,
  unreachable: m.console_delivery_because_unreachable,
  timeout: m.console_delivery_because_timeout,
  no_answer: m.console_delivery_because_no_answer,
  too_late: m.console_delivery_because_too_late,
  switched_off: m.console_delivery_because_switched_off,
  other: m.console_delivery_because_other,
};

/** What it says, in a few words. */
export const kindNames: Readonly<Record<DeliveryKind, () => string>> = {
  sign_in_code: m.console_delivery_of_sign_in_code,
  verify_email_code: m.console_delivery_of_verify_email_code,
  change_email_code: m.console_delivery_of_change_email_code,
  confirm_code: m.console_delivery_of_confirm_code,
  console_code: m.console_delivery_of_console_code,
  phone_code: m.console_delivery_of_phone_code,
  account_exists: m.console_delivery_of_account_exists,
  password_link: m.console_delivery_of_password_link,
  password_changed: m.console_delivery_of_password_changed,
  email_changed: m.console_delivery_of_email_changed,
  second_step_failing: m.console_delivery_of_second_step_failing,
  account_deactivated: m.console_delivery_of_account_deactivated,
  account_deleted: m.console_delivery_of_account_deleted,
  other: m.console_delivery_of_other,
  welcome: m.console_delivery_of_welcome,
  address_verified: m.console_delivery_of_address_verified,
  account_activated: m.console_delivery_of_account_activated,
  card_redeemed: m.console_delivery_of_card_redeemed,
  payment_completed: m.console_delivery_of_payment_completed,
  payment_reversed: m.console_delivery_of_payment_reversed,
  debt_paid: m.console_delivery_of_debt_paid,
  refund_confirmed: m.console_delivery_of_refund_confirmed,
  refund_failed: m.console_delivery_of_refund_failed,
  transfer_received: m.console_delivery_of_transfer_received,
  transfer_sent: m.console_delivery_of_transfer_sent,
  balance_adjusted: m.console_delivery_of_balance_adjusted,
  low_balance: m.console_delivery_of_low_balance,
  trial_used_up: m.console_delivery_of_trial_used_up,
  service_cut: m.console_delivery_of_service_cut,
  service_restored: m.console_delivery_of_service_restored,
  config_live: m.console_delivery_of_config_live,
  config_moved: m.console_delivery_of_config_moved,
  entry_blocked: m.console_delivery_of_entry_blocked,
  config_traced: m.console_delivery_of_config_traced,
  new_device: m.console_delivery_of_new_device,
  factors_changed: m.console_delivery_of_factors_changed,
  plan_ending: m.console_delivery_of_plan_ending,
};
