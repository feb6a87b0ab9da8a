import { notificationKinds } from './public/notifications.ts';

/** What became of a mail or text message. Never its content, nor the address that it went to. */
export const deliveryChannels = ['mail', 'sms'] as const;
export type DeliveryChannel = (typeof deliveryChannels)[number];

/** Mails and text messages that are no notification of the panel, or stand beside one. */
export const messageKinds = [
  'sign_in_code',
  'verify_email_code',
  'change_email_code',
  'confirm_code',
  'console_code',
  'phone_code',
  'account_exists',
  'password_link',
  'password_changed',
  'email_changed',
  'second_step_failing',
  'account_deactivated',
  'account_deleted',
  'other',
] as const;
export const deliveryKinds = [...messageKinds, ...notificationKinds] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/**
 * `waiting`: an attempt failed, and another follows. `sent`: the mail server or the provider took it; that it was read, nobody
 * knows. `uncertain`: no answer came, and two codes would be worse than none. `failed`: it is not tried again, because the provider
 * refused it or it would come too late. `given_up`: the last attempt failed.
 */
export const deliveryStates = ['waiting', 'sent', 'uncertain', 'failed', 'given_up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why it was not sent, as a class; beside `refused` and `busy` stands the code of the answer, such as SMTP's 550. */
export const deliveryReasons = [
  'refused',
  'busy',
  'sign_in',
  'tls',
  'unreachable',
  'timeout',
  'no_answer',
  'too_late',
  'switched_off',
  'other',
] as const;
export type DeliveryReason = (typeof deliveryReasons)[number];
