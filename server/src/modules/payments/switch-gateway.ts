import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { lockSetting, readSetting, setSetting } from '../../platform/settings.ts';
import { type GatewaySwitch, gatewaySwitches } from './settings.ts';

/** Offers a gateway to users, or stops offering it. Payments that were started are confirmed in any case. */
export async function switchGateway(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  { actor, name, value }: { readonly actor: Actor; readonly name: GatewayName; readonly value: GatewaySwitch },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const setting = gatewaySwitches[name];
    await lockSetting(tx, setting.key);
    const before = await readSetting(tx, setting);
    await setSetting(tx, setting, value, deps.clock.now());
    const target = { kind: 'setting', id: setting.key } as const;
    await deps.audit.record(tx, actor, { action: 'gateways.switch', target, changed: { [name]: [before, value] } });
  });
}
