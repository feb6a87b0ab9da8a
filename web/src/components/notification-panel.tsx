import { DirectionProvider } from '@base-ui/react/direction-provider';
import { Popover } from '@base-ui/react/popover';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CheckCheck } from 'lucide-react';
import { useRef } from 'react';
import { api } from '../api/client.ts';
import { notificationsQuery } from '../api/queries.ts';
import { m } from '../text/generated/messages.js';
import { textDirection } from '../text/locale.ts';
import Sheet from '../ui/sheet.tsx';
import { wrapFocus } from '../ui/wrap-focus.ts';
import { NotificationList } from './notification-list.tsx';

interface NotificationPanelProps {
  /** The bell: anchors the list on wide screens and gets the focus back. */
  anchor: HTMLElement;
  onClose(): void;
}

/** The list of notifications: below the bell on wide screens, from the bottom on phones. */
export default function NotificationPanel({ anchor, onClose }: NotificationPanelProps) {
  const title = useRef<HTMLHeadingElement>(null);
  if (!matchMedia('(min-width: 40rem)').matches) {
    return (
      <Sheet
        title={m.notifications_title()}
        closeLabel={m.close()}
        direction={textDirection()}
        finalFocus={() => anchor}
        onClose={onClose}
      >
        <div className="-mt-3">
          <ReadAll onDone={() => undefined} />
        </div>
        <NotificationList onEmptied={onClose} />
      </Sheet>
    );
  }
  return (
    <DirectionProvider direction={textDirection()}>
      <Popover.Root open onOpenChange={(open) => !open && onClose()}>
        <Popover.Portal container={anchor.closest<HTMLElement>('header') ?? document.body}>
          <Popover.Positioner anchor={anchor} align="end" sideOffset={6} className="z-40">
            <Popover.Popup
              initialFocus={title}
              finalFocus={() => anchor}
              onKeyDown={wrapFocus}
              className="w-[26rem] max-w-[calc(100vw-2rem)] overflow-hidden rounded-lg bg-surface [box-shadow:var(--edge),var(--shadow-3)] outline-none [animation:fade_.12s_both]"
            >
              <div className="max-h-[min(36rem,calc(100dvh-7rem))] overflow-y-auto overscroll-contain">
                <div className="flex items-center gap-2 min-h-14 ps-5 pe-3 pt-2">
                  <Popover.Title ref={title} tabIndex={-1} className="me-auto text-base font-black outline-none">
                    {m.notifications_title()}
                  </Popover.Title>
                  <ReadAll onDone={() => title.current?.focus()} />
                </div>
                <div className="px-5 pb-3">
                  <NotificationList onEmptied={() => title.current?.focus()} />
                </div>
              </div>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </DirectionProvider>
  );
}

/** Shown only while something is unread. */
function ReadAll({ onDone }: { onDone(): void }) {
  const queries = useQueryClient();
  const unread = useQuery(notificationsQuery).data?.unreadCount ?? 0;
  if (unread === 0) return null;
  const readAll = async () => {
    onDone();
    queries.setQueryData(
      notificationsQuery.queryKey,
      (known) => known && { unreadCount: 0, notifications: known.notifications.map((one) => ({ ...one, read: true })) },
    );
    // A failure becomes visible because the list is reloaded.
    await api.readAllNotifications().catch(() => undefined);
    await queries.invalidateQueries({ queryKey: notificationsQuery.queryKey });
  };
  return (
    <button type="button" className="btn btn-quiet btn-sm" onClick={() => void readAll()}>
      <CheckCheck className="size-4" aria-hidden />
      {m.notifications_read_all()}
    </button>
  );
}
