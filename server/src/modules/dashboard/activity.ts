import type { Locale } from '@raha/contract/locale.ts';
import type { Activity } from '@raha/contract/public/dashboard.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import type { Executor } from '../../platform/database.ts';
import { listConfigEvents } from '../configs/list-configs.ts';
import { listSignIns } from '../sessions/list-sign-ins.ts';
import { listWalletLines } from '../wallet/wallet-lines.ts';

const titles = {
  sign_in: { fa: (device: string) => `ورود با ${device}`, en: (device: string) => `Signed in with ${device}` },
  config_created: { fa: (name: string) => `ساخت کانفیگ «${name}»`, en: (name: string) => `Config “${name}” created` },
  config_deleted: { fa: (name: string) => `حذف کانفیگ «${name}»`, en: (name: string) => `Config “${name}” deleted` },
};

/** Recent activity on an account: sign-ins, configs, money. Newest first; read from existing tables, without a log. */
export async function listActivity(
  db: Executor,
  userId: string,
  limit: number,
  locale: Locale,
  /** The newest lines of the wallet, `limit` of them, if they were read already. */
  known?: readonly WalletTransaction[],
): Promise<Activity[]> {
  const signIns = (await listSignIns(db, userId, limit)).map(
    ({ id, device, created_at }): Activity => ({
      id,
      type: 'sign_in',
      title: titles.sign_in[locale](device),
      amount: null,
      created_at: created_at.toISOString(),
    }),
  );
  const configs = (await listConfigEvents(db, userId, limit)).map(({ id, name, deleted, at }): Activity => {
    const type = deleted ? 'config_deleted' : 'config_created';
    return { id: `${id}-${type}`, type, title: titles[type][locale](name), amount: null, created_at: at.toISOString() };
  });
  const lines = (known ?? (await listWalletLines(db, userId, { number: 1, size: limit }, locale))).map(
    ({ id, description, amount, created_at }): Activity => ({
      id,
      type: 'wallet',
      title: description,
      amount,
      created_at,
    }),
  );
  return [...signIns, ...configs, ...lines]
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id))
    .slice(0, limit);
}
