import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { UsualCharge } from '@raha/contract/public/wallet.ts';
import type { Executor } from '../../platform/database.ts';
import { findOfferedGateway } from './offered-gateways.ts';
import { type LastCharge, lastChargeOf, selectLastCharge } from './tables.ts';

export { type LastCharge, lastChargeOf };

type Deps = Parameters<typeof findOfferedGateway>[0] & { readonly db: Executor };

/** The amount and the gateway of the user's last completed payment. */
export async function readUsualCharge(deps: Deps, userId: string, locale: Locale): Promise<UsualCharge> {
  return await describeUsualCharge(deps, await selectLastCharge(deps.db, userId), locale);
}

export async function describeUsualCharge(
  deps: Deps,
  last: LastCharge | undefined,
  locale: Locale,
): Promise<UsualCharge> {
  if (!last) return null;
  const gateway = await findOfferedGateway(deps, last.gateway);
  return {
    amount: toWire(last.amount_toman),
    gateway: gateway ? { name: gateway.name, title: gateway.title[locale] } : null,
  };
}
