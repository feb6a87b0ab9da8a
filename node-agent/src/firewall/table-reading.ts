import type { Counters } from '../metering/usage-state.ts';
import { CommandFailed, type Shell } from '../platform/shell.ts';
import type { MarkOrder } from './packet-marks.ts';

export interface TableReading {
  /** The epoch that the table is marked with; null when there is no table. */
  readonly epoch: string | null;
  /** Hash of the table's text (`textHash`); null when there is no table, or one of an older agent. */
  readonly text: string | null;
  readonly counters: ReadonlyMap<number, Counters>;
}

/** The nftables table to read, and how its marks stand for slots. */
export interface TableSource {
  readonly shell: Pick<Shell, 'run'>;
  readonly table: string;
  readonly markOf: MarkOrder;
}

export async function readTable(source: TableSource): Promise<TableReading> {
  const [up, down] = await Promise.all([listSet(source, 'up'), listSet(source, 'down')]);
  if (up === null || down === null) return { epoch: null, text: null, counters: new Map() };
  return combine(up, down, source.markOf);
}

/** Bytes that each slot's quota has dropped since the table was built. */
export async function readDropped(source: TableSource): Promise<Map<number, bigint>> {
  return parseElements((await listSet(source, 'dropped')) ?? '', source.markOf).bytes;
}

/** DNS queries of each slot that were blocked since the table was built. */
export async function readBlockedQueries(source: TableSource): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const [, mark, packets] of ((await listSet(source, 'blocked_queries')) ?? '').matchAll(PACKETS)) {
    counts.set(source.markOf(Number(mark)), Number(packets));
  }
  return counts;
}

export function isAbsent(error: unknown): boolean {
  return error instanceof CommandFailed && error.stderr.includes('No such file or directory');
}

/** Null when there is no such set. */
async function listSet({ shell, table }: TableSource, set: string): Promise<string | null> {
  try {
    return await shell.run('nft', ['-j', 'list', 'set', 'inet', table, set]);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function combine(upText: string, downText: string, slotOf: MarkOrder): TableReading {
  const up = parseElements(upText, slotOf);
  const down = parseElements(downText, slotOf).bytes;
  const counters = new Map<number, Counters>();
  for (const [slot, bytes] of up.bytes) {
    const downBytes = down.get(slot);
    // A block that was created between the two listings is in only one of them.
    if (downBytes !== undefined) counters.set(slot, { up: bytes, down: downBytes });
  }
  return { epoch: up.epoch, text: up.text, counters };
}

const ELEMENT = /"val": (\d+)(?:, "comment": "([0-9a-f]+)")?, "counter": \{"packets": \d+, "bytes": (\d+)\}/g;
const PACKETS = /"val": (\d+), "counter": \{"packets": (\d+)/g;
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
