import { createHash } from 'node:crypto';
import { type NewFlowOptions, newFlowChainCommands, newFlowSetCommands } from './new-flows.ts';
import { MARK_RULES, type MarkOrder } from './packet-marks.ts';
import { type NodeServices, serviceChainCommands, serviceSetCommands } from './service-chains.ts';
import { type Direction, SPEEDS } from './slot-policies.ts';
import { wireguardPortChainCommands, wireguardPortSetCommands } from './wireguard-ports.ts';

/**
 * The text of the node's nftables table. Every packet to or from the tunnels passes `raha_meter_*`:
 *
 * 1. its slot (the low 16 bits of the inner address) becomes its mark;
 * 2. from the device, if it begins a flow: `new-flows.ts` says what may begin;
 * 3. the slot's quota passes or drops it; `dropped` counts what is dropped;
 * 4. `up` or `down` counts what passes, and only known slots pass. On the way there a slot whose speed is limited gets the class of its
 *    queue, which holds its packets back once they have left the rules (`tunnels/speed-queues.ts`).
 *
 * Before step 3 a slot whose quota is exceeded may reach the walled garden (`service-chains.ts`); the rest of its traffic
 * is rejected.
 *
 * A quota's own count is therefore exactly up + down + dropped: the limit for "pass N bytes" is N + dropped. A slot starts
 * with a quota of zero, so the default is deny. The table touches only traffic of the tunnels, and packets from outside
 * to the ports of the node's own services (`wireguard-ports.ts`).
 */
export interface FirewallOptions {
  readonly table: string;
  /** Interfaces of all protocols, whether they exist yet or not: the rules come first. */
  readonly interfaceNames: readonly string[];
  /** How the names of interfaces begin that belong to one device each, and whose daemon believes what it says of its address. */
  readonly deviceInterfaces?: string;
  /** Which of the interfaces leads to the proxy's engine. */
  readonly proxyInterface?: string;
  /** Devices by which forwarded traffic leaves; IPv6 may use another one than IPv4. */
  readonly uplinks: readonly string[];
  readonly markOf: MarkOrder;
  readonly services: NodeServices;
  readonly newFlows: NewFlowOptions;
}

/** Slots are created in blocks of this size, ahead of need: adding one to a large set is slow, using one is not. */
export const BLOCK_SLOTS = 256;

/** No slot has these marks (slots have 16 bits). The comment of this one in the set `up` is the epoch of the counters. */
const EPOCH_MARKER = '0xffffffff';
/** The comment of this one is a hash of the table's text: an agent with another text rebuilds the table. */
const TEXT_MARKER = '0xfffffffe';

export function tableScript(options: FirewallOptions, epoch: string, blocks: Iterable<number>): string {
  const { table } = options;
  return [
    `add table inet ${table}`,
    `delete table inet ${table}`,
    `add table inet ${table}`,
    ...setCommands(table),
    markerCommand(table, epoch),
    `add element inet ${table} up { ${TEXT_MARKER} comment "${textHash(options)}" }`,
    ...[...blocks].flatMap((block) => blockCommands(options, block)),
    ...chainCommands(options),
    '',
  ].join('\n');
}

