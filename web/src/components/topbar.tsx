import type { User } from '@raha/contract/public/auth.ts';
import { Link } from '@tanstack/react-router';
import { Moon, Plus, Sun, Wallet } from 'lucide-react';
import { now } from '../api/clock.ts';
import { paths } from '../paths.ts';
import { longDay, number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { toggleTheme } from '../ui/theme.ts';
import { AccountButton } from './account-button.tsx';
import { Bell } from './bell.tsx';

export function Topbar({ me }: { me: User }) {
  const name = me.fullName || me.name || me.email;
  return (
    <header className="flex items-center gap-2 sm:gap-3 min-h-18 sm:min-h-20 py-2">
      <div className="me-auto min-w-0">
        <p className="text-lg sm:text-xl font-black leading-snug truncate">
          {m.greeting()} <bdi>{firstName(name)}</bdi>
        </p>
        <p className="text-xs sm:text-sm text-text-3 truncate">{longDay(new Date(now()))}</p>
      </div>
      <BalanceChip balance={me.balance} />
      <button
        type="button"
        className="icon-btn max-sm:hidden"
        aria-label={m.toggle_theme()}
        title={m.toggle_theme()}
        onClick={toggleTheme}
      >
        <Sun className="size-5 hidden dark:block" aria-hidden />
        <Moon className="size-5 dark:hidden" aria-hidden />
      </button>
      <Bell />
      <AccountButton name={name} me={me} />
    </header>
  );
}

function BalanceChip({ balance }: { balance: number }) {
  return (
    <div className="flex items-center rounded-full bg-surface h-11 text-sm font-bold shrink-0 [box-shadow:var(--edge)]">
      <Link
        to={paths.wallet}
        aria-label={m.balance_label({ amount: number(balance) })}
        className="flex items-center gap-2 sm:gap-2.5 h-11 ps-3.5 sm:ps-4 pe-2 rounded-s-full whitespace-nowrap"
      >
        <Wallet className="size-4 text-text-3 max-sm:hidden" aria-hidden />
        <span data-testid="balance">
          {number(balance)} <span className="text-[.8em] font-medium text-text-3">{m.toman_unit()}</span>
        </span>
      </Link>
      <Link
        to={paths.charge}
        aria-label={m.charge_wallet()}
        title={m.charge_wallet()}
        className="grid place-items-center size-11 -ms-1 rounded-e-full"
      >
        <span className="grid place-items-center size-8 rounded-full bg-accent-soft text-accent">
          <Plus className="size-4" aria-hidden />
        </span>
      </Link>
    </div>
  );
}

/** A greeting uses the first name only; a very long single name is cut by the layout. */
function firstName(name: string): string {
  return name.trim().split(/\s+/)[0] ?? name;
}
