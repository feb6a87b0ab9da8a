import type { NodeTroubleName } from '@raha/contract/admin/fleet.ts';
import { limits } from '@raha/contract/limits.ts';
import { BYTES_PER_GB } from '@raha/contract/money.ts';
import type { ProxyState } from '@raha/contract/node/openvpn-settings.ts';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { ReleaseRefusal } from '@raha/contract/node/release.ts';
import { protocols } from '@raha/contract/protocols.ts';

/**
 * Inner addresses. Every node has the same private networks, one per protocol (RFC 1918 and RFC 4193). A config's slot
 * on its node is the host part of both its addresses, whatever the protocol. Slot 0 is the network, slot 1 the node
 * itself.
 */
const networks = {
  wireguard: { prefix4: '10.64', prefix6: 'fd72:6168:6100::' },
  openvpn: { prefix4: '10.65', prefix6: 'fd72:6168:6101::' },
  ikev2: { prefix4: '10.66', prefix6: 'fd72:6168:6102::' },
} as const;
/** Of devices that reach OpenVPN over TCP: another daemon serves them, and two interfaces cannot have one network. */
const openvpnTcpNetwork = { prefix4: '10.67', prefix6: 'fd72:6168:6103::' } as const;
/** Of devices that come by OpenConnect. */
const openconnectNetwork = { prefix4: '10.68', prefix6: 'fd72:6168:6104::' } as const;
/** Of configs that use the proxy. It has no IPv6. */
const proxyPrefix4 = '10.69';
/** Where websites are, which is the point: OpenVPN over TCP shares it with one. */
export const OPENVPN_TCP_PORT = 443;
/** Protocols that this control plane can serve. */
export type ServedProtocol = keyof typeof networks;

/** The networks inside the tunnels: prefixes with their lengths. Nobody outside a tunnel can use these addresses. */
export const innerNetworks = [
  ...[...Object.values(networks), openvpnTcpNetwork, openconnectNetwork].flatMap(({ prefix4, prefix6 }) => [
    { address: `${prefix4}.0.0`, length: 16, family: 'ipv4' as const },
    { address: prefix6, length: 64, family: 'ipv6' as const },
  ]),
  { address: `${proxyPrefix4}.0.0`, length: 16, family: 'ipv4' as const },
];

const MTU = 1420;
export const FIRST_SLOT = 2;

export function isServed(protocol: string): protocol is ServedProtocol {
  return Object.hasOwn(networks, protocol);
}

export function address4Of(protocol: ServedProtocol, slot: number): string {
  if (!Number.isInteger(slot) || slot < FIRST_SLOT || slot > 65_534) throw new RangeError(`slot ${slot}`);
  return `${networks[protocol].prefix4}.${slot >> 8}.${slot & 255}`;
}

export function address6Of(protocol: ServedProtocol, slot: number): string {
  if (!Number.isInteger(slot) || slot < FIRST_SLOT || slot > 65_534) throw new RangeError(`slot ${slot}`);
  return `${networks[protocol].prefix6}${slot.toString(16)}`;
}

/** The node's own inner addresses in a protocol's network, with prefix length. */
export function nodeAddressesOf(protocol: ServedProtocol): { readonly address4: string; readonly address6: string } {
  return ownAddresses(networks[protocol]);
}

function ownAddresses({ prefix4, prefix6 }: { readonly prefix4: string; readonly prefix6: string }) {
  return { address4: `${prefix4}.0.1/16`, address6: `${prefix6}1/64` };
}

/** The DNS resolvers of devices: the node itself, inside the tunnel. */
export function resolversOf(protocol: ServedProtocol): string[] {
  return hostsOf(nodeAddressesOf(protocol));
}

function hostsOf(addresses: { readonly address4: string; readonly address6: string }): string[] {
  return [addresses.address4, addresses.address6].map((address) => address.split('/')[0] as string);
}

/** The part of a node's settings for OpenVPN over TCP beside this website. */
export function openvpnTcpOf(website: string): NonNullable<NonNullable<NodeSettings['openvpn']>['tcp']> {
  const addresses = ownAddresses(openvpnTcpNetwork);
  return { port: OPENVPN_TCP_PORT, ...addresses, resolvers: hostsOf(addresses), website };
}

/** The part of a node's settings for OpenConnect. */
export function openconnectOf(
  node: { readonly openconnect_port: number | null; readonly openconnect_udp: boolean },
  certificate: string | undefined,
): NonNullable<NodeSettings['openvpn']>['openconnect'] {
  if (node.openconnect_port === null || certificate === undefined) return undefined;
  const addresses = ownAddresses(openconnectNetwork);
  const { openconnect_port: port, openconnect_udp: udp } = node;
  return { port, udp, ...addresses, resolvers: hostsOf(addresses), certificate };
}

