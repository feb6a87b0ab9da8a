import type { Shell } from '../platform/shell.ts';
import type { NftSession } from './nft-session.ts';
import { createRuleCheck, type RuleCheck } from './rule-check.ts';
import { blockOf, SlotBlocks } from './slot-blocks.ts';
import { type SlotPolicy, SlotPolicySets } from './slot-policies.ts';
import { readBlockedQueries, readDropped, readTable, type TableReading, type TableSource } from './table-reading.ts';
import {
  blockCommands,
  type FirewallOptions,
  nodeAddressCommands,
  quotaCommand,
  remarkCommands,
  tableScript,
  textHash,
} from './table-script.ts';
import { wireguardPortCommands } from './wireguard-ports.ts';

export interface SlotLimit extends SlotPolicy {
  readonly slot: number;
  /** As `passLimit` of usage.ts: the absolute count of bytes that may pass; zero closes the slot. */
  readonly passLimit: bigint;
  /** By the last reading its lease was used up: packets were dropped, and a device is waiting. */
  readonly wasExhausted?: boolean;
}

/** A quota is a signed 64-bit number in the kernel. */
const MAX_QUOTA = 2n ** 63n - 1n;

/** The node's nftables table: default deny, one quota per slot, counters behind it. */
export class Firewall {
  readonly #shell: Shell;
  readonly #session: NftSession;
  readonly #options: FirewallOptions;
  readonly #source: TableSource;
  readonly #nodeAddresses = new Set<string>();
  /** Undefined while what the table has is not known. */
  #wireguardPorts: { readonly listenPort: number; readonly ports: readonly number[] } | undefined;
  readonly #blocks: SlotBlocks;
  readonly #policies: SlotPolicySets;
  readonly #rules: RuleCheck;
  /** Limits known to be in force. A slot whose limit is being changed, or could not be, has none. */
  #limits = new Map<number, bigint>();
  /** The newest limit of each slot that is still to be sent. */
  readonly #pending = new Map<number, SlotLimit>();
  /** Limits that could not be sent. The next call of `setLimits` sends them again: its callers do not retry. */
  readonly #failed = new Map<number, SlotLimit>();
  #dropped: ReadonlyMap<number, bigint> = new Map();
  /** How many dropped bytes each slot's quota makes up for. */
  readonly #compensated = new Map<number, bigint>();
  /** Slots whose limit has changed, and what they had dropped when last read. */
  #toRecheck = new Map<number, bigint | undefined>();
  #builds = 0;

  constructor(shell: Shell, session: NftSession, options: FirewallOptions) {
    this.#shell = shell;
    this.#session = session;
    this.#options = options;
    this.#source = { shell, table: options.table, markOf: options.markOf };
    this.#blocks = new SlotBlocks((block) => this.#runScript(blockCommands(options, block)));
    this.#policies = new SlotPolicySets(options.table);
    this.#rules = createRuleCheck(shell, options);
  }

  /** How many tables this agent has built. Counts of different tables cannot be compared. */
  get builds(): number {
    return this.#builds;
  }

