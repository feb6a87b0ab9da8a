import type { Locale } from '@raha/contract/locale.ts';
import type { notifications } from '@raha/contract/public/notifications.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import type { PushSender } from '../../platform/push.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { requireProfile, type SignedInCaller } from '../sessions/caller.ts';
import { dropSubscription, keepSubscription, openSubscription } from '../sessions/push-subscription.ts';
import { changeChoices, readChoices, readUnsubscribeToken, unsubscribe } from './email-choices.ts';
import { listNotifications } from './list-notifications.ts';
import { mailableKinds } from './rules.ts';
import { notificationsChanged } from './signals.ts';
import { countUnread, markAllDeleted, markAllRead, markDeleted, markRead } from './tables.ts';
import { titleOf } from './texts.ts';
import { sendUnsubscribePage } from './unsubscribe-page.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly vault: Vault;
  readonly push: PushSender;
}

/** A user's own notifications; those of other users are `not_found`. */
export function notificationRoutes(deps: Deps): Handlers<typeof notifications, SignedInCaller, unknown> {
  const { db, clock, bus } = deps;
  /** Updates the user's other open panels. */
  const tellPanels = (userId: string) => bus.announce(db, notificationsChanged, { userId });
  const choicesOf = async (userId: string, locale: Locale) => {
    const { isOn, kinds } = await readChoices(db, userId);
    const choices = mailableKinds.map((kind) => ({ kind, title: titleOf(kind, locale), byMail: kinds.includes(kind) }));
    return { success: true as const, data: { emailNotifications: isOn, choices } };
  };
  const pushOf = async (sessionId: string) => ({
    success: true as const,
    data: { publicKey: deps.push.publicKey, isOn: (await openSubscription(deps, sessionId)) !== undefined },
  });
  return {
    async listNotifications({ caller, query, locale }) {
      const userId = requireProfile(caller.user).id;
      const notifications = await listNotifications(db, userId, query.limit, locale);
      return { success: true, data: { notifications, unreadCount: await countUnread(db, userId) } };
    },
    async countUnreadNotifications({ caller }) {
      return { success: true, data: { count: await countUnread(db, requireProfile(caller.user).id) } };
    },
    async readAllNotifications({ caller }) {
      const userId = requireProfile(caller.user).id;
      await markAllRead(db, userId, clock.now());
      await tellPanels(userId);
      return { success: true };
    },
    async readNotification({ caller, params }) {
      const userId = requireProfile(caller.user).id;
      if (!(await markRead(db, userId, params.id, clock.now()))) throw new Refusal('not_found');
      await tellPanels(userId);
      return { success: true };
    },
    async deleteNotification({ caller, params }) {
      const userId = requireProfile(caller.user).id;
      if (!(await markDeleted(db, userId, params.id, clock.now()))) throw new Refusal('not_found');
      await tellPanels(userId);
      return { success: true };
    },
    async deleteNotifications({ caller }) {
      const userId = requireProfile(caller.user).id;
      await markAllDeleted(db, userId, clock.now());
      await tellPanels(userId);
      return { success: true };
    },
    async getNotificationChoices({ caller, locale }) {
      return await choicesOf(requireProfile(caller.user).id, locale);
    },
    async updateNotificationChoices({ caller, body, locale }) {
      const userId = requireProfile(caller.user).id;
      await changeChoices(db, userId, body.mail);
      return await choicesOf(userId, locale);
    },
    async getPush({ caller }) {
      requireProfile(caller.user);
      return await pushOf(caller.sessionId);
    },
    async turnPushOn({ caller, body }) {
      const userId = requireProfile(caller.user).id;
      if (!deps.push.accepts(body.endpoint)) throw new Refusal('invalid_input');
      await keepSubscription(deps, { userId, sessionId: caller.sessionId }, body);
      return await pushOf(caller.sessionId);
    },
    async turnPushOff({ caller }) {
      requireProfile(caller.user);
      await dropSubscription(db, caller.sessionId);
      return await pushOf(caller.sessionId);
    },
    async askUnsubscribe({ query, reply, locale }) {
      const known = readUnsubscribeToken(deps.vault, query.token);
      return sendUnsubscribePage(reply, locale, known ? { kind: known.kind, isDone: false } : undefined);
    },
    async unsubscribe({ query, reply, locale }) {
      const known = readUnsubscribeToken(deps.vault, query.token);
      if (known) await unsubscribe(db, known.userId, known.kind);
      return sendUnsubscribePage(reply, locale, known && { kind: known.kind, isDone: true });
    },
  };
}
