import type { Counters } from '../metering/usage-state.ts';
import { CommandFailed, type Shell } from '../platform/shell.ts';
import type { NftSession } from './nft-session.ts';
import type { MarkOrder } from './packet-marks.ts';
import { Doors, type SlotDoors } from './slot-policies.ts';
import {
  BLOCK_SLOTS,
  blockCommands,
  type FirewallPlace,
  judgingChains,
  ownAddressCommands,
  quotaCommand,
  remarkCommands,
  tableScript,
  textName,
} from './table-script.ts';

export interface TableReading {
  /** The epoch that the table is marked with; null when there is no table. */
  readonly epoch: string | null;
  /** What its text is marked with; null when there is no table, or an older agent's. */
  readonly text: string | null;
  readonly counters: ReadonlyMap<number, Counters>;
}

export interface SlotLimit extends SlotDoors {
  readonly slot: number;
  /** As `passLimit` of usage.ts: absolute count of bytes that may pass; zero closes the slot. */
  readonly passLimit: bigint;
  /** It was shut by the last reading: packets were dropped, and somebody waits. */
  readonly wasShut?: boolean;
}

const RULES_TIMEOUT_MS = 5_000;

/** A quota is a signed 64-bit number in the kernel. */
const MAX_QUOTA = 2n ** 63n - 1n;

/** The node's nftables table: default deny, one quota per slot, counters behind it. */
export class Firewall {
  readonly #shell: Shell;
  readonly #session: NftSession;
  readonly #place: FirewallPlace;
  readonly #ownAddresses = new Set<string>();
  #blocks = new Set<number>();
  #preparing = new Map<number, Promise<void>>();
  /** What is known to be in force: of a slot whose limit nft is being told, or would not take, nothing is. */
  #limits = new Map<number, bigint>();
  /** The newest that each slot is to be told, until it has been. */
  readonly #waiting = new Map<number, SlotLimit>();
  /** What could not be told. The next call of `setLimits` repeats it: who wanted it does not know how to. */
  readonly #failed = new Map<number, SlotLimit>();
  #dropped: ReadonlyMap<number, bigint> = new Map();
  /** What each slot's quota makes up for, of what had been dropped when it was told. */
  readonly #forgiven = new Map<number, bigint>();
  /** Slots with a new limit, and what they had dropped when last looked at. */
  #suspects = new Map<number, bigint | undefined>();
  readonly #doors: Doors;
  #builds = 0;
  /** Commands that fail where a rule is gone; undefined until the rules of the present table have been listed. */
  #rules: readonly string[] | undefined;

  constructor(shell: Shell, session: NftSession, place: FirewallPlace) {
    this.#shell = shell;
    this.#session = session;
    this.#place = place;
    this.#doors = new Doors(place.table);
  }

  /** How many tables this agent has made: the counts of another table are other counts. */
  get builds(): number {
    return this.#builds;
  }

