import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { readSetting, setSetting } from '../../platform/settings.ts';
import { type GatewaySwitch, gatewaySwitches } from './settings.ts';

/** Offers a gateway to users, or stops offering it. Payments that were started are confirmed in any case. */
export async function switchGateway(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  { actor, name, value }: { readonly actor: Actor; readonly name: GatewayName; readonly value: GatewaySwitch },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const before = await readSetting(tx, gatewaySwitches[name]);
    await setSetting(tx, gatewaySwitches[name], value, deps.clock.now());
    await deps.audit.record(tx, actor, { action: 'gateways.switch', changed: { [name]: [before, value] } });
  });
}
