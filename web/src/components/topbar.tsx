import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Moon, Plus, RefreshCw, Sun, Wallet } from 'lucide-react';
import { useState } from 'react';
import { now } from '../api/clock.ts';
import { Link } from '../routes/link.tsx';
import { longDay, number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { Button } from '../ui/button.tsx';
import { toggleTheme } from '../ui/theme.ts';
import { AccountButton } from './account-button.tsx';
import { Bell } from './bell.tsx';
import { Presence } from './presence.tsx';
import { refreshBalance } from './refresh-balance.ts';
import { roleName } from './role-name.ts';
import { useLost } from './use-online.ts';

export function Topbar({ me, live }: { me: User; live: boolean }) {
  const name = me.fullName || me.name || me.email;
  const isLost = useLost();
  return (
    <header className="flex items-center gap-2 sm:gap-3 min-h-18 sm:min-h-20 py-2">
      <div className="me-auto min-w-0">
        {/* One line high and aligned to the last line: if both do not fit, the name stays and the greeting is hidden. */}
        <p className="flex flex-wrap content-end gap-x-[.3em] h-[1lh] overflow-hidden text-lg sm:text-xl font-black leading-snug">
          <span>{m.greeting()}</span> <bdi className="truncate">{firstName(name)}</bdi>
        </p>
        <p className="flex items-center gap-2 text-xs sm:text-sm text-text-3">
          <span className="badge bg-surface-2 text-text-2 max-sm:hidden" data-testid="role">
            {roleName(me)}
          </span>
          <Presence live={live} service={me.service} />
          {/* A phone has no room for the day beside it. */}
          <span className="truncate max-sm:hidden">{longDay(new Date(now()))}</span>
        </p>
      </div>
      {/* Without network nobody knows what it is now. */}
      {!isLost && <BalanceChip balance={me.balance} canCharge={me.isActivated} />}
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

/** Charging comes with activation: before it there is no way that would only refuse. */
function BalanceChip({ balance, canCharge }: { balance: number; canCharge: boolean }) {
  return (
    <div className="flex items-center rounded-full bg-surface h-11 text-sm font-bold shrink-0 [box-shadow:var(--edge)]">
      <Link
        to={paths.wallet}
        aria-label={m.balance_label({ amount: number(balance) })}
        className={`flex items-center gap-2 sm:gap-2.5 h-11 ps-3.5 sm:ps-4 whitespace-nowrap ${canCharge ? 'pe-2 rounded-s-full' : 'pe-3.5 sm:pe-2 rounded-full'}`}
      >
        <Wallet className="size-4 text-text-3 max-sm:hidden" aria-hidden />
        <span data-testid="balance">
          {number(balance)} <span className="text-[.8em] font-medium text-text-3">{m.toman_unit()}</span>
        </span>
      </Link>
      <RefreshButton />
      {canCharge && (
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
      )}
    </div>
  );
}

/** Reloads the balance, which also updates by itself. On phones it is in the sheet behind «more». */
function RefreshButton() {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const refresh = async () => {
    setBusy(true);
    await refreshBalance(queries).finally(() => setBusy(false));
  };
  return (
    <Button
      className="grid place-items-center size-11 -mx-1 rounded-full text-text-3 hover:text-text max-sm:hidden"
      busy={busy}
      aria-label={m.refresh_balance()}
      title={m.refresh_balance()}
      onClick={() => void refresh()}
    >
      <RefreshCw className={`size-4 ${busy ? 'animate-spin' : ''}`} aria-hidden />
    </Button>
  );
}

/** A greeting uses the first name only; a very long single name is cut by the layout. */
function firstName(name: string): string {
  return name.trim().split(/\s+/)[0] ?? name;
}