  /** Makes the table anew, atomically, with all its slots and limits. All counters begin at zero. */
  async build(epoch: string, wanted: readonly SlotLimit[]): Promise<void> {
    const blocks = new Set([0, ...wanted.map(({ slot }) => blockOf(slot))]);
    blocks.add(Math.max(...blocks) + 1);
    this.#dropped = new Map();
    this.#forgetLimits();
    const open = wanted.filter(({ passLimit }) => passLimit > 0n);
    const quotas = open.map(({ slot, passLimit }) => this.#quotaCommand(slot, passLimit));
    const own = ownAddressCommands(this.#place.table, this.#ownAddresses);
    this.#doors.move(new Map(wanted.map((limit) => [limit.slot, limit])), this.#place.markOf);
    const doors = this.#doors.all(this.#place.markOf);
    await this.#runScript([tableScript(this.#place, epoch, blocks), ...quotas, ...own, ...doors]);
    this.#builds += 1;
    this.#rules = undefined;
    // What was told meanwhile may have reached the old table.
    this.#doors.isInDoubt = true;
    this.#blocks = blocks;
    this.#limits = new Map(wanted.map(({ slot, passLimit }) => [slot, passLimit]));
  }

  /**
   * Continues with the table as it stands. Its quotas stay as they are until `setLimits`, whose next call brings the doors
   * to what is `known` of them.
   */
  async adopt(reading: TableReading, known: readonly SlotLimit[]): Promise<void> {
    this.#blocks = new Set([...reading.counters.keys()].map(blockOf));
    this.#limits = new Map();
    this.#forgetLimits();
    this.#doors.move(new Map(known.map((limit) => [limit.slot, limit])), this.#place.markOf);
    this.#doors.isInDoubt = true;
    this.#dropped = await this.#readDropped();
  }

  async read(): Promise<TableReading> {
    const [up, down] = await Promise.all([this.#listSet('up'), this.#listSet('down')]);
    if (up === null || down === null) return { epoch: null, text: null, counters: new Map() };
    return combine(up, down, this.#place.markOf);
  }

  /**
   * Takes a fraction of a millisecond per change, whatever the number of slots; makes slots ready that are not, and
   * meanwhile lets other calls pass. Of two calls for a slot the later one holds, in whichever order they end.
   */
  async setLimits(wanted: readonly SlotLimit[]): Promise<void> {
    const asked = new Map([...this.#failed.values(), ...wanted].map((limit) => [limit.slot, limit]));
    this.#failed.clear();
    const changed = [...asked.values()].filter((limit) => this.#waiting.has(limit.slot) || this.#differs(limit));
    if (changed.length === 0 && !this.#doors.isInDoubt) return;
    for (const limit of changed) this.#waiting.set(limit.slot, limit);
    const isNewest = (limit: SlotLimit) => this.#waiting.get(limit.slot) === limit;
    try {
      await this.#prepare(changed.map(({ slot }) => blockOf(slot)));
      await this.#tellLimits(changed.filter(isNewest));
    } catch (error) {
      for (const limit of changed.filter(isNewest)) this.#failed.set(limit.slot, limit);
      for (const { slot } of changed.filter(isNewest)) this.#waiting.delete(slot);
      throw error;
    }
    for (const { slot, passLimit } of changed.filter(isNewest)) {
      this.#waiting.delete(slot);
      this.#limits.set(slot, passLimit);
      // Any quota may have been used up and have dropped since it was last read, however much it had left then.
      if (passLimit > 0n) this.#suspects.set(slot, undefined);
    }
  }

  #differs(limit: SlotLimit): boolean {
    return this.#limits.get(limit.slot) !== limit.passLimit || this.#doors.differs(limit.slot, limit);
  }

  #tellLimits(limits: readonly SlotLimit[]): Promise<void> {
    const raised = limits.filter(({ slot, passLimit }) => this.#limits.get(slot) !== passLimit);
    const quotas = raised.map(({ slot, passLimit }) => this.#quotaCommand(slot, passLimit));
    for (const { slot } of raised) this.#limits.delete(slot);
    return this.#applyWithDoors(quotas, limits);
  }

  /** Another table has other limits, and whoever makes or finds one tells it all of them. */
  #forgetLimits(): void {
    this.#suspects = new Map();
    this.#forgiven.clear();
    this.#waiting.clear();
    this.#failed.clear();
  }

  /** What devices reach that are cut off, as `address . port`. */
  async setReach(places: readonly string[]): Promise<void> {
    const commands = this.#doors.reach(places);
    if (commands.length > 0) await this.#tellDoors(commands);
  }

  /** How many questions of each slot the block list has kept unanswered since the table was made. */
  async readWithheld(): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    for (const [, mark, packets] of ((await this.#listSet('withheld')) ?? '').matchAll(WITHHELD)) {
      counts.set(this.#place.markOf(Number(mark)), Number(packets));
    }
    return counts;
  }

  /** Quotas and doors in one transaction: a lease that grows takes the page away as it lets traffic on. */
  async #applyWithDoors(quotas: readonly string[], slots: readonly SlotLimit[]): Promise<void> {
    const { markOf } = this.#place;
    const moves = this.#doors.move(new Map(slots.map((limit) => [limit.slot, limit])), markOf);
    const doors = this.#doors.isInDoubt ? this.#doors.all(markOf) : moves;
    this.#doors.isInDoubt = false;
    if (quotas.length + doors.length > 0) await this.#tellDoors([...quotas, ...doors]);
  }

  async #tellDoors(commands: readonly string[]): Promise<void> {
    try {
      await this.#session.apply(commands);
    } catch (error) {
      this.#doors.isInDoubt = true;
      throw error;
    }
  }

  /** Lets clients ping the node at these inner addresses of its own. */
  async answerPings(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) this.#ownAddresses.add(address);
    await this.#session.apply(ownAddressCommands(this.#place.table, addresses));
  }

  /** Keeps a block of slots ready beyond the highest one in use. */
  prepareAhead(highestSlot: number): Promise<void> {
    return this.#prepare([blockOf(highestSlot), blockOf(highestSlot) + 1]);
  }

  /**
   * A quota counts what it drops. Slots whose limit has changed get those bytes back: until two looks find the same count,
   * because packets may have been dropped between the look and the change.
   */
  async forgiveDropped(): Promise<void> {
    if (this.#suspects.size === 0) return;
    const asked = new Map(this.#suspects);
    this.#dropped = await this.#readDropped();
    const commands: string[] = [];
    for (const [slot, lastSeen] of asked) {
      const now = this.#dropped.get(slot) ?? 0n;
      // A limit that is being told just now makes its slot a suspect again.
      const passLimit = this.#limits.get(slot) ?? 0n;
      if (now !== (this.#forgiven.get(slot) ?? 0n) && passLimit > 0n)
        commands.push(this.#quotaCommand(slot, passLimit));
      if (lastSeen === now || passLimit === 0n) this.#suspects.delete(slot);
      else this.#suspects.set(slot, now);
    }
    if (commands.length > 0) await this.#session.apply(commands);
  }

  /** Whether the table that was read is of this agent's text: not an older agent's, nor for other interfaces. */
  isOwn(reading: TableReading): boolean {
    return reading.text === textName(this.#place);
  }

  /**
   * False when somebody took our rules away and left the sets. To list rules nft reads all there is of the table, and begins
   * again whenever something changes meanwhile: they are listed once, and then asked for by their handles, in a transaction
   * that the kernel checks and does not carry out.
   */
  async hasRules(): Promise<boolean> {
    if (this.#rules && (await this.#isDoable(this.#rules))) return true;
    const builds = this.#builds;
    const listed = await this.#listRules();
    if (listed && builds === this.#builds) this.#rules = listed;
    return listed !== undefined;
  }

  async #isDoable(commands: readonly string[]): Promise<boolean> {
    try {
      await this.#shell.run('nft', ['-c', '-f', '-'], {
        input: `${commands.join('\n')}\n`,
        timeoutMs: RULES_TIMEOUT_MS,
      });
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  /** Undefined where one is missing. */
  async #listRules(): Promise<string[] | undefined> {
    const { table } = this.#place;
    let listed: string;
    try {
      listed = await this.#shell.run('nft', ['-t', '-a', 'list', 'table', 'inet', table], {
        timeoutMs: RULES_TIMEOUT_MS,
      });
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
    if (!['@lease', '@up', 'goto raha_judge_up'].every((part) => listed.includes(part))) return undefined;
    const commands: string[] = [];
    for (const [chain, count] of judgingChains(this.#place)) {
      const text = listed.split(/^\tchain /m).find((part) => part.startsWith(`${chain} `)) ?? '';
      const handles = [...text.matchAll(/^\t\t.* # handle (\d+)$/gm)];
      if (handles.length < count) return undefined;
      commands.push(...handles.map(([, handle]) => `add rule inet ${table} ${chain} position ${handle} drop`));
    }
    return commands;
  }

  async markEpoch(epoch: string): Promise<void> {
    await this.#session.apply(remarkCommands(this.#place.table, epoch));
  }

  async remove(): Promise<void> {
    const { table } = this.#place;
    await this.#runScript([`add table inet ${table}`, `delete table inet ${table}`]);
    this.#session.close();
  }

  /** In a process of its own: the session stays free for changes of limits meanwhile. */
  async #prepare(wanted: readonly number[]): Promise<void> {
    const started = [...new Set(wanted)].filter((block) => !this.#blocks.has(block));
    for (const block of started) {
      if (this.#preparing.has(block)) continue;
      const done = this.#createBlock(block).finally(() => this.#preparing.delete(block));
      this.#preparing.set(block, done);
    }
    await Promise.all(started.map((block) => this.#preparing.get(block)));
  }

  async #createBlock(block: number): Promise<void> {
    try {
      await this.#runScript(blockCommands(this.#place, block));
    } catch (error) {
      // A table that was built meanwhile has it already.
      if (!(error instanceof CommandFailed) || !error.stderr.includes('File exists')) throw error;
    }
    this.#blocks.add(block);
  }

  #quotaCommand(slot: number, passLimit: bigint): string {
    const dropped = this.#dropped.get(slot) ?? 0n;
    this.#forgiven.set(slot, dropped);
    const quota = passLimit === 0n ? 0n : passLimit + dropped;
    return quotaCommand(this.#place.table, slot, quota > MAX_QUOTA ? MAX_QUOTA : quota);
  }

  async #readDropped(): Promise<Map<number, bigint>> {
    return parseElements((await this.#listSet('dropped')) ?? '', this.#place.markOf).bytes;
  }

  async #listSet(set: string): Promise<string | null> {
    try {
      return await this.#shell.run('nft', ['-j', 'list', 'set', 'inet', this.#place.table, set]);
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async #runScript(commands: readonly string[]): Promise<void> {
    await this.#shell.run('nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof CommandFailed && error.stderr.includes('No such file or directory');
}

function blockOf(slot: number): number {
  return Math.floor(slot / BLOCK_SLOTS);
}

function combine(upText: string, downText: string, slotOf: MarkOrder): TableReading {
  const up = parseElements(upText, slotOf);
  const down = parseElements(downText, slotOf).bytes;
  const counters = new Map<number, Counters>();
  for (const [slot, bytes] of up.bytes) {
    const downBytes = down.get(slot);
    // A block that was made ready between the two listings is in one of them only.
    if (downBytes !== undefined) counters.set(slot, { up: bytes, down: downBytes });
  }
  return { epoch: up.epoch, text: up.text, counters };
}

const ELEMENT = /"val": (\d+)(?:, "comment": "([0-9a-f]+)")?, "counter": \{"packets": \d+, "bytes": (\d+)\}/g;
const WITHHELD = /"val": (\d+), "counter": \{"packets": (\d+)/g;
const EPOCH_MARK = 0xffffffff;
const TEXT_MARK = 0xfffffffe;

interface Elements {
  readonly bytes: Map<number, bigint>;
  readonly epoch: string | null;
  readonly text: string | null;
}

/** Reads nft's JSON with a pattern: JSON.parse would round counters above 2⁵³, and takes longer. */
function parseElements(listed: string, slotOf: MarkOrder): Elements {
  const bytes = new Map<number, bigint>();
  let epoch: string | null = null;
  let text: string | null = null;
  for (const [, mark, comment, count] of listed.matchAll(ELEMENT)) {
    if (Number(mark) === EPOCH_MARK) epoch = comment ?? null;
    else if (Number(mark) === TEXT_MARK) text = comment ?? null;
    else bytes.set(slotOf(Number(mark)), BigInt(count as string));
  }
  return { bytes, epoch, text };
}
