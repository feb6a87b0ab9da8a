import type { MarkOrder } from './packet-marks.ts';

/**
 * How a slot is treated apart from its quota, with the nftables set that holds the slots of each policy.
 * `quotaExceeded`: only the captive portal and the walled garden. `blocked`: no DNS replies. `dnsFiltering`: DNS queries
 * go to the filtering resolver. `limitedSpeed`: in two maps, which give its packets the class of a queue.
 */
export const POLICY_SETS = {
  quotaExceeded: 'quota_exceeded',
  blocked: 'blocked',
  dnsFiltering: 'dns_filtering',
} as const;
type PolicyName = keyof typeof POLICY_SETS | 'limitedSpeed';
const POLICIES = [...Object.keys(POLICY_SETS), 'limitedSpeed'] as PolicyName[];

/**
 * For each direction the nftables map, and the handle of the queues whose classes it names (`tunnels/speed-queues.ts`). They differ because
 * IKEv2 in the kernel leaves a packet its class: what goes to a device must not pass the class for what comes from it.
 */
export const SPEEDS = {
  up: { map: 'speed_up', handle: '7262' },
  down: { map: 'speed_down', handle: '7261' },
} as const;
export type Direction = keyof typeof SPEEDS;

/** The class of a slot; 16 bits, as the slot. */
export const classOf = (direction: Direction, slot: number) => `${SPEEDS[direction].handle}:${slot.toString(16)}`;

export type SlotPolicy = Readonly<Partial<Record<PolicyName, boolean>>>;

/** Knows the contents of the kernel's policy and walled garden sets, so that only differences are sent. */
export class SlotPolicySets {
  readonly #table: string;
  readonly #slots: Readonly<Record<PolicyName, Set<number>>> = {
    quotaExceeded: new Set(),
    blocked: new Set(),
    dnsFiltering: new Set(),
    limitedSpeed: new Set(),
  };
  /** Undefined until the first update: what an earlier agent resolved is better than nothing. */
  #walledGarden: readonly string[] | undefined;
  /** The kernel's sets may differ from ours: the next change flushes and rewrites them. */
  isStale = false;

  constructor(table: string) {
    this.#table = table;
  }

  differs(slot: number, policy: SlotPolicy): boolean {
    return POLICIES.some((name) => this.#slots[name].has(slot) !== (policy[name] ?? false));
  }

  /** Commands that bring these slots to their policies. They can be repeated in any state of the kernel. */
  update(policies: ReadonlyMap<number, SlotPolicy>, markOf: MarkOrder): string[] {
    const commands: string[] = [];
    for (const name of POLICIES) {
      const members = this.#slots[name];
      const entries = [...policies];
      const added = entries.filter(([slot, policy]) => policy[name] && !members.has(slot)).map(([slot]) => slot);
      const removed = entries.filter(([slot, policy]) => !policy[name] && members.has(slot)).map(([slot]) => slot);
      for (const slot of added) members.add(slot);
      for (const slot of removed) members.delete(slot);
      for (const { set, elementOf } of homesOf(name, this.#table, markOf)) {
        const list = (slots: readonly number[]) => slots.map(elementOf).join(', ');
        if (added.length + removed.length > 0) {
          // Adding a present element changes nothing; deleting an absent one would abort the whole transaction.
          commands.push(`add element ${set} { ${list([...added, ...removed])} }`);
        }
        if (removed.length > 0) commands.push(`delete element ${set} { ${list(removed)} }`);
      }
    }
    return commands;
  }

  /** Endpoints that stay reachable when a quota is exceeded: `192.0.2.1 . 443`. */
  setWalledGarden(endpoints: readonly string[]): string[] {
    if (endpoints.join() === this.#walledGarden?.join()) return [];
    this.#walledGarden = endpoints;
    return this.#walledGardenCommands();
  }

  /** Rewrites all sets, whatever they contain now. */
  rewrite(markOf: MarkOrder): string[] {
    return POLICIES.flatMap((name) =>
      homesOf(name, this.#table, markOf).flatMap(({ kind, set, elementOf }) => {
        const elements = [...this.#slots[name]].map(elementOf).join(', ');
        const flush = `flush ${kind} ${set}`;
        return elements ? [flush, `add element ${set} { ${elements} }`] : [flush];
      }),
    ).concat(this.#walledGardenCommands());
  }

  #walledGardenCommands(): string[] {
    if (!this.#walledGarden) return [];
    const sets = {
      walled_garden4: this.#walledGarden.filter((endpoint) => !endpoint.includes(':')),
      walled_garden6: this.#walledGarden.filter((endpoint) => endpoint.includes(':')),
    };
    return Object.entries(sets).flatMap(([set, endpoints]) => [
      `flush set inet ${this.#table} ${set}`,
      ...(endpoints.length > 0 ? [`add element inet ${this.#table} ${set} { ${endpoints.join(', ')} }`] : []),
    ]);
  }
}

/** The set or maps of a policy, and what stands in them for a slot. */
function homesOf(name: PolicyName, table: string, markOf: MarkOrder) {
  if (name !== 'limitedSpeed')
    return [{ kind: 'set', set: `inet ${table} ${POLICY_SETS[name]}`, elementOf: (slot: number) => `${markOf(slot)}` }];
  return (['up', 'down'] as const).map((direction) => ({
    kind: 'map',
    set: `inet ${table} ${SPEEDS[direction].map}`,
    elementOf: (slot: number) => `${markOf(slot)} : ${classOf(direction, slot)}`,
  }));
}
