import { MARK_RULES } from './packet-marks.ts';

/**
 * What the node itself answers inside the tunnels, and what a device still reaches whose lease has ended: `raha_lead`
 * turns questions for names to the node's own resolver and the web of those cut off to the node's page; `raha_serve` lets
 * both in; `raha_free_*` let the cut off through to the panel and the banks. None of this passes `up` and `down`, so that
 * nobody pays for it, and all of it is bounded per slot.
 */
export interface Services {
  /** The node's own addresses in the first protocol's network, on which it answers whatever the protocol. */
  readonly address4: string;
  readonly address6: string;
  /** False where there is no resolver on this machine: questions go on to a public one, as any other traffic. */
  readonly resolves: boolean;
}

/** Ports on the node's inner addresses. Devices never name them: what they ask is turned to them. */
export const PORTS = { names: 5301, screenedNames: 5302, page: 5380 } as const;

const PUBLIC_RESOLVER = ['1.1.1.1', '2606:4700:4700::1111'] as const;

/**
 * What may pass for nothing. Of a slot that is cut off: a loading of the panel at once, then a trickle, and no more than
 * this in any hour. Of all others: questions for names and their answers, by far fewer bytes than a page needs that they
 * belong to.
 */
const SPARED = { rate: '128 kbytes/second', burst: '2 mbytes', perHour: '32 mbytes' } as const;
const ASKED = { rate: '8 kbytes/second', burst: '128 kbytes' } as const;
/** Of questions and answers together: several times what a busy household asks, and far from what a tunnel would. */
const NAMED_PER_HOUR = '20 mbytes';
const ANSWERED = { rate: '32 kbytes/second', burst: '512 kbytes' } as const;

export function doorSetCommands(table: string): string[] {
  const perSlot = (name: string, timeout: string, counter = '') =>
    `add set inet ${table} ${name} { type mark; size 65535; flags dynamic,timeout; timeout ${timeout};${counter} }`;
  return [
    ...DOORS.map((door) => `add set inet ${table} ${door} { type mark; }`),
    `add set inet ${table} reach4 { type ipv4_addr . inet_service; }`,
    `add set inet ${table} reach6 { type ipv6_addr . inet_service; }`,
    ...['spared', 'named'].map((name) => perSlot(name, '1h')),
    ...['spared_pace', 'asked', 'answered'].map((name) => perSlot(name, '1m')),
    `add set inet ${table} withheld { type mark; size 65535; flags dynamic; counter; }`,
  ];
}

export function doorChainCommands(table: string, services: Services, names: string): string[] {
  const words = vocabulary(table);
  return [...freeChains(words), ...leadChains(words, services, names), ...serveChains(words, services, names)];
}

function vocabulary(table: string) {
  return {
    chain: (name: string, hook = '') => `add chain inet ${table} ${name}${hook}`,
    rule: (name: string, text: string) => `add rule inet ${table} ${name} ${text}`,
  };
}
type Vocabulary = ReturnType<typeof vocabulary>;

const paced = (set: string, { rate, burst }: { readonly rate: string; readonly burst: string }) =>
  `update @${set} { meta mark limit rate over ${rate} burst ${burst} } drop`;

const hourly = (set: string, perHour: string) => `add @${set} { meta mark quota over ${perHour} } drop`;
const NAMED = hourly('named', NAMED_PER_HOUR);

const markUp = ({ rule }: Vocabulary, name: string) => [rule(name, MARK_RULES.up4), rule(name, MARK_RULES.up6)];

/** What a slot may move that is cut off, and what it hears of the rest. */
function freeChains({ chain, rule }: Vocabulary): string[] {
  return [
    chain('raha_spare'),
    rule('raha_spare', hourly('spared', SPARED.perHour)),
    rule('raha_spare', paced('spared_pace', SPARED)),
    rule('raha_spare', 'meta mark set 0 accept'),
    chain('raha_free_up'),
    rule('raha_free_up', 'ip daddr . tcp dport @reach4 goto raha_spare'),
    rule('raha_free_up', 'ip6 daddr . tcp dport @reach6 goto raha_spare'),
    chain('raha_free_down'),
    rule('raha_free_down', 'ip saddr . tcp sport @reach4 goto raha_spare'),
    rule('raha_free_down', 'ip6 saddr . tcp sport @reach6 goto raha_spare'),
    // Refused at once: a program that waits for an answer looks as if the network were bad.
    chain('raha_over_up'),
    rule('raha_over_up', 'meta mark != @cut drop'),
    rule('raha_over_up', 'meta l4proto tcp limit rate 2000/second reject with tcp reset'),
    rule('raha_over_up', 'meta l4proto udp limit rate 2000/second reject with icmpx admin-prohibited'),
    rule('raha_over_up', 'drop'),
  ];
}