/** The part of a node's settings for the proxy. */
export function proxyOf(node: { readonly proxy_url: string | null }): NonNullable<NodeSettings['openvpn']>['proxy'] {
  if (node.proxy_url === null) return undefined;
  return { address4: `${proxyPrefix4}.0.1/16`, path: new URL(node.proxy_url).pathname };
}

export function nodeSettingsOf(
  node: { readonly wireguard_port: number; readonly desired_agent_sha256?: string | null },
  certified: Pick<NodeSettings, 'openvpn' | 'ikev2'> = {},
  captivePortal?: NodeSettings['captivePortal'],
  morePorts: readonly number[] = [],
  reachList?: string,
  relays?: NodeSettings['relays'],
): NodeSettings {
  const wireguard = { listenPort: node.wireguard_port, ...nodeAddressesOf('wireguard'), mtu: MTU };
  return {
    wireguard: morePorts.length > 0 ? { ...wireguard, morePorts: [...morePorts] } : wireguard,
    ...certified,
    ...(node.desired_agent_sha256 ? { agent: { sha256: node.desired_agent_sha256 } } : {}),
    ...(captivePortal ? { captivePortal } : {}),
    ...(reachList ? { reach: { list: reachList, periodMs: limits.reach.periodMs } } : {}),
    ...(relays ? { relays } : {}),
    samplePeriodMs: limits.node.samplePeriodMs,
    reportPeriodMs: limits.node.reportPeriodMs,
  };
}

interface Presence {
  readonly status: string;
  readonly seen_at: Date | null;
  readonly tunnels_up: boolean | null;
  readonly protocols: readonly string[] | null;
}

/** A node that is being retired serves its users until the end. */
const serving: readonly string[] = ['active', 'draining', 'retired'];

/** A node is online while it reports, its tunnels are up and the operator has it switched on. */
export function isOnline(node: Presence, now: Date): boolean {
  if (!serving.includes(node.status) || !node.seen_at || !node.tunnels_up) return false;
  return now.getTime() - node.seen_at.getTime() < limits.node.offlineAfterSeconds * 1000;
}

/** Whether configs of this protocol pass traffic at the node: it is online, and the protocol's daemon is up. */
export function isServing(node: Presence, protocol: string, now: Date): boolean {
  return isOnline(node, now) && (node.protocols ?? []).includes(protocol);
}

/**
 * Whether the node would take new configs, were it online: it is not being retired, and its monthly traffic is not used
 * up.
 */
export function takesConfigs(
  node: { readonly status: string; readonly capped_until: Date | null },
  now: Date,
): boolean {
  return node.status === 'active' && !(node.capped_until && node.capped_until > now);
}

