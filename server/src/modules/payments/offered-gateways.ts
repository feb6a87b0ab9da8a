import type { Locale } from '@raha/contract/locale.ts';
import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import type { PaymentGateway } from '@raha/contract/public/payments.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Gateway } from './gateway.ts';
import { getGatewayHealth } from './gateway-health.ts';
import { findHold } from './hold.ts';
import { gatewayOrder, gatewaySwitches } from './settings.ts';

interface Deps {
  readonly db: Executor;
  readonly clock: Clock;
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
}

/**
 * The gateways that users may pay with now, in the operator's order. Gateways that are off still verify payments
 * already started. While payments are held there is none.
 */
export async function listOfferedGateways(deps: Deps): Promise<Gateway[]> {
  if (await findHold(deps.db)) return [];
  const wanted = await getSetting(deps.db, gatewayOrder);
  const order = [...new Set([...wanted, ...paymentGateways])];
  const offered = await Promise.all(
    order.map(async (name) => {
      const gateway = deps.gateways.get(name);
      return gateway && (await isOn(deps.db, gateway)) ? gateway : undefined;
    }),
  );
  return offered.filter((gateway) => gateway !== undefined);
}

export async function describeGateways(deps: Deps, locale: Locale): Promise<PaymentGateway[]> {
  const health = await getGatewayHealth(deps.db, deps.clock.now());
  return (await listOfferedGateways(deps)).map(({ name, title, test }) => ({
    name,
    title: title[locale],
    test,
    health: health(name),
  }));
}

/** Undefined if it is not configured or switched off, or payments are held. */
export async function findOfferedGateway(deps: Deps, name: GatewayName): Promise<Gateway | undefined> {
  if (await findHold(deps.db)) return undefined;
  const gateway = deps.gateways.get(name);
  return gateway && (await isOn(deps.db, gateway)) ? gateway : undefined;
}

/** By default a gateway is on, except IDPay with a real key, because its service is reported to have stopped. */
async function isOn(db: Executor, gateway: Gateway): Promise<boolean> {
  const wanted = await getSetting(db, gatewaySwitches[gateway.name]);
  return wanted === 'on' || (wanted === 'auto' && (gateway.test || gateway.name !== 'idpay'));
}
