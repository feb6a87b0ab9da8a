import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Gateway } from './gateway.ts';
import { getGatewayHealth } from './gateway-health.ts';
import { listOfferedGateways } from './offered-gateways.ts';
import { gatewaySwitches } from './settings.ts';

/** Every gateway as the operator sees it: those offered to users first, in the operator's order. */
export async function listGateways(deps: {
  readonly db: Executor;
  readonly clock: Clock;
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
}) {
  const { db, clock, gateways } = deps;
  const offered = (await listOfferedGateways(deps)).map(({ name }) => name);
  const health = await getGatewayHealth(db, clock.now());
  return await Promise.all(
    [...new Set([...offered, ...paymentGateways])].map(async (name) => ({
      name,
      configured: gateways.has(name),
      test: gateways.get(name)?.test ?? false,
      switch: await getSetting(db, gatewaySwitches[name]),
      offered: offered.includes(name),
      health: health(name),
    })),
  );
}
