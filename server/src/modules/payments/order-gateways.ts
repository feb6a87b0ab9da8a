import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { lockSetting, readSetting, setSetting } from '../../platform/settings.ts';
import { gatewayOrder } from './settings.ts';

/** The order in which users see the gateways; those that it does not name come after it. */
export async function orderGateways(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  { actor, order }: { readonly actor: Actor; readonly order: readonly GatewayName[] },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockSetting(tx, gatewayOrder.key);
    const before = await readSetting(tx, gatewayOrder);
    await setSetting(tx, gatewayOrder, JSON.stringify(order), deps.clock.now());
    const changed = { order: [before.join(' '), order.join(' ')] } as const;
    const target = { kind: 'setting', id: gatewayOrder.key } as const;
    await deps.audit.record(tx, actor, { action: 'gateways.order', target, changed });
  });
}
