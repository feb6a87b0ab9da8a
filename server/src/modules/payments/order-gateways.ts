import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { setSetting } from '../../platform/settings.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { gatewayOrder } from './settings.ts';

/** The order in which users see the gateways; those that it does not name come after it. */
export async function orderGateways(
  deps: { readonly db: Executor; readonly clock: Clock; readonly log: Log },
  { actor, order }: { readonly actor: Actor; readonly order: readonly GatewayName[] },
): Promise<void> {
  await setSetting(deps.db, gatewayOrder, JSON.stringify(order), deps.clock.now());
  logAction(deps, actor, 'gateways.order', { order });
}
