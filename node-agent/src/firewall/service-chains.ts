import { MARK_RULES } from './packet-marks.ts';
import { ENGINE_HOST } from './slot.ts';
import { POLICY_SETS } from './slot-policies.ts';

/**
 * What the node answers inside the tunnels, and what a device can still reach when its quota is exceeded:
 *
 * - `raha_redirect` sends DNS queries to the node's resolver, and the web traffic of exceeded slots to the captive portal;
 * - `raha_services` lets both in;
 * - `raha_walled_garden_*` lets exceeded slots through to the panel and the banks.
 *
 * None of this passes the sets `up` and `down`, so nobody pays for it, and all of it is limited per slot.
 */
export interface NodeServices {
  /** The node's addresses in the WireGuard network, on which it answers devices of every protocol. */
  readonly address4: string;
  readonly address6: string;
  /** False: DNS queries go to a public resolver, like other traffic. */
  readonly hasResolver: boolean;
}

/** Ports on the node's inner addresses. Devices cannot use them directly; their packets are redirected. */
export const PORTS = { resolver: 5301, filteringResolver: 5302, portal: 5380 } as const;

const PUBLIC_RESOLVER = ['1.1.1.1', '2606:4700:4700::1111'] as const;

/** Free traffic of a slot whose quota is exceeded: one load of the panel at once, then a trickle, within an hourly limit. */
const EXEMPT = { rate: '128 kbytes/second', burst: '2 mbytes', perHour: '32 mbytes' } as const;
/** Free DNS queries and replies of the other slots: far less than a tunnel would need. */
const DNS_QUERIES = { rate: '8 kbytes/second', burst: '128 kbytes' } as const;
const REPLIES = { rate: '32 kbytes/second', burst: '512 kbytes' } as const;
/** Queries and replies together: several times what a busy household needs. */
const DNS_PER_HOUR = '20 mbytes';

const NODE_PORTS = `{ ${Object.values(PORTS).join(', ')} }`;
const RESOLVER_PORTS = `{ ${PORTS.resolver}, ${PORTS.filteringResolver} }`;

export function serviceSetCommands(table: string): string[] {
  const perSlot = (name: string, timeout: string) =>
    `add set inet ${table} ${name} { type mark; size 65535; flags dynamic,timeout; timeout ${timeout}; }`;
  return [
    ...Object.values(POLICY_SETS).map((set) => `add set inet ${table} ${set} { type mark; }`),
    `add set inet ${table} walled_garden4 { type ipv4_addr . inet_service; }`,
    `add set inet ${table} walled_garden6 { type ipv6_addr . inet_service; }`,
    ...['exempt_per_hour', 'dns_per_hour'].map((name) => perSlot(name, '1h')),
    ...['exempt_rate', 'dns_query_rate', 'reply_rate'].map((name) => perSlot(name, '1m')),
    `add set inet ${table} blocked_queries { type mark; size 65535; flags dynamic; counter; }`,
  ];
}

/** `tunnels`: the tunnels' interfaces as an nftables set; `proxy`: that of the proxy. */
export function serviceChainCommands(
  table: string,
  services: NodeServices,
  tunnels: string,
  proxy: string | undefined,
): string[] {
  const write = writer(table);
  return [
    ...walledGardenChains(write),
    ...redirectChains(write, services, tunnels),
    ...serviceChains(write, services, proxy),
    ...replyChains(write, tunnels, proxy),
  ];
}

/** The proxy's engine asks for names for all of its users: it has no slot, and the limits of one would be too low for it. */
function engineRule(interfaces: 'iifname' | 'oifname', proxy: string | undefined): string[] {
  const address = interfaces === 'iifname' ? 'saddr' : 'daddr';
  return proxy === undefined
    ? []
    : [`${interfaces} "${proxy}" ip ${address} & 0.0.255.255 == ${ENGINE_HOST} meta mark set 0 accept`];
}

function writer(table: string) {
  return {
    chain: (name: string, hook = '') => `add chain inet ${table} ${name}${hook}`,
    rule: (name: string, text: string) => `add rule inet ${table} ${name} ${text}`,
  };
}
type Writer = ReturnType<typeof writer>;

const limitRate = (set: string, { rate, burst }: { readonly rate: string; readonly burst: string }) =>
  `update @${set} { meta mark limit rate over ${rate} burst ${burst} } drop`;

const limitPerHour = (set: string, perHour: string) => `add @${set} { meta mark quota over ${perHour} } drop`;

const markUp = ({ rule }: Writer, name: string) => [rule(name, MARK_RULES.up4), rule(name, MARK_RULES.up6)];

/** Where a slot whose quota is exceeded may go, and how the rest of its traffic is refused. */
function walledGardenChains({ chain, rule }: Writer): string[] {
  return [
    chain('raha_exempt'),
    rule('raha_exempt', limitPerHour('exempt_per_hour', EXEMPT.perHour)),
    rule('raha_exempt', limitRate('exempt_rate', EXEMPT)),
    rule('raha_exempt', 'meta mark set 0 accept'),
    chain('raha_walled_garden_up'),
    rule('raha_walled_garden_up', 'ip daddr . tcp dport @walled_garden4 goto raha_exempt'),
    rule('raha_walled_garden_up', 'ip6 daddr . tcp dport @walled_garden6 goto raha_exempt'),
    chain('raha_walled_garden_down'),
    rule('raha_walled_garden_down', 'ip saddr . tcp sport @walled_garden4 goto raha_exempt'),
    rule('raha_walled_garden_down', 'ip6 saddr . tcp sport @walled_garden6 goto raha_exempt'),
    // Rejected at once: a program that waits for an answer makes the network look bad.
    chain('raha_exceeded_up'),
    rule('raha_exceeded_up', 'meta mark != @quota_exceeded drop'),
    rule('raha_exceeded_up', 'meta l4proto tcp limit rate 2000/second reject with tcp reset'),
    rule('raha_exceeded_up', 'meta l4proto udp limit rate 2000/second reject with icmpx admin-prohibited'),
    rule('raha_exceeded_up', 'drop'),
  ];
}