  /** Rebuilds the table atomically, with all its slots and limits. All counters start at zero. */
  async build(epoch: string, limits: readonly SlotLimit[]): Promise<void> {
    const blocks = new Set([0, ...limits.map(({ slot }) => blockOf(slot))]);
    blocks.add(Math.max(...blocks) + 1);
    this.#dropped = new Map();
    this.#forgetLimits();
    const open = limits.filter(({ passLimit }) => passLimit > 0n);
    const quotas = open.map(({ slot, passLimit }) => this.#quotaCommand(slot, passLimit));
    const addresses = nodeAddressCommands(this.#options.table, this.#nodeAddresses);
    this.#updatePolicies(limits);
    const policies = this.#policies.rewrite(this.#options.markOf);
    const { listenPort, ports } = this.#wireguardPorts ?? { listenPort: 0, ports: [] };
    const redirects = wireguardPortCommands(this.#options.table, listenPort, ports);
    const script = tableScript(this.#options, epoch, blocks);
    await this.#runScript([script, ...quotas, ...addresses, ...redirects, ...policies]);
    this.#builds += 1;
    // Changes that were sent meanwhile may have reached the old table.
    this.#policies.isStale = true;
    this.#blocks.reset(blocks);
    this.#limits = new Map(limits.map(({ slot, passLimit }) => [slot, passLimit]));
  }

  /**
   * Continues with the present table. Its quotas stay until `setLimits`, whose next call also brings the policies to what
   * is `known` of them.
   */
  async adopt(reading: TableReading, known: readonly SlotLimit[]): Promise<void> {
    this.#blocks.reset([...reading.counters.keys()].map(blockOf));
    this.#limits = new Map();
    this.#forgetLimits();
    this.#updatePolicies(known);
    this.#policies.isStale = true;
    this.#dropped = await readDropped(this.#source);
  }

  read(): Promise<TableReading> {
    return readTable(this.#source);
  }

  /** DNS queries of each slot that were blocked since the table was built. */
  readBlockedQueries(): Promise<Map<number, number>> {
    return readBlockedQueries(this.#source);
  }

  /**
   * Takes a fraction of a millisecond per change, whatever the number of slots. Creates missing slots, and lets other
   * calls proceed meanwhile. Of two calls for a slot the later one wins, in whichever order they finish.
   */
  async setLimits(limits: readonly SlotLimit[]): Promise<void> {
    const latest = new Map([...this.#failed.values(), ...limits].map((limit) => [limit.slot, limit]));
    this.#failed.clear();
    const changed = [...latest.values()].filter((limit) => this.#pending.has(limit.slot) || this.#differs(limit));
    if (changed.length === 0 && !this.#policies.isStale) return;
    for (const limit of changed) this.#pending.set(limit.slot, limit);
    const isNewest = (limit: SlotLimit) => this.#pending.get(limit.slot) === limit;
    try {
      await this.#blocks.prepare(changed.map(({ slot }) => blockOf(slot)));
      await this.#sendLimits(changed.filter(isNewest));
    } catch (error) {
      for (const limit of changed.filter(isNewest)) this.#failed.set(limit.slot, limit);
      for (const { slot } of changed.filter(isNewest)) this.#pending.delete(slot);
      throw error;
    }
    for (const { slot, passLimit } of changed.filter(isNewest)) {
      this.#pending.delete(slot);
      this.#limits.set(slot, passLimit);
      // Any quota may have run out and dropped packets since it was last read, however much was left then.
      if (passLimit > 0n) this.#toRecheck.set(slot, undefined);
    }
  }

  #differs(limit: SlotLimit): boolean {
    return this.#limits.get(limit.slot) !== limit.passLimit || this.#policies.differs(limit.slot, limit);
  }

  /** Quotas and policies in one transaction: a growing lease takes the portal away as it lets traffic through. */
  async #sendLimits(limits: readonly SlotLimit[]): Promise<void> {
    const changed = limits.filter(({ slot, passLimit }) => this.#limits.get(slot) !== passLimit);
    const quotas = changed.map(({ slot, passLimit }) => this.#quotaCommand(slot, passLimit));
    for (const { slot } of changed) this.#limits.delete(slot);
    const updates = this.#updatePolicies(limits);
    const policies = this.#policies.isStale ? this.#policies.rewrite(this.#options.markOf) : updates;
    this.#policies.isStale = false;
    if (quotas.length + policies.length > 0) await this.#applyPolicies([...quotas, ...policies]);
  }

  /** Limits belong to one table: building or adopting a table sets all of them. */
  #forgetLimits(): void {
    this.#toRecheck = new Map();
    this.#compensated.clear();
    this.#pending.clear();
    this.#failed.clear();
  }

  /** Endpoints that stay reachable when a quota is exceeded, as `address . port`. */
  async setWalledGarden(endpoints: readonly string[]): Promise<void> {
    const commands = this.#policies.setWalledGarden(endpoints);
    if (commands.length > 0) await this.#applyPolicies(commands);
  }

  #updatePolicies(limits: readonly SlotLimit[]): string[] {
    return this.#policies.update(new Map(limits.map((limit) => [limit.slot, limit])), this.#options.markOf);
  }

  async #applyPolicies(commands: readonly string[]): Promise<void> {
    try {
      await this.#session.apply(commands);
    } catch (error) {
      this.#policies.isStale = true;
      throw error;
    }
  }

  /** Lets devices ping the node at these inner addresses. */
  async answerPings(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) this.#nodeAddresses.add(address);
    await this.#session.apply(nodeAddressCommands(this.#options.table, addresses));
  }

  /** False after a change that failed. */
  get knowsWireguardPorts(): boolean {
    return this.#wireguardPorts !== undefined;
  }

  /** UDP ports at which WireGuard is accepted beside its own. */
  get wireguardPorts(): readonly number[] {
    return this.#wireguardPorts?.ports ?? [];
  }

  async redirectToWireguard(listenPort: number, ports: readonly number[]): Promise<void> {
    const before = this.#wireguardPorts;
    if (before?.listenPort === listenPort && before.ports.join() === ports.join()) return;
    this.#wireguardPorts = { listenPort, ports };
    try {
      await this.#session.apply(wireguardPortCommands(this.#options.table, listenPort, ports));
    } catch (error) {
      this.#wireguardPorts = undefined;
      throw error;
    }
  }

  /** Keeps a block of slots ready beyond the highest one in use. */
  prepareAhead(highestSlot: number): Promise<void> {
    return this.#blocks.prepare([blockOf(highestSlot), blockOf(highestSlot) + 1]);
  }

  /**
   * A quota counts what it drops. Slots whose limit has changed get those bytes back, until two readings show the same
   * count: packets may have been dropped between the reading and the change.
   */
  async compensateDropped(): Promise<void> {
    if (this.#toRecheck.size === 0) return;
    const slots = new Map(this.#toRecheck);
    this.#dropped = await readDropped(this.#source);
    const commands: string[] = [];
    for (const [slot, before] of slots) {
      const now = this.#dropped.get(slot) ?? 0n;
      // A limit that is being sent at this moment puts its slot here again.
      const passLimit = this.#limits.get(slot) ?? 0n;
      if (now !== (this.#compensated.get(slot) ?? 0n) && passLimit > 0n)
        commands.push(this.#quotaCommand(slot, passLimit));
      if (before === now || passLimit === 0n) this.#toRecheck.delete(slot);
      else this.#toRecheck.set(slot, now);
    }
    if (commands.length > 0) await this.#session.apply(commands);
  }

  /** Whether the table has the text of this agent: it is not an older agent's, nor for other interfaces. */
  isOwn(reading: TableReading): boolean {
    return reading.text === textHash(this.#options);
  }

  /** False when somebody removed our rules and left the sets. */
  hasRules(): Promise<boolean> {
    return this.#rules.hasRules(() => this.#builds);
  }

  async markEpoch(epoch: string): Promise<void> {
    await this.#session.apply(remarkCommands(this.#options.table, epoch));
  }

  async remove(): Promise<void> {
    const { table } = this.#options;
    await this.#runScript([`add table inet ${table}`, `delete table inet ${table}`]);
    this.#session.close();
  }

  #quotaCommand(slot: number, passLimit: bigint): string {
    const dropped = this.#dropped.get(slot) ?? 0n;
    this.#compensated.set(slot, dropped);
    const quota = passLimit === 0n ? 0n : passLimit + dropped;
    return quotaCommand(this.#options.table, slot, quota > MAX_QUOTA ? MAX_QUOTA : quota);
  }

  /** In a process of its own: the session stays free for changes of limits. */
  async #runScript(commands: readonly string[]): Promise<void> {
    await this.#shell.run('nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
  }
}
