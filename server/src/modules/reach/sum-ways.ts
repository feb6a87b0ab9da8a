import type { ReachCell } from './tables.ts';

type Sum = Record<'attempts' | 'through' | 'answers' | 'connected', bigint>;

export interface ReachTotal extends Pick<ReachCell, 'network' | 'transport' | 'port'> {
  /** Since `daySince`. */
  readonly day: Sum;
  readonly all: Sum;
}

/** A line for each network and way, in the order of the cells. */
export function sumWays(cells: readonly ReachCell[], daySince: Date): ReachTotal[] {
  const ways = new Map<string, ReachTotal>();
  for (const cell of cells) {
    const { network, transport, port } = cell;
    const key = `${network} ${transport} ${port}`;
    const total = ways.get(key) ?? { network, transport, port, day: nothing(), all: nothing() };
    ways.set(key, total);
    add(total.all, cell);
    if (cell.begins >= daySince) add(total.day, cell);
  }
  return [...ways.values()];
}

function nothing(): Sum {
  return { attempts: 0n, through: 0n, answers: 0n, connected: 0n };
}

function add(sum: Sum, cell: Sum): void {
  for (const key of ['attempts', 'through', 'answers', 'connected'] as const) sum[key] += cell[key];
}