/** Sends the first packet of a connection to the node itself. */
function redirectChains(write: Writer, services: NodeServices, tunnels: string): string[] {
  const { chain, rule } = write;
  const redirect = (name: string, [to4, to6]: readonly [string, string]) => [
    chain(name),
    rule(name, 'meta mark set 0'),
    rule(name, `meta nfproto ipv4 meta l4proto { tcp, udp } dnat ip to ${to4}`),
    rule(name, `meta nfproto ipv6 meta l4proto { tcp, udp } dnat ip6 to ${to6}`),
  ];
  const node = (port: number) => [`${services.address4}:${port}`, `[${services.address6}]:${port}`] as const;
  return [
    ...redirect('raha_to_resolver', services.hasResolver ? node(PORTS.resolver) : PUBLIC_RESOLVER),
    ...redirect('raha_to_filtering', services.hasResolver ? node(PORTS.filteringResolver) : PUBLIC_RESOLVER),
    ...redirect('raha_to_portal', node(PORTS.portal)),
    chain('raha_redirect', ' { type nat hook prerouting priority dstnat; policy accept; }'),
    rule('raha_redirect', `iifname != ${tunnels} accept`),
    rule('raha_redirect', 'meta l4proto != { tcp, udp } accept'),
    rule('raha_redirect', 'th dport != { 53, 80 } accept'),
    ...markUp(write, 'raha_redirect'),
    rule('raha_redirect', 'th dport 53 meta mark @dns_filtering goto raha_to_filtering'),
    rule('raha_redirect', 'th dport 53 meta mark @quota_exceeded goto raha_to_resolver'),
    rule('raha_redirect', 'th dport 53 ip daddr @node4 goto raha_to_resolver'),
    rule('raha_redirect', 'th dport 53 ip6 daddr @node6 goto raha_to_resolver'),
    rule('raha_redirect', 'ip daddr . tcp dport @walled_garden4 meta mark set 0 accept'),
    rule('raha_redirect', 'ip6 daddr . tcp dport @walled_garden6 meta mark set 0 accept'),
    rule('raha_redirect', 'tcp dport 80 meta mark @quota_exceeded goto raha_to_portal'),
    rule('raha_redirect', 'meta mark set 0'),
  ];
}

/** Let redirected packets in, from the devices, and not from outside. */
function serviceChains(write: Writer, { address4, address6 }: NodeServices, proxy: string | undefined): string[] {
  const { chain, rule } = write;
  return [
    // The kernel would also answer packets for its inner addresses that a neighbour on the uplink sends.
    chain('raha_from_uplink'),
    rule('raha_from_uplink', `ip daddr ${address4} meta l4proto { tcp, udp } th dport ${NODE_PORTS} drop`),
    rule('raha_from_uplink', `ip6 daddr ${address6} meta l4proto { tcp, udp } th dport ${NODE_PORTS} drop`),
    chain('raha_dns'),
    ...engineRule('iifname', proxy).map((text) => rule('raha_dns', text)),
    ...markUp(write, 'raha_dns'),
    rule('raha_dns', 'meta mark @blocked drop'),
    rule('raha_dns', 'ct state new jump raha_flow_limits'),
    rule('raha_dns', 'meta mark @quota_exceeded goto raha_exempt'),
    rule('raha_dns', limitRate('dns_query_rate', DNS_QUERIES)),
    rule('raha_dns', limitPerHour('dns_per_hour', DNS_PER_HOUR)),
    rule('raha_dns', 'meta mark set 0 accept'),
    // A portal page that is still open when the lease has grown must reload from the real server.
    chain('raha_portal'),
    ...markUp(write, 'raha_portal'),
    rule('raha_portal', 'ct state new jump raha_flow_limits'),
    rule('raha_portal', 'meta mark @quota_exceeded goto raha_exempt'),
    rule('raha_portal', 'reject with tcp reset'),
    chain('raha_services'),
    rule('raha_services', `meta l4proto { tcp, udp } th dport ${RESOLVER_PORTS} goto raha_dns`),
    rule('raha_services', `tcp dport ${PORTS.portal} goto raha_portal`),
  ];
}

/** Lets the replies of resolver and portal out, and counts blocked DNS queries. */
function replyChains({ chain, rule }: Writer, tunnels: string, proxy: string | undefined): string[] {
  return [
    chain('raha_replies'),
    ...engineRule('oifname', proxy).map((text) => rule('raha_replies', text)),
    rule('raha_replies', MARK_RULES.down4),
    rule('raha_replies', MARK_RULES.down6),
    // Replies that the block list makes are authoritative (RFC 1035 4.1.1: AA is bit 21 of the header) and without an
    // error; forwarded replies never are.
    rule(
      'raha_replies',
      `udp sport ${PORTS.filteringResolver} @th,85,1 1 @th,92,4 0 add @blocked_queries { meta mark }`,
    ),
    rule('raha_replies', 'meta mark @quota_exceeded goto raha_exempt'),
    rule('raha_replies', limitRate('reply_rate', REPLIES)),
    rule('raha_replies', limitPerHour('dns_per_hour', DNS_PER_HOUR)),
    rule('raha_replies', 'meta mark set 0 accept'),
    chain('raha_output', ' { type filter hook output priority filter; policy accept; }'),
    rule('raha_output', `ct status dnat oifname ${tunnels} meta l4proto { tcp, udp } goto raha_replies`),
  ];
}
