import { type Figure, medianFigure, type Say } from './run.ts';
import { median, percentile } from './statistics.ts';

/** Some calls of one kind, after which the processor time per call is known, in ms. */
export interface Block {
  readonly name: string;
  readonly measure: () => Promise<Spent>;
}

export interface Spent {
  readonly all: number;
  /** The part of the database. */
  readonly database: number;
}

/** The product of what `ours` cost, divided by that of what `yardsticks` cost. */
export interface Comparison {
  readonly what: string;
  readonly ours: readonly Block[];
  readonly yardsticks: readonly Block[];
  readonly aim?: NonNullable<Figure['aim']>;
}

/**
 * Measures each comparison in many rounds, in each of them its blocks directly after one another, and each block first in its turn. The
 * same program costs half as much again in one minute as in the next, depending on what else uses the processor's caches and
 * memory; blocks of a tenth of a second that follow each other see the same machine, and which of them comes first does not matter.
 * The first `warming` rounds do not count. The figure is the median over the rounds. As a median leaves out what is rare, such as a long collection of garbage, the quotient of
 * all blocks together is told beside it: there everything counts.
 */
export async function measureBlocks(
  part: Figure['part'],
  comparisons: readonly Comparison[],
  { rounds, warming }: { readonly rounds: number; readonly warming: number },
  say: Say,
): Promise<Figure[]> {
  const results = comparisons.map((comparison) => ({ comparison, spent: [] as ReadonlyMap<Block, Spent>[] }));
  for (let round = -warming; round < rounds; round += 1) {
    for (const { comparison, spent } of results) {
      const measured = await measureRound([...comparison.ours, ...comparison.yardsticks], round + warming);
      if (round >= 0) spent.push(measured);
    }
  }
  const byBlock = new Map<Block, Spent[]>();
  for (const { spent } of results)
    for (const measured of spent)
      for (const [block, cost] of measured) byBlock.set(block, [...(byBlock.get(block) ?? []), cost]);
  for (const [{ name }, costs] of byBlock) say(`  ${name}: ${describeCosts(costs)}`);
  for (const { comparison, spent } of results) say(`  ${comparison.what}: ${describeRatios(comparison, spent)}`);
  return [
    ...[...byBlock].map(([{ name }, costs]) => medianFigure(part, `processor time: ${name}`, 'ms', costs.map(allOf))),
    ...results.map(({ comparison, spent }) => {
      const ratios = spent.map((measured) => ratioOf(comparison, (block) => allOf(measured.get(block) as Spent)));
      return medianFigure(part, comparison.what, '×', ratios, comparison.aim);
    }),
  ];
}

const allOf = ({ all }: Spent): number => all;

async function measureRound(blocks: readonly Block[], round: number): Promise<ReadonlyMap<Block, Spent>> {
  const measured = new Map<Block, Spent>();
  for (let at = 0; at < blocks.length; at += 1) {
    const block = blocks[(at + round) % blocks.length] as Block;
    measured.set(block, await block.measure());
  }
  return measured;
}

function ratioOf({ ours, yardsticks }: Comparison, costOf: (block: Block) => number): number {
  const product = (blocks: readonly Block[]) => blocks.reduce((all, block) => all * costOf(block), 1);
  return product(ours) / product(yardsticks);
}

function describeCosts(costs: readonly Spent[]): string {
  const all = costs.map(allOf);
  const database = median(costs.map((cost) => cost.database));
  return `${median(all).toFixed(3)} ms, ${spread(all, 3)}, of it PostgreSQL ${database.toFixed(3)}`;
}

function describeRatios(comparison: Comparison, spent: readonly ReadonlyMap<Block, Spent>[]): string {
  const costs = (block: Block) => spent.map((measured) => allOf(measured.get(block) as Spent));
  const ratios = spent.map((_, index) => ratioOf(comparison, (block) => costs(block)[index] as number));
  const together = ratioOf(comparison, (block) => costs(block).reduce((sum, cost) => sum + cost, 0));
  return `${median(ratios).toFixed(2)} ×, ${spread(ratios, 2)}, all blocks together ${together.toFixed(2)}`;
}

function spread(values: readonly number[], digits: number): string {
  const [lowest, low, high, highest] = [0, 25, 75, 100].map((percent) => percentile(values, percent).toFixed(digits));
  return `half of the blocks ${low} to ${high}, all ${lowest} to ${highest}`;
}