/** The end of the calendar month. Providers count by month, in zones of their own; we use UTC. */
export function capEnd(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** A GB is 10⁹ bytes, as everywhere. */
export function capState(node: { readonly monthly_cap_gb: number | null }, bytes: bigint): 'none' | 'left' | 'reached' {
  if (node.monthly_cap_gb === null) return 'none';
  return bytes >= BigInt(node.monthly_cap_gb) * BigInt(BYTES_PER_GB) ? 'reached' : 'left';
}

export const LOW_DISK_SHARE = 0.1;
/** Tokens are valid for a minute: a clock that is further off has already been refused and corrected. */
export const CLOCK_TOLERANCE_MS = 5_000;
const CERTIFICATE_WARNING_DAYS = 30;

/** What a node reports of itself and the operator may have to look into. */
type Watched = Presence & {
  readonly clock_offset_ms: number | null;
  readonly disk_free_bytes: bigint | null;
  readonly disk_total_bytes: bigint | null;
  readonly capped_until: Date | null;
  readonly release_refusal: ReleaseRefusal | null;
  readonly openvpn_tcp_website: string | null;
  readonly openvpn_tcp: boolean | null;
  readonly openconnect_port: number | null;
  readonly openconnect: boolean | null;
  readonly proxy_url: string | null;
  readonly proxy: ProxyState | null;
};

/** With the words in which the command line says it. */
export interface NodeTrouble {
  readonly kind: NodeTroubleName;
  readonly sentence: string;
}

/** What the operator should look into. */
export function nodeTroubles(node: Watched, certificateEndsAt: Date | null, now: Date): NodeTrouble[] {
  const { disk_free_bytes: free, disk_total_bytes: total } = node;
  const isDiskLow = free !== null && total !== null && Number(free) < Number(total) * LOW_DISK_SHARE;
  const days = certificateEndsAt ? (certificateEndsAt.getTime() - now.getTime()) / 86_400_000 : undefined;
  const troubles: NodeTrouble[] = [];
  const add = (isSo: unknown, kind: NodeTroubleName, sentence: string) => {
    if (isSo) troubles.push({ kind, sentence });
  };
  add(node.status !== 'revoked' && node.seen_at && !isOnline(node, now), 'silent', 'does not answer');
  add(Math.abs(node.clock_offset_ms ?? 0) > CLOCK_TOLERANCE_MS, 'clock', 'its clock is wrong');
  add(isDiskLow, 'disk', 'its disk is nearly full');
  if (days !== undefined)
    add(days < CERTIFICATE_WARNING_DAYS, 'certificate', `its certificate ends in ${Math.floor(days)} days`);
  add(node.capped_until && node.capped_until > now, 'capped', "this month's traffic is used up");
  add(
    node.openvpn_tcp_website && isOnline(node, now) && !node.openvpn_tcp,
    'no_tcp',
    'it does not serve OpenVPN over TCP: does another program use port 443, or is the website unreachable?',
  );
  add(
    node.openconnect_port !== null && isOnline(node, now) && !node.openconnect,
    'no_openconnect',
    `it does not serve OpenConnect: is ocserv installed, and port ${node.openconnect_port} free?`,
  );
  if (node.proxy_url !== null && isOnline(node, now) && node.proxy !== 'served') {
    const hasEngine = node.proxy !== 'no_engine';
    add(hasEngine, 'no_proxy', 'it does not serve the proxy: its program does not run, or its agent is too old for it');
    add(!hasEngine, 'no_proxy_engine', 'it does not serve the proxy: its agent.env names no program that can be used');
  }
  if (node.release_refusal) add(true, 'release', releaseRefusalSentences[node.release_refusal]);
  return troubles;
}

const releaseRefusalSentences: Readonly<Record<ReleaseRefusal, string>> = {
  no_key: 'it trusts no release key, so it is not upgraded: set it up again with the command of "nodes token"',
  unsigned: "it refuses the offered release, which is not signed with the machine's key",
  older: 'it refuses the offered release, which is older than the one that it installed last',
  incomplete: 'it refuses the offered release, whose agent is cut short',
  changed:
    'it refuses the offered release, whose agent is not the one that was signed and asked for: "nodes upgrade" again',
};

/** Whether the node is known to run an agent other than the one whose SHA-256 is given. Versions end in `+<its beginning>`. */
export function isOtherAgent(
  node: { readonly agent_version: string | null },
  servedSha256: string | undefined,
): boolean {
  const own = node.agent_version?.split('+')[1];
  return own !== undefined && servedSha256 !== undefined && !servedSha256.startsWith(own);
}

/** The protocols that users can choose on a node: those it reports and we know, in display order. */
export function offeredProtocols(node: { readonly protocols: readonly string[] | null }): ServedProtocol[] {
  return protocols.filter(
    (protocol) => isServed(protocol) && (node.protocols ?? []).includes(protocol),
  ) as ServedProtocol[];
}

/** A certificate is renewed with this much of its lifetime left, in case the node is away for long. */
const RENEWAL_DAYS = 120;

export function isRenewalDue(endsAt: Date, now: Date): boolean {
  return endsAt.getTime() - now.getTime() < RENEWAL_DAYS * 86_400_000;
}

/** The round trip measured by a node's devices, or null if it is too old to be meaningful. */
export function freshPing(node: { readonly ping_ms: number | null; readonly pinged_at: Date | null }, now: Date) {
  if (node.ping_ms === null || !node.pinged_at) return null;
  const ageMinutes = (now.getTime() - node.pinged_at.getTime()) / 60_000;
  return ageMinutes < limits.connection.pingFreshMinutes ? Math.round(node.ping_ms * 10) / 10 : null;
}

/**
 * 0..100, higher is better: half for free capacity, half for a short round trip to its devices (100 ms and more gives
 * nothing). A node without measurements counts as the specification's usual 45 ms.
 */
export function recommendationScore(load: number, pingMs: number | null): number {
  const free = 1 - Math.min(1, Math.max(0, load));
  const near = Math.max(0, 100 - (pingMs ?? limits.connection.pingDefaultMs)) / 100;
  return Math.round((free + near) * 50);
}
