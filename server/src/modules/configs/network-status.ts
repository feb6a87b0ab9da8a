import { BlockList, isIP, isIPv4 } from 'node:net';
import type { networkStatus } from '@raha/contract/public/network.ts';
import type * as z from 'zod/mini';
import { plainAddress } from '../../platform/plain-address.ts';
import type { User } from '../accounts/users.ts';
import { listNodes, type Node } from '../fleet/nodes.ts';
import { innerNetworks } from '../fleet/rules.ts';
import { readConnection } from './connection-state.ts';
import type { ConfigDeps } from './create-config.ts';

/** What open databases know about an address; null: unknown. */
export interface Surroundings {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly city: string | null;
  /** The network's operator. */
  readonly isp: string | null;
}

export interface GeoDatabase {
  find(address: string): Promise<Surroundings>;
}

type Status = z.input<typeof networkStatus>;

/**
 * How the internet sees a user now, judged by their request alone. A request from the public address of one of our
 * nodes, or from inside a tunnel, is protected; the user's own address is then unknown here, and not needed. Neither
 * the address nor anything found about it is stored or logged.
 */
export async function readNetworkStatus(
  deps: ConfigDeps & { readonly geo: GeoDatabase },
  user: User,
  requestAddress: string,
): Promise<Status> {
  const address = plainAddress(requestAddress);
  const nodes = (await listNodes(deps.db)).filter((node) => node.status !== 'revoked');
  const exit = nodes.find((node) => isExitOf(node, address));
  if (exit) return protectedBy(exit, address, (await deps.geo.find(address)).isp);
  if (isInner(address)) {
    const current = (await readConnection(deps, user)).currentConfig?.server.id;
    const node = nodes.find(({ id }) => id === current);
    return protectedBy(node, node?.exit_ipv4 ?? null, null);
  }
  const { country, city, isp } = await deps.geo.find(address);
  const location = { country, city };
  return { realIp: isIP(address) === 0 ? null : address, vpnIp: null, isProtected: false, location, isp, server: null };
}

function protectedBy(node: Node | undefined, vpnIp: string | null, isp: string | null): Status {
  return {
    realIp: null,
    vpnIp,
    isProtected: true,
    location: { country: node?.country ?? null, city: node?.city ?? null },
    isp,
    server: node ? { id: node.id, name: node.name } : null,
  };
}

/** A node on this same machine connects over loopback, and so do all its users; loopback proves nothing. */
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const inner = new BlockList();
for (const { address, length, family } of innerNetworks) inner.addSubnet(address, length, family);

function isExitOf(node: Node, address: string): boolean {
  if (isIP(address) === 0 || has(loopback, address)) return false;
  const exits = new BlockList();
  for (const exit of [node.exit_ipv4, node.exit_ipv6, node.address]) {
    if (exit && isIP(exit) !== 0) exits.addAddress(exit, isIPv4(exit) ? 'ipv4' : 'ipv6');
  }
  return has(exits, address);
}

function isInner(address: string): boolean {
  return isIP(address) !== 0 && has(inner, address);
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
