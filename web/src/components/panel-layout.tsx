import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { Gift, Handshake, KeyRound, Layers, LayoutDashboard, ReceiptText, UserRound, Wallet } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { now } from '../api/clock.ts';
import { hasService } from '../api/session.ts';
import { useHistoryEntry } from '../routes/navigation.ts';
import { startServiceWorker } from '../start-service-worker.ts';
import { m } from '../text/generated/messages.js';
import { followDevice } from '../ui/theme-choice.ts';
import { Arriving } from './arriving.tsx';
import { CutBanner } from './cut-banner.tsx';
import { cutTitle } from './cut-title.ts';
import type { NavItem } from './nav-item.ts';
import { BottomNav, Sidebar } from './panel-nav.tsx';
import { Topbar } from './topbar.tsx';
import { useAutoConnect } from './use-auto-connect.ts';
import { useConnectionToasts } from './use-connection-toasts.ts';
import { useMe } from './use-me.ts';
import { useRealtime } from './use-realtime.ts';
import { VerifyBanner } from './verify-banner.tsx';

export default function PanelLayout({ children }: { children: ReactNode }) {
  const live = useRealtime();
  const me = useMe();
  const isServed = hasService(me, now());
  // A tunnel that is up while the service is cut connects nobody to anything.
  useConnectionToasts(isServed && me?.service?.state !== 'cut');
  useAutoConnect(isServed);
  useEffect(followDevice, []);
  useEffect(startServiceWorker, []);
  const pathname = useHistoryEntry().pathname;
  // The first screen has nothing to fade in from.
  const [first] = useState(pathname);
  const cut = cutTitle(me?.service);
  const items = useMemo(() => navItems(me?.isActivated ?? false), [me?.isActivated]);
  return (
    <div className="flex max-w-[1440px] mx-auto">
      <a href="#main" className="btn btn-primary btn-sm fixed top-3 start-3 z-50 not-focus:sr-only">
        {m.skip_to_content()}
      </a>
      <Arriving />
      <Sidebar items={items} me={me} live={live} />
      <div className="flex-1 min-w-0 px-4 sm:px-8 pb-28 tablet:pb-12">
        {me && <Topbar me={me} live={live} />}
        <main id="main" tabIndex={-1}>
          {me && !me.isEmailVerified && <VerifyBanner email={me.email} />}
          {me && cut && !saysItself.includes(pathname) && <CutBanner title={cut} isActivated={me.isActivated} />}
          <div key={pathname} className={pathname === first ? undefined : '[animation:fade_.18s_both]'}>
            {children}
          </div>
        </main>
      </div>
      {/* The button that pays takes its place. */}
      {pathname !== paths.charge && <BottomNav items={items} me={me} live={live} />}
    </div>
  );
}

/** These have a card for a service that is cut. */
const saysItself: readonly string[] = [paths.dashboard, paths.charge];

/** The sections of the panel; activation disappears once it is done. */
function navItems(isActivated: boolean): readonly NavItem[] {
  const items: NavItem[] = [
    { to: paths.dashboard, label: m.nav_dashboard(), icon: LayoutDashboard },
    { to: paths.configs, label: m.nav_configs(), icon: KeyRound },
    { to: paths.wallet, label: m.nav_wallet(), icon: Wallet },
    { to: paths.payments, label: m.nav_payments(), icon: ReceiptText },
  ];
  // Plans are paid from the wallet, which comes with activation.
  if (isActivated) items.push({ to: paths.plans, label: m.nav_plans(), icon: Layers });
  else items.push({ to: paths.activation, label: m.nav_activation(), icon: Gift });
  items.push(
    { to: paths.upgrade, label: m.nav_upgrade(), icon: Handshake },
    { to: paths.profile, label: m.nav_profile(), icon: UserRound },
  );
  return items;
}