/** Changes with every part of the table except its epoch and the number of its slots. */
export function textHash(options: FirewallOptions): string {
  const text = [...setCommands(options.table), ...blockCommands(options, 0), ...chainCommands(options)].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

const METERING_CHAINS = [
  ...['raha_source', 'raha_forward', 'raha_from_device', 'raha_to_device', 'raha_meter_up', 'raha_meter_down'],
  ...['raha_new_flow', 'raha_flow_limits'],
];

/** The chains that decide about the packets of the tunnels, each with its number of rules. */
export function meteringChains(options: FirewallOptions): [name: string, rules: number][] {
  const commands = chainCommands(options);
  return METERING_CHAINS.map((name) => {
    const rules = commands.filter((command) => command.startsWith(`add rule inet ${options.table} ${name} `));
    return [name, rules.length];
  });
}

function setCommands(table: string): string[] {
  return [
    `add map inet ${table} lease { type mark : quota; }`,
    ...['up', 'down', 'dropped'].map((set) => `add set inet ${table} ${set} { type mark; counter; }`),
    ...Object.values(SPEEDS).map(({ map }) => `add map inet ${table} ${map} { type mark : classid; }`),
    `add set inet ${table} node4 { type ipv4_addr; }`,
    `add set inet ${table} node6 { type ipv6_addr; }`,
    ...newFlowSetCommands(table),
    ...wireguardPortSetCommands(table),
    ...serviceSetCommands(table),
  ];
}

/** Fails as a whole when the block exists already, so that it never closes a slot in use. */
export function blockCommands({ table, markOf }: FirewallOptions, block: number): string[] {
  const slots = Array.from({ length: BLOCK_SLOTS }, (_, index) => block * BLOCK_SLOTS + index).filter(
    (slot) => slot > 0,
  );
  const all = slots.map(markOf).join(', ');
  return [
    ...slots.map((slot) => `add quota inet ${table} slot${slot} { over 0 bytes }`),
    `add element inet ${table} lease { ${slots.map((slot) => `${markOf(slot)} : "slot${slot}"`).join(', ')} }`,
    ...['up', 'down', 'dropped'].map((set) => `create element inet ${table} ${set} { ${all} }`),
  ];
}

/** Raises or lowers a slot's quota in place; its count continues. */
export function quotaCommand(table: string, slot: number, limitBytes: bigint): string {
  return `add quota inet ${table} slot${slot} { over ${limitBytes} bytes }`;
}

/** The node's inner addresses, which devices may ping. */
export function nodeAddressCommands(table: string, addresses: Iterable<string>): string[] {
  return [...addresses].map((address) => {
    return `add element inet ${table} ${address.includes(':') ? 'node6' : 'node4'} { ${address} }`;
  });
}

export function remarkCommands(table: string, epoch: string): string[] {
  return [`delete element inet ${table} up { ${EPOCH_MARKER} }`, markerCommand(table, epoch)];
}

function markerCommand(table: string, epoch: string): string {
  return `add element inet ${table} up { ${EPOCH_MARKER} comment "${epoch}" }`;
}

function chainCommands(options: FirewallOptions): string[] {
  const { table, interfaceNames, deviceInterfaces, proxyInterface, uplinks, services } = options;
  const chain = (name: string, hook = '') => `add chain inet ${table} ${name}${hook}`;
  const rule = (name: string, text: string) => `add rule inet ${table} ${name} ${text}`;
  const list = (devices: readonly string[]) => `{ ${devices.map((name) => `"${name}"`).join(', ')} }`;
  const wildcard = deviceInterfaces === undefined ? [] : [`${deviceInterfaces}*`];
  const [tunnels, exits] = [list([...interfaceNames, ...wildcard]), list(uplinks)];
  // For what is asked of every packet: a set with a pattern in it is one of ranges, which takes longer to look through.
  const eachTunnel = [list(interfaceNames), ...wildcard.map((name) => `"${name}"`)];
  const [inside, outside] = [`iifname ${tunnels}`, `oifname ${tunnels}`];
  return [
    // Its slot is what a device's address says, so it must be the address to which this interface leads.
    chain('raha_source', ' { type filter hook prerouting priority mangle; policy accept; }'),
    ...wildcard.map((name) => rule('raha_source', `iifname "${name}" fib saddr . iif oif missing drop`)),
    chain('raha_input', ' { type filter hook input priority filter; policy accept; }'),
    ...newFlowChainCommands(table, options.newFlows),
    ...serviceChainCommands(table, services, tunnels, proxyInterface),
    chain('raha_meter_up'),
    rule('raha_meter_up', MARK_RULES.up4),
    rule('raha_meter_up', MARK_RULES.up6),
    rule('raha_meter_up', 'ct state != established jump raha_new_flow'),
    rule('raha_meter_up', 'meta mark @quota_exceeded jump raha_walled_garden_up'),
    rule('raha_meter_up', 'quota name meta mark map @lease meta mark @dropped goto raha_exceeded_up'),
    rule('raha_meter_up', classRule('up')),
    rule('raha_meter_up', 'meta mark @up meta mark set 0 accept'),
    rule('raha_meter_up', 'drop'),
    chain('raha_meter_down'),
    rule('raha_meter_down', MARK_RULES.down4),
    rule('raha_meter_down', MARK_RULES.down6),
    rule('raha_meter_down', 'meta mark @quota_exceeded jump raha_walled_garden_down'),
    rule('raha_meter_down', 'quota name meta mark map @lease meta mark @dropped drop'),
    rule('raha_meter_down', classRule('down')),
    rule('raha_meter_down', 'meta mark @down meta mark set 0 accept'),
    rule('raha_meter_down', 'drop'),
    chain('raha_forward', ' { type filter hook forward priority filter; policy accept; }'),
    chain('raha_from_device'),
    rule('raha_from_device', `oifname ${exits} goto raha_meter_up`),
    rule('raha_from_device', 'drop'),
    chain('raha_to_device'),
    rule('raha_to_device', `iifname ${exits} ct state established,related goto raha_meter_down`),
    rule('raha_to_device', 'drop'),
    ...eachTunnel.map((names) => rule('raha_forward', `iifname ${names} goto raha_from_device`)),
    ...eachTunnel.map((names) => rule('raha_forward', `oifname ${names} goto raha_to_device`)),
    chain('raha_segment_size', ' { type filter hook forward priority mangle; policy accept; }'),
    rule('raha_segment_size', `tcp flags syn / syn,rst ${inside} tcp option maxseg size set rt mtu`),
    rule('raha_segment_size', `tcp flags syn / syn,rst ${outside} tcp option maxseg size set rt mtu`),
    chain('raha_input_from_device'),
    rule('raha_input_from_device', 'ct status dnat meta l4proto { tcp, udp } jump raha_services'),
    rule('raha_input_from_device', 'ct state established icmp type echo-reply accept'),
    rule('raha_input_from_device', 'ip daddr @node4 icmp type echo-request limit rate 200/second accept'),
    rule('raha_input_from_device', 'ip6 daddr @node6 icmpv6 type echo-request limit rate 200/second accept'),
    rule('raha_input_from_device', 'drop'),
    rule('raha_input', 'iifname "lo" accept'),
    ...eachTunnel.map((names) => rule('raha_input', `iifname ${names} goto raha_input_from_device`)),
    rule('raha_input', 'goto raha_from_uplink'),
    ...wireguardPortChainCommands(table, exits),
    chain('raha_masquerade', ' { type nat hook postrouting priority srcnat; policy accept; }'),
    rule('raha_masquerade', `${inside} oifname ${exits} masquerade`),
  ];
}

/** All that a slot without a limit pays for the limits of others: a lookup that finds nothing ends the rule. */
function classRule(direction: Direction): string {
  return `meta priority set meta mark map @${SPEEDS[direction].map}`;
}
