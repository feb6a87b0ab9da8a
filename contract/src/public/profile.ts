import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { locales } from '../locale.ts';
import { cleanPhone } from '../persian.ts';
import { done, idParams, instant, wrapped } from '../shapes.ts';
import { email, fullName, phoneCode, user, verificationCode } from './auth.ts';
import { ownerProof } from './factors.ts';

/** An Iranian mobile number as it is typed anywhere: digits of any script, spaces, +98, 0098; stored as 09xxxxxxxxx. */
export const phone = z.pipe(
  z.pipe(z.string('phone_invalid').check(z.maxLength(64, 'phone_invalid')), z.transform(cleanPhone)),
  z.string().check(z.regex(/^09\d{9}$/, 'phone_invalid')),
);

/** Usage of an account. Traffic in MB (10⁶ bytes), rounded down. */
export const usage = z.object({
  totalTraffic: z.int(),
  /** Of the last 30 days, today included. */
  monthlyTraffic: z.int(),
  /** Configs that a device has connected with at least once, deleted ones too. */
  connectionsCount: z.int(),
  /** Hours of the clock in which traffic passed; two devices in one hour are one hour. */
  connectionHours: z.int(),
});
export type Usage = z.output<typeof usage>;

export const profile = z.extend(user, {
  ...usage.shape,
  /** Users without a password confirm with a code instead. */
  hasPassword: z.boolean(),
  /** A new address that is not verified yet. */
  pendingEmail: z.nullable(z.string()),
  /** False when this site sends no text messages, so that no number can be verified. */
  phoneVerification: z.boolean(),
});
export type Profile = z.output<typeof profile>;

export const settings = z.object({
  emailNotifications: z.boolean(),
  smsNotifications: z.boolean(),
  autoConnect: z.boolean(),
  language: z.enum(locales),
  theme: z.enum(['dark', 'light', 'auto']),
});
export type Settings = z.output<typeof settings>;

/** DNS filtering: on request, the servers do not resolve names of advertising, tracking and malware. */
export const dnsFiltering = z.object({
  enabled: z.boolean(),
  /** A server of the user's devices has a block list. */
  available: z.boolean(),
  /** Blocked queries, counted by the day of Tehran; the month is the last 30 days. The names are not recorded. */
  blockedToday: z.int(),
  blockedMonth: z.int(),
});
export type DnsFiltering = z.output<typeof dnsFiltering>;

/** What operators did about an account or its money. */
export const operatorActionKinds = [
  'suspended',
  'reopened',
  'factors_removed',
  'balance_adjusted',
  'debt_written_off',
  'payment_reviewed',
  'refund_settled',
  'looked',
  'contact_shown',
  'message_resent',
  'signed_out',
  'config_traced',
] as const;
export const operatorAction = z.object({ id: z.string(), kind: z.enum(operatorActionKinds), created_at: instant });
export type OperatorAction = z.output<typeof operatorAction>;

