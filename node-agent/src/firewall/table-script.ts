import { createHash } from 'node:crypto';
import { MARK_RULES, type MarkOrder } from './packet-marks.ts';
import { doorChainCommands, doorSetCommands, type Services } from './slot-policies.ts';

/**
 * The text of the node's nftables table. Every packet to or from the tunnels passes `raha_judge_*`:
 *
 * 1. its slot (low 16 bits of the inner address) becomes its mark;
 * 2. the slot's quota lets it on or drops it, and what it drops is counted in `dropped`;
 * 3. what passes is counted in `up` or `down`, and only a slot that is known passes.
 *
 * Before 2, a slot that is cut off may reach the panel (`firewall-doors.ts`), and what 2 drops of it is refused.
 *
 * A quota's own count is therefore exactly up + down + dropped: the limit for "pass N bytes" is N + dropped. A slot
 * begins with a quota of nothing, so that default is deny. The table judges no packet that is not the tunnels', but for
 * what comes from outside for the ports of the node's own answers.
 */
export interface FirewallPlace {
  readonly table: string;
  /** Of all protocols, also of those that are not up: the rules stand before the interface does. */
  readonly interfaceNames: readonly string[];
  /** By which what is forwarded leaves; IPv6 may go by another device than IPv4. */
  readonly uplinks: readonly string[];
  readonly markOf: MarkOrder;
  readonly services: Services;
}

/** Slots are made ready in blocks of this many, ahead of need: adding one to a large set is slow, using one is not. */
export const BLOCK_SLOTS = 256;

/** No slot has this mark (slots have 16 bits). Its comment in the set `up` names the epoch the table counts in. */
const MARKER = '0xffffffff';
/** Nor this one: its comment names the text of the table, so that an agent with another text makes the table anew. */
const TEXT_MARKER = '0xfffffffe';

export function tableScript(place: FirewallPlace, epoch: string, blocks: Iterable<number>): string {
  const { table } = place;
  return [
    `add table inet ${table}`,
    `delete table inet ${table}`,
    `add table inet ${table}`,
    ...setCommands(table),
    markerCommand(table, epoch),
    `add element inet ${table} up { ${TEXT_MARKER} comment "${textName(place)}" }`,
    ...[...blocks].flatMap((block) => blockCommands(place, block)),
    ...chainCommands(place),
    '',
  ].join('\n');
}

/** Changes with any word of the table, but for its epoch and how many slots it has. */
export function textName(place: FirewallPlace): string {
  const { table } = place;
  const text = [...setCommands(table), ...blockCommands(place, 0), ...chainCommands(place)].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** What every packet of the tunnels passes, with the number of its rules. */
export function judgingChains(place: FirewallPlace): [name: string, rules: number][] {
  const commands = chainCommands(place);
  return ['raha_forward', 'raha_judge_up', 'raha_judge_down'].map((name) => {
    const rules = commands.filter((command) => command.startsWith(`add rule inet ${place.table} ${name} `));
    return [name, rules.length];
  });
}

function setCommands(table: string): string[] {
  return [
    `add map inet ${table} lease { type mark : quota; }`,
    ...['up', 'down', 'dropped'].map((set) => `add set inet ${table} ${set} { type mark; counter; }`),
    `add set inet ${table} own4 { type ipv4_addr; }`,
    `add set inet ${table} own6 { type ipv6_addr; }`,
    ...doorSetCommands(table),
  ];
}

/** Refused as a whole when the block is there already: a slot in use is never closed by it. */
export function blockCommands({ table, markOf }: FirewallPlace, block: number): string[] {
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

/** Raises or lowers a slot's quota in place; its count goes on. */
export function quotaCommand(table: string, slot: number, limitBytes: bigint): string {
  return `add quota inet ${table} slot${slot} { over ${limitBytes} bytes }`;
}

export function markerCommand(table: string, epoch: string): string {
  return `add element inet ${table} up { ${MARKER} comment "${epoch}" }`;
}

/** The node's own inner addresses, which clients may ping. */
export function ownAddressCommands(table: string, addresses: Iterable<string>): string[] {
  return [...addresses].map((address) => {
    return `add element inet ${table} ${address.includes(':') ? 'own6' : 'own4'} { ${address} }`;
  });
}

export function remarkCommands(table: string, epoch: string): string[] {
  return [`delete element inet ${table} up { ${MARKER} }`, markerCommand(table, epoch)];
}

/** Networks that are nobody's business to reach through a public VPN: the operator's own, and cloud metadata. */
const PRIVATE4 = '{ 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16 }';
const PRIVATE6 = '{ ::1, fc00::/7, fe80::/10 }';

function chainCommands({ table, interfaceNames, uplinks, services }: FirewallPlace): string[] {
  const chain = (name: string, hook = '') => `add chain inet ${table} ${name}${hook}`;
  const rule = (name: string, text: string) => `add rule inet ${table} ${name} ${text}`;
  const list = (devices: readonly string[]) => `{ ${devices.map((name) => `"${name}"`).join(', ')} }`;
  const [names, ways] = [list(interfaceNames), list(uplinks)];
  const [inside, outside] = [`iifname ${names}`, `oifname ${names}`];
  return [
    chain('raha_input', ' { type filter hook input priority filter; policy accept; }'),
    ...doorChainCommands(table, services, names),
    chain('raha_judge_up'),
    rule('raha_judge_up', MARK_RULES.up4),
    rule('raha_judge_up', MARK_RULES.up6),
    rule('raha_judge_up', 'meta mark @cut jump raha_free_up'),
    rule('raha_judge_up', 'quota name meta mark map @lease meta mark @dropped goto raha_over_up'),
    rule('raha_judge_up', 'meta mark @up meta mark set 0 accept'),
    rule('raha_judge_up', 'drop'),
    chain('raha_judge_down'),
    rule('raha_judge_down', MARK_RULES.down4),
    rule('raha_judge_down', MARK_RULES.down6),
    rule('raha_judge_down', 'meta mark @cut jump raha_free_down'),
    rule('raha_judge_down', 'quota name meta mark map @lease meta mark @dropped drop'),
    rule('raha_judge_down', 'meta mark @down meta mark set 0 accept'),
    rule('raha_judge_down', 'drop'),
    chain('raha_forward', ' { type filter hook forward priority filter; policy accept; }'),
    rule('raha_forward', `${inside} ip daddr ${PRIVATE4} drop`),
    rule('raha_forward', `${inside} ip6 daddr ${PRIVATE6} drop`),
    rule('raha_forward', `${inside} oifname ${ways} goto raha_judge_up`),
    rule('raha_forward', `${inside} drop`),
    rule('raha_forward', `${outside} iifname ${ways} ct state established,related goto raha_judge_down`),
    rule('raha_forward', `${outside} drop`),
    chain('raha_segment_size', ' { type filter hook forward priority mangle; policy accept; }'),
    rule('raha_segment_size', `${inside} tcp flags syn / syn,rst tcp option maxseg size set rt mtu`),
    rule('raha_segment_size', `${outside} tcp flags syn / syn,rst tcp option maxseg size set rt mtu`),
    rule('raha_input', `${inside} ct state established icmp type echo-reply accept`),
    rule('raha_input', `${inside} ip daddr @own4 icmp type echo-request limit rate 200/second accept`),
    rule('raha_input', `${inside} ip6 daddr @own6 icmpv6 type echo-request limit rate 200/second accept`),
    rule('raha_input', `${inside} drop`),
    chain('raha_masquerade', ' { type nat hook postrouting priority srcnat; policy accept; }'),
    rule('raha_masquerade', `${inside} oifname ${ways} masquerade`),
  ];
}