/** Where the first packet of a connection is turned to the node itself. */
function leadChains(words: Vocabulary, services: Services, names: string): string[] {
  const { chain, rule } = words;
  const turn = (name: string, [to4, to6]: readonly [string, string]) => [
    chain(name),
    rule(name, 'meta mark set 0'),
    rule(name, `meta nfproto ipv4 meta l4proto { tcp, udp } dnat ip to ${to4}`),
    rule(name, `meta nfproto ipv6 meta l4proto { tcp, udp } dnat ip6 to ${to6}`),
  ];
  const own = (port: number) => [`${services.address4}:${port}`, `[${services.address6}]:${port}`] as const;
  return [
    ...turn('raha_to_names', services.resolves ? own(PORTS.names) : PUBLIC_RESOLVER),
    ...turn('raha_to_screened', services.resolves ? own(PORTS.screenedNames) : PUBLIC_RESOLVER),
    ...turn('raha_to_page', own(PORTS.page)),
    chain('raha_lead', ' { type nat hook prerouting priority dstnat; policy accept; }'),
    rule('raha_lead', `iifname != ${names} accept`),
    rule('raha_lead', 'meta l4proto != { tcp, udp } accept'),
    rule('raha_lead', 'th dport != { 53, 80 } accept'),
    ...markUp(words, 'raha_lead'),
    rule('raha_lead', 'th dport 53 meta mark @screened goto raha_to_screened'),
    rule('raha_lead', 'th dport 53 meta mark @cut goto raha_to_names'),
    rule('raha_lead', 'th dport 53 ip daddr @own4 goto raha_to_names'),
    rule('raha_lead', 'th dport 53 ip6 daddr @own6 goto raha_to_names'),
    rule('raha_lead', 'ip daddr . tcp dport @reach4 meta mark set 0 accept'),
    rule('raha_lead', 'ip6 daddr . tcp dport @reach6 meta mark set 0 accept'),
    rule('raha_lead', 'tcp dport 80 meta mark @cut goto raha_to_page'),
    rule('raha_lead', 'meta mark set 0'),
  ];
}

/** What was turned to the node comes in, and its answers go out. */
function serveChains(words: Vocabulary, { address4, address6 }: Services, names: string): string[] {
  const { chain, rule } = words;
  const ports = `{ ${Object.values(PORTS).join(', ')} }`;
  return [
    // The inner addresses are the node's, so packets for them that come from outside would be answered too: a neighbour on
    // the uplink can send such.
    chain('raha_outside'),
    rule('raha_outside', `ip daddr ${address4} meta l4proto { tcp, udp } th dport ${ports} drop`),
    rule('raha_outside', `ip6 daddr ${address6} meta l4proto { tcp, udp } th dport ${ports} drop`),
    rule('raha_input', `iifname != ${names} iifname != "lo" jump raha_outside`),
    chain('raha_ask'),
    ...markUp(words, 'raha_ask'),
    rule('raha_ask', 'meta mark @barred drop'),
    rule('raha_ask', 'meta mark @cut goto raha_spare'),
    rule('raha_ask', paced('asked', ASKED)),
    rule('raha_ask', NAMED),
    rule('raha_ask', 'meta mark set 0 accept'),
    // A page that is still open when the lease has grown leads back to what it stood for.
    chain('raha_visit'),
    ...markUp(words, 'raha_visit'),
    rule('raha_visit', 'meta mark @cut goto raha_spare'),
    rule('raha_visit', 'reject with tcp reset'),
    chain('raha_serve'),
    rule('raha_serve', `meta l4proto { tcp, udp } th dport { ${PORTS.names}, ${PORTS.screenedNames} } goto raha_ask`),
    rule('raha_serve', `tcp dport ${PORTS.page} goto raha_visit`),
    rule('raha_input', `iifname ${names} ct status dnat meta l4proto { tcp, udp } jump raha_serve`),
    chain('raha_answer'),
    rule('raha_answer', MARK_RULES.down4),
    rule('raha_answer', MARK_RULES.down6),
    // What the block list answers itself is marked as authoritative (RFC 1035 4.1.1: AA is the header's bit 21) and without
    // an error; what was asked elsewhere never is.
    rule('raha_answer', `udp sport ${PORTS.screenedNames} @th,85,1 1 @th,92,4 0 add @withheld { meta mark }`),
    rule('raha_answer', 'meta mark @cut goto raha_spare'),
    rule('raha_answer', paced('answered', ANSWERED)),
    rule('raha_answer', NAMED),
    rule('raha_answer', 'meta mark set 0 accept'),
    chain('raha_output', ' { type filter hook output priority filter; policy accept; }'),
    rule('raha_output', `oifname ${names} ct status dnat meta l4proto { tcp, udp } goto raha_answer`),
  ];
}

