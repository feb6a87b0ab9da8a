import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';

export const notificationKinds = [
  'welcome',
  'address_verified',
  'account_activated',
  'card_redeemed',
  'payment_completed',
  'payment_reversed',
  'debt_paid',
  'refund_confirmed',
  'refund_failed',
  'transfer_received',
  'transfer_sent',
  'balance_adjusted',
  'low_balance',
  'trial_used_up',
  'service_cut',
  'service_restored',
  'config_live',
  'config_moved',
  'entry_blocked',
  'config_traced',
  'new_device',
  'factors_changed',
  'plan_ending',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const notification = z.object({
  id,
  kind: z.enum(notificationKinds),
  title: z.string(),
  message: z.string(),
  type: z.enum(['success', 'warning', 'error', 'info']),
  createdAt: instant,
  read: z.boolean(),
});
export type Notification = z.output<typeof notification>;

/** A kind of notification that may come by mail, too. */
export const notificationChoice = z.object({ kind: z.enum(notificationKinds), title: z.string(), byMail: z.boolean() });
export type NotificationChoice = z.output<typeof notificationChoice>;

const choices = wrapped(
  z.object({
    /** False: none come by mail, whatever is chosen. */
    emailNotifications: z.boolean(),
    choices: z.array(notificationChoice),
  }),
);
const push = wrapped(
  z.object({
    /** Whose messages the browser is to take (RFC 8292), in base64url. */
    publicKey: z.string(),
    /** Whether the browser of this session takes notifications. */
    isOn: z.boolean(),
  }),
);

/** As the browser's `PushSubscription` has them: an address at its push service, and its keys in base64url. */
const subscription = z.strictObject({
  endpoint: z.string('invalid').check(z.maxLength(1_000, 'too_long')),
  p256dh: z.string('invalid').check(z.regex(/^[\w-]{87}=?$/, 'invalid')),
  auth: z.string('invalid').check(z.regex(/^[\w-]{22}(==)?$/, 'invalid')),
});
const unsubscribeQuery = z.object({ token: z.string().check(z.maxLength(1_000)) });

export const notifications = {
  listNotifications: defineEndpoint({
    method: 'GET',
    path: '/notifications',
    aliases: ['/user/notifications', '/dashboard/notifications'],
    caller: 'user',
    summary: 'What the account was told lately, newest first, and how much of all of it is unread',
    query: z.object({
      limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(limits.page.max)), limits.page.notifications),
    }),
    response: wrapped(z.object({ notifications: z.array(notification), unreadCount: z.int() })),
  }),
  countUnreadNotifications: defineEndpoint({
    method: 'GET',
    path: '/notifications/unread-count',
    caller: 'user',
    summary: 'How many notifications are unread',
    response: wrapped(z.object({ count: z.int() })),
  }),
  readAllNotifications: defineEndpoint({
    method: 'PUT',
    path: '/notifications/read-all',
    aliases: ['/user/notifications/read-all'],
    caller: 'user',
    summary: 'Mark all notifications read',
    response: done,
  }),
  readNotification: defineEndpoint({
    method: 'PUT',
    path: '/notifications/{id}/read',
    aliases: ['/user/notifications/{id}/read'],
    caller: 'user',
    summary: 'Mark one notification read',
    params: idParams,
    response: done,
  }),
  deleteNotification: defineEndpoint({
    method: 'DELETE',
    path: '/notifications/{id}',
    aliases: ['/user/notifications/{id}'],
    caller: 'user',
    summary: 'Delete one notification',
    params: idParams,
    response: done,
  }),
  deleteNotifications: defineEndpoint({
    method: 'DELETE',
    path: '/user/notifications',
    aliases: ['/notifications'],
    caller: 'user',
    summary: 'Delete all notifications',
    response: done,
  }),
  getNotificationChoices: defineEndpoint({
    method: 'GET',
    path: '/user/notifications/choices',
    caller: 'user',
    summary: 'Which kinds of notifications come by mail, too',
    response: choices,
  }),
  updateNotificationChoices: defineEndpoint({
    method: 'PUT',
    path: '/user/notifications/choices',
    caller: 'user',
    summary: 'Choose the kinds that come by mail, all of them at once',
    body: z.strictObject({ mail: z.array(z.enum(notificationKinds)).check(z.maxLength(notificationKinds.length)) }),
    response: choices,
  }),
  getPush: defineEndpoint({
    method: 'GET',
    path: '/user/push',
    caller: 'user',
    summary: 'Whether this session’s browser takes notifications while no page is open',
    response: push,
  }),
  turnPushOn: defineEndpoint({
    method: 'PUT',
    path: '/user/push',
    caller: 'user',
    summary: 'Send low balance, cut and restored to this session’s browser, until the session ends',
    body: subscription,
    response: push,
  }),
  turnPushOff: defineEndpoint({
    method: 'DELETE',
    path: '/user/push',
    caller: 'user',
    summary: 'Send no more notifications to this session’s browser',
    response: push,
  }),
  askUnsubscribe: defineEndpoint({
    method: 'GET',
    path: '/notifications/unsubscribe',
    caller: 'public',
    summary: 'The page behind the link at the foot of a mail; looking at it changes nothing',
    query: unsubscribeQuery,
    produces: 'text/html',
  }),
  unsubscribe: defineEndpoint({
    method: 'POST',
    path: '/notifications/unsubscribe',
    caller: 'callback',
    summary: 'Take the reader off this kind of mail: the one press of RFC 8058, or the button of the page',
    query: unsubscribeQuery,
    produces: 'text/html',
  }),
};
