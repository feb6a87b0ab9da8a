import { limits } from '@raha/contract/limits.ts';
import { Link } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { paths } from '../paths.ts';
import { m } from '../text/generated/messages.js';
import { brandName } from '../text/site-values.ts';
import { Logo } from './logo.tsx';

export interface NavItem {
  readonly to:
    | typeof paths.dashboard
    | typeof paths.configs
    | typeof paths.wallet
    | typeof paths.payments
    | typeof paths.plans
    | typeof paths.activation;
  readonly label: string;
  readonly icon: LucideIcon;
}

export function Sidebar({ items }: { items: readonly NavItem[] }) {
  return (
    <aside className="hidden lg:flex flex-col w-64 shrink-0 h-dvh sticky top-0 border-e border-line px-4 py-5">
      <a href={paths.landing} aria-label={m.home_of_brand({ brand: brandName() })} className="px-3 py-1 self-start">
        <Logo name={brandName()} />
      </a>
      <nav className="mt-7 grid gap-1" aria-label={m.nav_label()}>
        {items.map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className="group flex items-center gap-3 rounded-md px-3 h-11 text-[.9375rem] font-medium text-text-2 hover:text-text aria-[current=page]:bg-surface aria-[current=page]:font-bold aria-[current=page]:text-text aria-[current=page]:[box-shadow:var(--edge),var(--shadow-1)]"
          >
            <Icon className="size-5 text-text-3 group-aria-[current=page]:text-accent" aria-hidden />
            {label}
          </Link>
        ))}
      </nav>
      <p className="mt-auto px-3 text-xs text-text-3">
        {m.version()} <bdi dir="ltr">{limits.appVersion}</bdi>
      </p>
    </aside>
  );
}

export function BottomNav({ items }: { items: readonly NavItem[] }) {
  return (
    <nav
      aria-label={m.nav_label()}
      className="lg:hidden fixed inset-x-0 bottom-0 z-30 bg-surface border-t border-line flex px-2 pb-[env(safe-area-inset-bottom)]"
    >
      {items.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className="group flex-1 flex flex-col items-center justify-center gap-0.5 h-16 text-xs font-medium text-text-3 aria-[current=page]:font-bold aria-[current=page]:text-text"
        >
          <Icon className="size-6 group-aria-[current=page]:text-accent" aria-hidden />
          {label}
        </Link>
      ))}
    </nav>
  );
}
