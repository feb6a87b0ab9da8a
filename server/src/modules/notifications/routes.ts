import type { notifications } from '@raha/contract/public/notifications.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { requireProfile, type SignedInCaller } from '../sessions/caller.ts';
import { countUnread, markAllDeleted, markAllRead, markDeleted, markRead, selectNotifications } from './tables.ts';
import { describeNotice } from './texts.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
}

/** A person's own notifications. Somebody else's are `not_found`. */
export function notificationRoutes(deps: Deps): Handlers<typeof notifications, SignedInCaller, unknown> {
  const { db, clock, bus } = deps;
  /** The other open panels of the person show the same bell. */
  const tellPanels = (userId: string) => bus.announce(db, { topic: 'user', userId, event: { type: 'notification' } });
  return {
    async listNotifications({ caller, query, locale }) {
      const userId = requireProfile(caller.person).id;
      const rows = await selectNotifications(db, userId, query.limit);
      const notifications = rows.map(({ id, kind, data, created_at, read_at }) => ({
        id,
        kind,
        ...describeNotice({ kind, data }, locale),
        createdAt: created_at.toISOString(),
        read: read_at !== null,
      }));
      return { success: true, data: { notifications, unreadCount: await countUnread(db, userId) } };
    },
    async countUnreadNotifications({ caller }) {
      return { success: true, data: { count: await countUnread(db, requireProfile(caller.person).id) } };
    },
    async readAllNotifications({ caller }) {
      const userId = requireProfile(caller.person).id;
      await markAllRead(db, userId, clock.now());
      await tellPanels(userId);
      return { success: true };
    },
    async readNotification({ caller, params }) {
      const userId = requireProfile(caller.person).id;
      if (!(await markRead(db, userId, params.id, clock.now()))) throw new Refusal('not_found');
      await tellPanels(userId);
      return { success: true };
    },
    async deleteNotification({ caller, params }) {
      const userId = requireProfile(caller.person).id;
      if (!(await markDeleted(db, userId, params.id, clock.now()))) throw new Refusal('not_found');
      await tellPanels(userId);
      return { success: true };
    },
    async deleteNotifications({ caller }) {
      const userId = requireProfile(caller.person).id;
      await markAllDeleted(db, userId, clock.now());
      await tellPanels(userId);
      return { success: true };
    },
  };
}
