import type { Transport } from '@raha/contract/protocols.ts';

/** What came together in an hour for one way. */
interface Cell {
  readonly transport: Transport;
  readonly port: number;
  readonly begins: Date;
  readonly attempts: bigint;
  readonly through: bigint;
  readonly answers: bigint;
  readonly connected: bigint;
}

export interface Figure {
  readonly transport: Transport;
  readonly port: number | null;
  readonly percent: number;
  readonly of: number;
  readonly source: 'servers' | 'answers';
  readonly measuredAt: Date;
}

const HOUR_MS = 3_600_000;

/**
 * What to show of each way, the best first; of two that are alike the one that is better known. Servers see only attempts that reach them,
 * and users with trouble answer more often, so of the two shares the lower one counts.
 */
export function decideFigures(cells: readonly Cell[]): Figure[] {
  return cells.flatMap((cell) => decideFigure(cell) ?? []).sort((a, b) => b.percent - a.percent || b.of - a.of);
}

function decideFigure({ transport, port, begins, attempts, through, answers, connected }: Cell): Figure | undefined {
  const shares = [
    { source: 'servers' as const, of: Number(attempts), good: Number(through) },
    { source: 'answers' as const, of: Number(answers), good: Number(connected) },
  ]
    .filter(({ of }) => of > 0)
    .map(({ source, of, good }) => ({ source, of, percent: Math.round((100 * good) / of) }));
  const lowest = shares.toSorted((a, b) => a.percent - b.percent)[0];
  if (!lowest) return undefined;
  const measuredAt = new Date(begins.getTime() + HOUR_MS);
  return { transport, port: port === 0 ? null : port, ...lowest, measuredAt };
}
