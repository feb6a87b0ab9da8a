import type { MarkOrder } from './firewall-marks.ts';
import {
  BLOCK_SLOTS,
  blockCommands,
  type FirewallPlace,
  quotaCommand,
  remarkCommands,
  tableScript,
} from './firewall-script.ts';
import type { NftSession } from './nft-session.ts';
import { CommandFailed, type Shell } from './shell.ts';
import type { Counters } from './usage-state.ts';

export interface TableReading {
  /** The epoch that the table is marked with; null when there is no table. */
  readonly epoch: string | null;
  readonly counters: ReadonlyMap<number, Counters>;
}

export interface SlotLimit {
  readonly slot: number;
  /** As `passLimit` of usage.ts: absolute count of bytes that may pass; zero closes the slot. */
  readonly passLimit: bigint;
  /** The slot may have dropped packets since its `dropped` was last read: look again once it is open. */
  readonly mayHaveDropped?: boolean;
}

/** The node's nftables table: default deny, one quota per slot, counters behind it. */
export interface Firewall {
  /** Makes the table anew, atomically, with all its slots and limits. All counters begin at zero. */
  build(epoch: string, limits: readonly SlotLimit[]): Promise<void>;
  /** Continues with the table as it stands. The quotas stay as they are until `setLimits`. */
  adopt(reading: TableReading): Promise<void>;
  read(): Promise<TableReading>;
  /** Flat in the number of configs for slots that are ready; makes others ready first. */
  setLimits(limits: readonly SlotLimit[]): Promise<void>;
  /** Keeps a block of slots ready beyond the highest one in use. */
  prepareAhead(highestSlot: number): Promise<void>;
  /** Gives bytes back that a reopened slot's quota counted while it was closed. */
  forgiveDropped(): Promise<void>;
  /** False when somebody took our rules away and left the sets. */
  hasRules(): Promise<boolean>;
  markEpoch(epoch: string): Promise<void>;
  remove(): Promise<void>;
}

/** A quota is a signed 64-bit number in the kernel. */
const MAX_QUOTA = 2n ** 63n - 1n;

export function createFirewall(shell: Shell, session: NftSession, place: FirewallPlace): Firewall {
  const { table } = place;
  let blocks = new Set<number>();
  let limits = new Map<number, bigint>();
  let dropped = new Map<number, bigint>();
  /** Reopened slots, with what they had dropped when last looked at. */
  let suspects = new Map<number, bigint | undefined>();

  const commandFor = (slot: number, passLimit: bigint): string => {
    const quota = passLimit === 0n ? 0n : passLimit + (dropped.get(slot) ?? 0n);
    return quotaCommand(table, slot, quota > MAX_QUOTA ? MAX_QUOTA : quota);
  };

  async function prepare(wanted: Iterable<number>): Promise<void> {
    const missing = [...new Set(wanted)].filter((block) => !blocks.has(block));
    if (missing.length === 0) return;
    // A process of its own: the session stays free for changes of limits meanwhile.
    const script = missing.flatMap((block) => blockCommands(place, block)).join('\n');
    await shell.run('nft', ['-f', '-'], { input: `${script}\n` });
    for (const block of missing) blocks.add(block);
  }

  async function listSet(set: string): Promise<string | null> {
    try {
      return await shell.run('nft', ['-j', 'list', 'set', 'inet', table, set]);
    } catch (error) {
      if (error instanceof CommandFailed && error.stderr.includes('No such file or directory')) return null;
      throw error;
    }
  }

  return {
    build: async (epoch, wanted) => {
      const wantedBlocks = new Set([0, ...wanted.map(({ slot }) => blockOf(slot))]);
      wantedBlocks.add(Math.max(...wantedBlocks) + 1);
      dropped = new Map();
      suspects = new Map();
      const quotas = wanted.filter(({ passLimit }) => passLimit > 0n).map((it) => commandFor(it.slot, it.passLimit));
      const script = `${tableScript(place, epoch, wantedBlocks)}${quotas.join('\n')}\n`;
      await shell.run('nft', ['-f', '-'], { input: script });
      blocks = wantedBlocks;
      limits = new Map(wanted.map(({ slot, passLimit }) => [slot, passLimit]));
    },

    adopt: async (reading) => {
      blocks = new Set([...reading.counters.keys()].map(blockOf));
      limits = new Map();
      suspects = new Map();
      dropped = parseElements((await listSet('dropped')) ?? '', place.markOf).bytes;
    },

    read: async () => {
      const [up, down] = await Promise.all([listSet('up'), listSet('down')]);
      if (up === null || down === null) return { epoch: null, counters: new Map() };
      return combine(up, down, place.markOf);
    },

    setLimits: async (wanted) => {
      const changed = wanted.filter(({ slot, passLimit }) => limits.get(slot) !== passLimit);
      if (changed.length === 0) return;
      await prepare(changed.map(({ slot }) => blockOf(slot)));
      await session.apply(changed.map(({ slot, passLimit }) => commandFor(slot, passLimit)));
      for (const { slot, passLimit, mayHaveDropped } of changed) {
        limits.set(slot, passLimit);
        if (mayHaveDropped && passLimit > 0n) suspects.set(slot, undefined);
      }
    },

    prepareAhead: (highestSlot) => prepare([blockOf(highestSlot), blockOf(highestSlot) + 1]),

    forgiveDropped: async () => {
      if (suspects.size === 0) return;
      const asked = new Map(suspects);
      const seen = parseElements((await listSet('dropped')) ?? '', place.markOf).bytes;
      const commands: string[] = [];
      for (const [slot, before] of asked) {
        const now = seen.get(slot) ?? 0n;
        const passLimit = limits.get(slot) ?? 0n;
        if (now !== (dropped.get(slot) ?? 0n)) {
          dropped.set(slot, now);
          if (passLimit > 0n) commands.push(commandFor(slot, passLimit));
        }
        if (before === now || passLimit === 0n) suspects.delete(slot);
        else suspects.set(slot, now);
      }
      if (commands.length > 0) await session.apply(commands);
    },

    hasRules: async () => {
      const text = await shell.run('nft', ['-t', 'list', 'chain', 'inet', table, 'raha_judge_up']);
      return text.includes('@lease') && text.includes('@up');
    },

    markEpoch: (epoch) => session.apply(remarkCommands(table, epoch)),

    remove: () => session.apply([`add table inet ${table}`, `delete table inet ${table}`]),
  };
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
  return { epoch: up.comment, counters };
}

const ELEMENT = /"val": (\d+)(?:, "comment": "([0-9a-f]+)")?, "counter": \{"packets": \d+, "bytes": (\d+)\}/g;
const MARKER = 0xffffffff;

/** Reads nft's JSON with a pattern: JSON.parse would round counters above 2⁵³, and takes longer. */
function parseElements(text: string, slotOf: MarkOrder): { bytes: Map<number, bigint>; comment: string | null } {
  const bytes = new Map<number, bigint>();
  let comment: string | null = null;
  for (const [, mark, epoch, count] of text.matchAll(ELEMENT)) {
    if (Number(mark) === MARKER) comment = epoch ?? null;
    else bytes.set(slotOf(Number(mark)), count === '0' ? 0n : BigInt(count as string));
  }
  return { bytes, comment };
}
