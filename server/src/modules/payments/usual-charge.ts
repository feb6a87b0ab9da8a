import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { UsualCharge } from '@raha/contract/public/wallet.ts';
import type { Executor } from '../../platform/database.ts';
import { findOfferedGateway } from './offered-gateways.ts';
import { selectLastCompleted } from './tables.ts';

type Deps = Parameters<typeof findOfferedGateway>[0] & { readonly db: Executor };

/** The amount and the gateway of the user's last completed payment. */
export async function readUsualCharge(deps: Deps, userId: string, locale: Locale): Promise<UsualCharge> {
  const last = await selectLastCompleted(deps.db, userId);
  if (!last) return null;
  const gateway = await findOfferedGateway(deps, last.gateway);
  return {
    amount: toWire(last.amount_toman),
    gateway: gateway ? { name: gateway.name, title: gateway.title[locale] } : null,
  };
}
