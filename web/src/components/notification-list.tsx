import type { Notification } from '@raha/contract/public/notifications.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BellOff, CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import { useRef } from 'react';
import { api } from '../api/client.ts';
import { now } from '../api/clock.ts';
import { errorSentence } from '../api/error-sentence.ts';
import { notificationsQuery } from '../api/queries.ts';
import { m } from '../text/generated/messages.js';
import { relativeTime } from '../text/relative-time.ts';
import { toast } from '../ui/toast.ts';
import { useNow } from '../ui/use-now.ts';
import { FailureCard } from './failure-card.tsx';

const looks: Readonly<Record<Notification['type'], readonly [LucideIcon, string]>> = {
  success: [CircleCheck, 'bg-success-soft text-success'],
  warning: [TriangleAlert, 'bg-spark-soft text-spark-text'],
  error: [CircleAlert, 'bg-danger-soft text-danger'],
  info: [Info, 'bg-accent-soft text-accent'],
};

/** The latest twenty notifications. Pressing an unread one marks it as read; the focus stays in its row. */
export function NotificationList({ onEmptied }: { onEmptied(): void }) {
  const list = useQuery(notificationsQuery);
  const time = useNow(now, 30_000);
  if (list.isError && !list.data) {
    return (
      <FailureCard
        title={m.notifications_failed()}
        error={list.error}
        busy={list.isFetching}
        onRetry={() => void list.refetch()}
      />
    );
  }
  if (!list.data) return <ListSkeleton />;
  const { notifications } = list.data;
  if (notifications.length === 0) {
    return (
      <div className="grid justify-items-center gap-3 py-8 text-text-2">
        <BellOff className="size-8 text-text-3" aria-hidden />
        <p>{m.notifications_empty()}</p>
      </div>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {notifications.map((notification) => (
        <Row key={notification.id} notification={notification} time={time} onEmptied={onEmptied} />
      ))}
    </ul>
  );
}

interface RowProps {
  notification: Notification;
  time: number;
  onEmptied(): void;
}

function Row({ notification, time, onEmptied }: RowProps) {
  const { id, title, message, type, createdAt, read } = notification;
  const queries = useQueryClient();
  const remove = useRef<HTMLButtonElement>(null);
  const [Icon, look] = looks[type];
  const change = (edit: (all: readonly Notification[]) => Notification[]) =>
    queries.setQueryData(notificationsQuery.queryKey, (known) => {
      if (!known) return known;
      const unreadCount = Math.max(0, known.unreadCount - (read ? 0 : 1));
      return { unreadCount, notifications: edit(known.notifications) };
    });
  const refresh = () => queries.invalidateQueries({ queryKey: notificationsQuery.queryKey });

  const onRead = async () => {
    remove.current?.focus();
    change((all) => all.map((one) => (one.id === id ? { ...one, read: true } : one)));
    // A failure becomes visible because the list is reloaded.
    await api.readNotification({ params: { id } }).catch(() => undefined);
    await refresh();
  };
  const onDelete = async () => {
    const row = remove.current?.closest('li');
    const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
    const next = neighbour?.querySelector<HTMLElement>('[data-delete]');
    if (next) next.focus();
    else onEmptied();
    change((all) => all.filter((one) => one.id !== id));
    await api.deleteNotification({ params: { id } }).catch((error: unknown) => toast(errorSentence(error), 'problem'));
    await refresh();
  };

  const text = (
    <>
      <span className={`grid place-items-center size-9 shrink-0 rounded-full ${look}`}>
        <Icon className="size-5" aria-hidden />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className={`text-[.9375rem] ${read ? 'font-medium' : 'font-bold'}`}>{title}</span>
          {!read && (
            <span className="size-2 shrink-0 rounded-full bg-spark">
              <span className="sr-only">{m.notification_unread()}</span>
            </span>
          )}
        </span>
        <span className="block text-sm text-text-2 [overflow-wrap:anywhere]">{message}</span>
        <time dateTime={createdAt} className="block text-xs text-text-3 mt-0.5">
          {relativeTime(createdAt, time)}
        </time>
      </span>
    </>
  );
  return (
    <li className="flex items-start gap-1 py-1">
      {read ? (
        <div className="flex flex-1 min-w-0 items-start gap-3 py-2.5">{text}</div>
      ) : (
        <button
          type="button"
          className="flex flex-1 min-w-0 items-start gap-3 py-2.5 text-start rounded-md"
          onClick={() => void onRead()}
        >
          {text}
        </button>
      )}
      <button
        ref={remove}
        data-delete
        type="button"
        className="icon-btn shrink-0 -me-2"
        aria-label={m.notification_delete({ title })}
        title={m.delete()}
        onClick={() => void onDelete()}
      >
        <X className="size-4" aria-hidden />
      </button>
    </li>
  );
}

function ListSkeleton() {
  return (
    <div aria-hidden className="grid gap-4 py-3">
      {[0, 1, 2].map((row) => (
        <div key={row} className="flex gap-3">
          <div className="skeleton size-9 rounded-full" />
          <div className="grid gap-2 flex-1">
            <div className="skeleton h-4 w-2/5 rounded-sm" />
            <div className="skeleton h-4 w-4/5 rounded-sm" />
          </div>
        </div>
      ))}
    </div>
  );
}