export const profileCalls = {
  listOperatorActions: defineEndpoint({
    method: 'GET',
    path: '/user/operator-actions',
    caller: 'user',
    summary: 'What operators did about the account or its money, newest first; at most fifty',
    response: wrapped(z.object({ actions: z.array(operatorAction) })),
  }),
  readDnsFiltering: defineEndpoint({
    method: 'GET',
    path: '/user/name-screening',
    caller: 'user',
    summary: 'Whether DNS filtering is on for the devices of the signed-in user, and how many queries it blocked',
    response: wrapped(dnsFiltering),
  }),
  setDnsFiltering: defineEndpoint({
    method: 'PUT',
    path: '/user/name-screening',
    caller: 'user',
    summary: 'Turn DNS filtering on or off for all devices of the signed-in user, at once',
    body: z.strictObject({ enabled: z.boolean('invalid') }),
    response: wrapped(dnsFiltering),
  }),
  getProfile: defineEndpoint({
    method: 'GET',
    path: '/user/profile',
    caller: 'user',
    summary: 'The signed-in user, with usage',
    response: wrapped(z.object({ profile })),
  }),
  updateProfile: defineEndpoint({
    method: 'PUT',
    path: '/user/profile',
    aliases: ['/auth/profile'],
    caller: 'user',
    summary:
      'Change name, e-mail and phone. A new e-mail needs the owner’s password or code, and waits until it is proved; a new phone must have been proved before; an empty phone removes it',
    body: z.strictObject({
      name: z.optional(fullName),
      email: z.optional(email),
      phone: z.optional(z.union([z.literal(''), phone])),
      ...ownerProof,
    }),
    response: z.object({
      success: z.literal(true),
      data: z.object({ profile }),
      user,
      /** Seconds until another code may be asked for, when one was sent to a new address. */
      retry_after: z.optional(z.int()),
      message: z.string(),
    }),
  }),
  sendConfirmation: defineEndpoint({
    method: 'POST',
    path: '/user/confirmation',
    caller: 'user',
    summary: 'Mail a code to the account’s own address, by which an owner without a password confirms',
    response: z.object({ success: z.literal(true), retry_after: z.int(), message: z.string() }),
  }),
  resendNewEmailCode: defineEndpoint({
    method: 'POST',
    path: '/user/email/resend-code',
    caller: 'user',
    summary: 'Mail another code to the address that waits to be proved; the earlier one stops working',
    response: z.object({ success: z.literal(true), retry_after: z.int(), message: z.string() }),
  }),
  verifyNewEmail: defineEndpoint({
    method: 'POST',
    path: '/user/email/verify-code',
    caller: 'user',
    summary: 'Prove the new address with its code; it replaces the old one, and the other sessions end',
    body: z.strictObject({ code: verificationCode }),
    response: z.object({ success: z.literal(true), data: z.object({ profile }), user, message: z.string() }),
  }),
  cancelNewEmail: defineEndpoint({
    method: 'DELETE',
    path: '/user/email/pending',
    caller: 'user',
    summary: 'Keep the present address after all',
    response: done,
  }),
  uploadAvatar: defineEndpoint({
    method: 'POST',
    path: '/user/avatar',
    caller: 'user',
    summary:
      'Replace the picture: JPEG, PNG, WebP or GIF of at most 2 MB and 12 megapixels; kept as a square without metadata',
    upload: { field: 'avatar', maxBytes: limits.avatar.maxBytes },
    response: z.object({ success: z.literal(true), avatarUrl: z.string(), user, message: z.string() }),
  }),
  deleteAvatar: defineEndpoint({
    method: 'DELETE',
    path: '/user/avatar',
    caller: 'user',
    summary: 'Remove the picture',
    response: z.object({ success: z.literal(true), user }),
  }),
  showAvatar: defineEndpoint({
    method: 'GET',
    path: '/avatars/{id}',
    caller: 'public',
    summary: 'A picture by its own unguessable address, which never shows another one',
    params: idParams,
    produces: 'image/webp',
  }),
  sendPhoneCode: defineEndpoint({
    method: 'POST',
    path: '/user/phone/send-verification',
    caller: 'user',
    summary: 'Send a six-digit code by text message to an Iranian mobile number',
    body: z.strictObject({ phone }),
    response: z.object({ success: z.literal(true), retry_after: z.int(), message: z.string() }),
  }),
  verifyPhoneCode: defineEndpoint({
    method: 'POST',
    path: '/user/phone/verify-code',
    caller: 'user',
    summary: 'Prove the number with its code; it is the account’s from then on',
    body: z.strictObject({ phone, code: phoneCode }),
    response: z.object({ success: z.literal(true), user, message: z.string() }),
  }),
  getSettings: defineEndpoint({
    method: 'GET',
    path: '/user/settings',
    caller: 'user',
    summary: 'Settings as any client of the account last stored them',
    response: wrapped(z.object({ settings })),
  }),
  updateSettings: defineEndpoint({
    method: 'PUT',
    path: '/user/settings',
    caller: 'user',
    summary: 'Store settings; those left out stay. The language is the one that mails are written in',
    body: z.strictObject({
      emailNotifications: z.optional(z.boolean()),
      smsNotifications: z.optional(z.boolean()),
      autoConnect: z.optional(z.boolean()),
      language: z.optional(settings.shape.language),
      theme: z.optional(settings.shape.theme),
    }),
    response: wrapped(z.object({ settings })),
  }),
  getUsage: defineEndpoint({
    method: 'GET',
    path: '/user/usage',
    caller: 'user',
    summary: 'What the account has used',
    response: wrapped(z.object({ usage })),
  }),
  exportAccount: defineEndpoint({
    method: 'GET',
    path: '/user/export',
    caller: 'user',
    summary: 'Everything that is kept about the account, as one JSON file',
    produces: 'application/json',
  }),
  deleteAccount: defineEndpoint({
    method: 'DELETE',
    path: '/user/account',
    caller: 'user',
    summary: 'Erase the account for good, after its password or code. What is in the wallet is given up',
    body: z.strictObject(ownerProof),
    response: done,
  }),
  deactivateAccount: defineEndpoint({
    method: 'POST',
    path: '/user/deactivate',
    caller: 'user',
    summary:
      'Switch the account off, after its password or code: nodes refuse its configs, all sessions end; nothing is erased',
    body: z.optional(z.strictObject(ownerProof)),
    response: done,
  }),
};
