import type { Locale } from '@raha/contract/locale.ts';
import type { Activity } from '@raha/contract/public/dashboard.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { type Executor, readRows } from '../../platform/database.ts';
import type { LastCharge } from '../payments/usual-charge.ts';
import { toNewestLines, toTransaction } from '../wallet/wallet-lines.ts';
import { type EventRow, events } from './tables.ts';

const titles = {
  sign_in: { fa: (device: string) => `ورود با ${device}`, en: (device: string) => `Signed in with ${device}` },
  config_created: { fa: (name: string) => `ساخت کانفیگ «${name}»`, en: (name: string) => `Config “${name}” created` },
  config_deleted: { fa: (name: string) => `حذف کانفیگ «${name}»`, en: (name: string) => `Config “${name}” deleted` },
};

/**
 * Recent activity on an account: sign-ins, configs, money. Newest first; read from existing tables, without a log. And the
 * newest lines of the wallet, which are among it, and the last charge.
 */
export interface Recent {
  readonly activities: Activity[];
  readonly lines: WalletTransaction[];
  readonly lastCharge: LastCharge | undefined;
}

export async function listActivity(db: Executor, userId: string, limit: number, locale: Locale): Promise<Recent> {
  return describeRecent(await readRows(db, events({ userId, limit })), limit, locale);
}

/** From the rows of `events`. */
export function describeRecent(found: readonly EventRow[], limit: number, locale: Locale): Recent {
  const last = found.find((event) => event.source === 'last_charge');
  const money = toNewestLines(
    found.filter((event) => event.source === 'wallet'),
    limit,
  );
  const others = found.filter((event) => event.source !== 'last_charge' && event.source !== 'wallet');
  const activities = [...others, ...money]
    .map((event) => describe(event, locale))
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id))
    .slice(0, limit);
  return {
    activities,
    lastCharge: last && { gateway: last.detail, amount_toman: last.amount },
    lines: money.map((event) => toTransaction(event, locale)),
  };
}

function describe(event: Exclude<EventRow, { source: 'last_charge' }>, locale: Locale): Activity {
  const created_at = event.at.toISOString();
  if (event.source === 'wallet') {
    const { id, description, amount } = toTransaction(event, locale);
    return { id, type: 'wallet', title: description, amount, created_at };
  }
  const { id, source: type, name } = event;
  const shownId = type === 'sign_in' ? id : `${id}-${type}`;
  return { id: shownId, type, title: titles[type][locale](name), amount: null, created_at };
}
