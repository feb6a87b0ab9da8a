import { screen } from '@raha/contract/screen-timings.ts';
import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { isLeaving } from '../api/leave.ts';
import { notificationsQuery } from '../api/queries.ts';
import { number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { usePainted } from '../ui/use-painted.ts';

const loadPanel = () => import('./notification-panel.tsx');
const NotificationPanel = lazy(loadPanel);

/** Button with the number of unread notifications; opens the list. */
export function Bell() {
  const [open, setOpen] = useState(false);
  const painted = usePainted();
  // An early press begins the request; the end of painting must not repeat it. Once signing out has begun, there is none.
  const enabled = (painted || open) && !isLeaving();
  const unread = useQuery({ ...notificationsQuery, enabled }).data?.unreadCount ?? 0;
  const button = useRef<HTMLButtonElement>(null);
  const label = unread > 0 ? m.notifications_unread({ count: number(unread) }) : m.notifications_title();
  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-btn relative shrink-0"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={label}
        title={m.notifications_title()}
        onPointerEnter={() => void loadPanel()}
        onFocus={() => void loadPanel()}
        onClick={() => setOpen(!open)}
      >
        <BellIcon className="size-5" aria-hidden />
        {unread > 0 && (
          <span
            aria-hidden
            data-testid="unread"
            dir="ltr"
            className="absolute top-0.5 end-0.5 grid place-items-center min-w-5 h-5 px-1 rounded-full bg-danger text-bg text-xs font-bold leading-none"
          >
            {badgeOf(unread)}
          </span>
        )}
      </button>
      {open && button.current && (
        <Suspense>
          <NotificationPanel anchor={button.current} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function badgeOf(unread: number): string {
  const { unreadBadgeMax: badgeMax } = screen;
  return unread > badgeMax ? m.notifications_badge_more({ count: number(badgeMax) }) : number(unread);
}