/** `cut`: led to the page; `barred`: no question of it is answered; `screened`: the block list holds for it. */
const DOORS = ['cut', 'barred', 'screened'] as const;
export type Door = (typeof DOORS)[number];

/** Which of the doors a slot stands before. */
export type SlotDoors = Readonly<Partial<Record<Door, boolean>>>;

/** Remembers what stands in the kernel's sets, so that only differences are told to it. */
export class Doors {
  readonly #table: string;
  readonly #slots: Readonly<Record<Door, Set<number>>> = { cut: new Set(), barred: new Set(), screened: new Set() };
  /** Undefined until it is first told: what an agent before this one found is better than nothing. */
  #reach: readonly string[] | undefined;
  /** The sets may hold something else: they are emptied and written anew with the next change. */
  isInDoubt = false;

  constructor(table: string) {
    this.#table = table;
  }

  differs(slot: number, wanted: SlotDoors): boolean {
    return DOORS.some((door) => this.#slots[door].has(slot) !== (wanted[door] ?? false));
  }

  /** The commands that bring slots to where they are wanted. They may be said again, in any state of the kernel. */
  move(slots: ReadonlyMap<number, SlotDoors>, markOf: (slot: number) => number): string[] {
    const commands: string[] = [];
    for (const door of DOORS) {
      const here = this.#slots[door];
      const all = [...slots];
      const enter = all.filter(([slot, wanted]) => wanted[door] && !here.has(slot)).map(([slot]) => slot);
      const leave = all.filter(([slot, wanted]) => !wanted[door] && here.has(slot)).map(([slot]) => slot);
      for (const slot of enter) here.add(slot);
      for (const slot of leave) here.delete(slot);
      const list = (chosen: readonly number[]) => chosen.map(markOf).join(', ');
      if (enter.length + leave.length > 0) {
        // Adding what is there changes nothing; deleting what is not there would undo the whole transaction.
        commands.push(`add element inet ${this.#table} ${door} { ${list([...enter, ...leave])} }`);
      }
      if (leave.length > 0) commands.push(`delete element inet ${this.#table} ${door} { ${list(leave)} }`);
    }
    return commands;
  }

  /** Addresses and ports that the cut off reach: `192.0.2.1 . 443`. */
  reach(places: readonly string[]): string[] {
    if (places.join() === this.#reach?.join()) return [];
    this.#reach = places;
    return this.#reachCommands();
  }

  /** Everything that is known, whatever the sets hold now. */
  all(markOf: (slot: number) => number): string[] {
    return DOORS.flatMap((door) => {
      const marks = [...this.#slots[door]].map(markOf).join(', ');
      const flush = `flush set inet ${this.#table} ${door}`;
      return marks ? [flush, `add element inet ${this.#table} ${door} { ${marks} }`] : [flush];
    }).concat(this.#reachCommands());
  }

  #reachCommands(): string[] {
    const places = this.#reach;
    if (!places) return [];
    const sets = {
      reach4: places.filter((at) => !at.includes(':')),
      reach6: places.filter((at) => at.includes(':')),
    };
    return Object.entries(sets).flatMap(([set, places]) => [
      `flush set inet ${this.#table} ${set}`,
      ...(places.length > 0 ? [`add element inet ${this.#table} ${set} { ${places.join(', ')} }`] : []),
    ]);
  }
}
