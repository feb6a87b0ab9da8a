import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { version } from '@raha/contract/version.ts';
import { Ellipsis } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link } from '../routes/link.tsx';
import { useHistoryEntry } from '../routes/navigation.ts';
import { m } from '../text/generated/messages.js';
import { brandName } from '../text/site-values.ts';
import { InstallButton } from './install-button.tsx';
import { LogOutButton } from './log-out-button.tsx';
import { Logo } from './logo.tsx';
import type { NavItem } from './nav-item.ts';
import { UserBlock } from './user-block.tsx';

/** Beside the page: on a tablet a narrow rail, as everything in it must leave room for the page; below that the bar at the foot. */
export function Sidebar({ items, me, live }: { items: readonly NavItem[]; me: User | undefined; live: boolean }) {
  return (
    <aside className="hidden tablet:flex flex-col w-24 lg:w-64 shrink-0 h-dvh sticky top-0 overflow-y-auto border-e border-line px-2 lg:px-4 py-5">
      <a
        href={paths.landing}
        aria-label={m.home_of_brand({ brand: brandName() })}
        className="px-3 py-1 self-center lg:self-start max-lg:[&_b]:hidden"
      >
        <Logo name={brandName()} />
      </a>
      <nav className="mt-5 lg:mt-7 grid gap-1" aria-label={m.nav_label()}>
        {items.map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} className={`group ${sideClass}`}>
            <Icon className="size-5 text-text-3 group-aria-[current=page]:text-accent" aria-hidden />
            {label}
          </Link>
        ))}
      </nav>
      <div className="mt-auto pt-4 grid grid-cols-[minmax(0,1fr)]">
        <InstallButton className="flex items-center gap-3 w-full min-h-11 px-3 rounded-md text-sm text-text-2 hover:text-text cursor-pointer max-lg:hidden" />
        {me && (
          <div className="max-lg:hidden">
            <UserBlock me={me} live={live} />
          </div>
        )}
        <LogOutButton className="icon-btn justify-self-center lg:hidden" />
      </div>
      <p className="mt-2 px-3 max-lg:px-0 max-lg:text-center text-xs text-text-3">
        {m.version()} <bdi dir="ltr">{version}</bdi>
      </p>
    </aside>
  );
}

/** The first four sections are in the bar; the others are behind «more». */
const WITHIN_REACH = 4;
const loadMore = () => import('./more-sheet.tsx');
const MoreSheet = lazy(loadMore);

export function BottomNav({ items, me, live }: { items: readonly NavItem[]; me: User | undefined; live: boolean }) {
  const [open, setOpen] = useState(false);
  const pathname = useHistoryEntry().pathname;
  // Closes the sheet after any of its links.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new screen is what closes it
  useEffect(() => setOpen(false), [pathname]);
  const more = items.slice(WITHIN_REACH);
  const isInMore = more.some(({ to }) => pathname.startsWith(to));
  return (
    <nav
      aria-label={m.nav_label()}
      className="tablet:hidden fixed inset-x-0 bottom-0 z-30 bg-surface border-t border-line flex px-2 pb-[env(safe-area-inset-bottom)]"
    >
      {items.slice(0, WITHIN_REACH).map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} className={`group ${itemClass}`}>
          <Icon className="size-6 group-aria-[current=page]:text-accent" aria-hidden />
          {label}
        </Link>
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-current={isInMore ? 'page' : undefined}
        className={`group ${itemClass}`}
        onPointerEnter={() => void loadMore()}
        onFocus={() => void loadMore()}
        onClick={() => setOpen(true)}
      >
        <Ellipsis className="size-6 group-aria-[current=page]:text-accent" aria-hidden />
        {m.nav_more()}
      </button>
      {open && (
        <Suspense>
          <MoreSheet items={more} me={me} live={live} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </nav>
  );
}

const sideClass =
  'flex max-lg:flex-col max-lg:justify-center items-center gap-1 lg:gap-3 rounded-md px-1 lg:px-3 min-h-14 lg:min-h-0 lg:h-11 max-lg:text-center text-xs lg:text-[.9375rem] font-medium text-text-2 hover:text-text aria-[current=page]:bg-surface aria-[current=page]:font-bold aria-[current=page]:text-text aria-[current=page]:[box-shadow:var(--edge),var(--shadow-1)]';
const itemClass =
  'flex-1 flex flex-col items-center justify-center gap-0.5 h-16 text-xs font-medium text-text-3 aria-[current=page]:font-bold aria-[current=page]:text-text';
