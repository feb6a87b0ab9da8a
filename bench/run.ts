import { median, pairwiseRatios } from './statistics.ts';

/** One line of the report: a figure, its aim, and whether it is met. */
export interface Figure {
  readonly part: 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o';
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly aim?: { readonly atMost: number } | { readonly atLeast: number };
  /** The runs behind a median. */
  readonly runs?: readonly number[];
}

export type Say = (line: string) => void;

export function meets(figure: Figure): boolean | undefined {
  if (!figure.aim) return undefined;
  return 'atMost' in figure.aim ? figure.value <= figure.aim.atMost : figure.value >= figure.aim.atLeast;
}

export function medianFigure(
  part: Figure['part'],
  what: string,
  unit: string,
  runs: readonly number[],
  aim?: NonNullable<Figure['aim']>,
): Figure {
  return { part, what, value: median(runs), unit, runs, ...(aim ? { aim } : {}) };
}

export function ratioFigure(
  part: Figure['part'],
  what: string,
  ours: readonly number[],
  yardstick: readonly number[],
  aim?: NonNullable<Figure['aim']>,
): Figure {
  return medianFigure(part, what, '×', pairwiseRatios(ours, yardstick), aim);
}

/** Operations per second of `clients` concurrent loops in `seconds`. */
export async function rateOf(
  clients: number,
  seconds: number,
  work: (client: number) => Promise<number>,
): Promise<number> {
  const begin = performance.now();
  const end = begin + seconds * 1_000;
  let done = 0;
  const loop = async (client: number) => {
    while (performance.now() < end) {
      // Not `done += await …`: that reads the sum before the wait.
      const more = await work(client);
      done += more;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => loop(client)));
  return done / ((performance.now() - begin) / 1_000);
}
