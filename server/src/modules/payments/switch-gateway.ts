import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { setSetting } from '../../platform/settings.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { type GatewaySwitch, gatewaySwitches } from './settings.ts';

/** Offers a gateway to users, or stops offering it. Payments that were started are confirmed in any case. */
export async function switchGateway(
  deps: { readonly db: Executor; readonly clock: Clock; readonly log: Log },
  { actor, name, value }: { readonly actor: Actor; readonly name: GatewayName; readonly value: GatewaySwitch },
): Promise<void> {
  await setSetting(deps.db, gatewaySwitches[name], value, deps.clock.now());
  logAction(deps, actor, 'gateways.switch', { gateway: name, value });
}
