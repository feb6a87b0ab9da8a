import { type GatewayName, limits } from '@raha/contract/limits.ts';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Gateway } from '../payments/gateway.ts';
import { listOfferedGateways } from '../payments/offered-gateways.ts';
import { reachableHosts } from './settings.ts';

export interface CutOffDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
}

/**
 * Where nodes lead people whose money is spent, and what they let them reach: the panel, the pages of the gateways that
 * are on, and the banks behind them. Nodes learn of a change with the next change of their wanted state.
 */
export async function readCutOff(deps: CutOffDeps): Promise<NonNullable<NodeSettings['captivePortal']>> {
  const pages = (await listOfferedGateways(deps)).flatMap((gateway) => gateway.pages());
  const banks = await getSetting(deps.db, reachableHosts);
  const places = [deps.publicUrl, ...pages, ...banks.map((host) => `https://${host}`)].flatMap(placesOf);
  const topUpUrl = `${deps.publicUrl}/user/wallet/charge`;
  return { topUpUrl, walledGarden: [...new Set(places)].slice(0, limits.node.maxWalledGardenHosts) };
}

/** Of a site with a certificate the plain port too: it is there that a name typed by hand begins. */
function placesOf(address: string): string[] {
  const { protocol, hostname, port } = new URL(address);
  if (port) return [`${hostname}:${port}`];
  return protocol === 'https:' ? [`${hostname}:443`, `${hostname}:80`] : [`${hostname}:80`];
}
