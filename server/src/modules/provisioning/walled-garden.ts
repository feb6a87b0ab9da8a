import { limits } from '@raha/contract/limits.ts';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Gateway } from '../payments/gateway.ts';
import { listOfferedGateways } from '../payments/offered-gateways.ts';
import { reachableHosts } from './settings.ts';

export interface WalledGardenDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
}

/**
 * What a config whose quota is exceeded may still reach: the panel, the payment pages of the gateways that are on, and
 * the banks behind them; and where the captive portal sends its user. Nodes learn of a change with the next change of
 * their desired state.
 */
export async function readWalledGarden(deps: WalledGardenDeps): Promise<NonNullable<NodeSettings['captivePortal']>> {
  const pages = (await listOfferedGateways(deps)).flatMap((gateway) => gateway.pages());
  const bankHosts = await getSetting(deps.db, reachableHosts);
  const endpoints = [deps.publicUrl, ...pages, ...bankHosts.map((host) => `https://${host}`)].flatMap(endpointsOf);
  const topUpUrl = `${deps.publicUrl}${panelPaths.charge}`;
  return { topUpUrl, walledGarden: [...new Set(endpoints)].slice(0, limits.node.maxWalledGardenHosts) };
}

/** Includes port 80 of HTTPS sites: browsers open a typed name there first. */
function endpointsOf(address: string): string[] {
  const { protocol, hostname, port } = new URL(address);
  if (port) return [`${hostname}:${port}`];
  return protocol === 'https:' ? [`${hostname}:443`, `${hostname}:80`] : [`${hostname}:80`];
}
