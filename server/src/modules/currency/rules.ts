import { limits } from '@raha/contract/limits.ts';

const MINUTE_MS = 60_000;

/** The answer of one source: whole toman per US dollar (fractions are dropped), and its own time stamp if it has one. */
export interface Quote {
  readonly source: string;
  readonly tomanPerUsd: number;
  readonly at: Date | undefined;
}

export type Outcome = 'used' | 'outlier' | 'stale' | 'out_of_band' | 'failed';

export interface Judged {
  readonly source: string;
  readonly tomanPerUsd: number | null;
  readonly outcome: Outcome;
}

export interface Market {
  /** Undefined when too few sources answered or agree. */
  readonly tomanPerUsd: number | undefined;
  readonly sources: readonly Judged[];
}

/**
 * The market's rate. At least three sources must be fresh and within the operator's band. Those more than 8 % from their
 * median are left out, at least two must remain, and the rate is the median of those. A source's unit is a constant of
 * its adapter: a figure ten times too large is an outlier, and its unit is never guessed.
 */
export function decideMarket(
  asked: readonly string[],
  quotes: readonly Quote[],
  band: { readonly minToman: number; readonly maxToman: number },
  now: Date,
): Market {
  const early = new Map<string, Outcome>();
  const sound = quotes.filter((quote) => {
    const fault = faultOf(quote, band, now);
    if (fault) early.set(quote.source, fault);
    return !fault;
  });
  const enough = sound.length >= limits.exchangeRate.sourcesAsked;
  const middle = enough ? median(sound.map((quote) => quote.tomanPerUsd)) : undefined;
  const near = (quote: Quote) =>
    middle === undefined || within(quote.tomanPerUsd, middle, limits.exchangeRate.outlierPercent);
  const used = sound.filter(near);
  const agreed = enough && used.length >= limits.exchangeRate.sourcesAgreeing;
  const bySource = new Map(quotes.map((quote) => [quote.source, quote]));
  return {
    tomanPerUsd: agreed ? median(used.map((quote) => quote.tomanPerUsd)) : undefined,
    sources: asked.map((source) => {
      const quote = bySource.get(source);
      if (!quote) return { source, tomanPerUsd: null, outcome: 'failed' };
      return {
        source,
        tomanPerUsd: quote.tomanPerUsd,
        outcome: early.get(source) ?? (near(quote) ? 'used' : 'outlier'),
      };
    }),
  };
}

function faultOf(quote: Quote, band: { minToman: number; maxToman: number }, now: Date): Outcome | undefined {
  if (!Number.isSafeInteger(quote.tomanPerUsd) || quote.tomanPerUsd <= 0) return 'failed';
  if (quote.tomanPerUsd < band.minToman || quote.tomanPerUsd > band.maxToman) return 'out_of_band';
  const age = quote.at === undefined ? 0 : now.getTime() - quote.at.getTime();
  // A time stamp far in the future is as unreliable as an old one.
  return Math.abs(age) > limits.exchangeRate.sourceFreshMinutes * MINUTE_MS ? 'stale' : undefined;
}

export type Acceptance = 'accepted' | 'held';

/**
 * Whether a market rate replaces the last accepted one. A jump of more than 10 % is held back until readings within 2 % of
 * it have arrived for five minutes; meanwhile the last accepted rate is used.
 */
export function decideAcceptance(
  tomanPerUsd: number,
  lastAccepted: number | undefined,
  /** Held readings since the last accepted one, oldest first. */
  held: readonly { readonly tomanPerUsd: number; readonly takenAt: Date }[],
  now: Date,
): Acceptance {
  if (lastAccepted === undefined || within(tomanPerUsd, lastAccepted, limits.exchangeRate.jumpPercent))
    return 'accepted';
  let since: Date | undefined;
  for (const reading of held.toReversed()) {
    if (!within(reading.tomanPerUsd, tomanPerUsd, limits.exchangeRate.jumpAgreePercent)) break;
    since = reading.takenAt;
  }
  const long =
    since !== undefined && now.getTime() - since.getTime() >= limits.exchangeRate.jumpHoldMinutes * MINUTE_MS;
  return long ? 'accepted' : 'held';
}

export type OperatorRate = 'fine' | 'out_of_band' | 'jump';

/**
 * Whether a rate that the operator types is plausible. `out_of_band` is a mistake (rial for toman, a lost digit); `jump`,
 * more than 10 % from the last known rate, needs confirmation.
 */
export function decideOperatorRate(
  tomanPerUsd: number,
  band: { readonly minToman: number; readonly maxToman: number },
  lastKnown: number | undefined,
): OperatorRate {
  if (tomanPerUsd < band.minToman || tomanPerUsd > band.maxToman) return 'out_of_band';
  return lastKnown === undefined || within(tomanPerUsd, lastKnown, limits.exchangeRate.jumpPercent) ? 'fine' : 'jump';
}

/** Whether an accepted market rate is recent enough to be used. */
export function isServing(takenAt: Date, now: Date): boolean {
  return now.getTime() - takenAt.getTime() <= limits.exchangeRate.keepMinutes * MINUTE_MS;
}

/** US dollars in toman, rounded down; exact to a millionth of a dollar, without floating-point error. */
export function convertUsd(amountUsd: number, tomanPerUsd: number): bigint {
  const millionths = BigInt(Math.round(amountUsd * 1_000_000));
  return (millionths * BigInt(tomanPerUsd)) / 1_000_000n;
}

/** The middle value; for an even count, the mean of the middle two, rounded down. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.floor(((sorted[middle - 1] ?? 0) + upper) / 2);
}

function within(value: number, reference: number, percent: number): boolean {
  return Math.abs(value - reference) * 100 <= reference * percent;
}
