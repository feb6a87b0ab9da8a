import type { Clock } from '../../platform/clock.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { isServing, type Quote } from './rules.ts';
import { selectAccepted, selectOverride } from './tables.ts';

/** The source of the exchange rate for prices and gift cards. */
export interface ExchangeRateSource {
  /**
   * Toman per US dollar and when it was taken; undefined when there is no current rate. Within a transaction, pass that
   * transaction: callers that each hold a connection and wait for a second one would deadlock the pool.
   */
  current(db: Executor): Promise<ExchangeRate | undefined>;
  /** Clears the cache, because a new rate was stored. */
  forget?(): void;
}

export interface ExchangeRate {
  readonly tomanPerUsd: number;
  readonly takenAt: Date;
  readonly origin: 'operator' | 'market' | 'test';
}

/** A market that publishes an exchange rate. Returns undefined when it cannot be reached or its answer is invalid. */
export interface ExchangeRateFeed {
  readonly name: string;
  read(): Promise<Quote | undefined>;
}

/** A rate that never changes: the operator's `USD_RATE_TOMAN`, or the stand-in of a fresh installation. */
export function fixedRate(tomanPerUsd: number, origin: 'operator' | 'test', startedAt: Date): ExchangeRateSource {
  return { current: async () => ({ tomanPerUsd, takenAt: startedAt, origin }) };
}

/** Every lease needs the price, so the rate is cached for this long. */
const CACHE_SECONDS = 5;

/**
 * The current rate: the operator's own while it is valid (`raha rate set`, then `USD_RATE_TOMAN`), else the last accepted
 * market rate if it is at most fifteen minutes old, else the stand-in if there is one, else none.
 */
export function storedRate(deps: {
  readonly clock: Clock;
  readonly fixed: ExchangeRateSource | undefined;
  readonly standIn: ExchangeRateSource | undefined;
}): ExchangeRateSource {
  let known: { readonly at: Date; readonly rate: ExchangeRate | undefined } | undefined;
  return {
    async current(db) {
      const now = deps.clock.now();
      const fresh = known && known.at <= now && now < addSeconds(known.at, CACHE_SECONDS);
      if (!fresh) known = { at: now, rate: await read(db, deps, now) };
      return known?.rate;
    },
    forget() {
      known = undefined;
    },
  };
}

async function read(
  db: Executor,
  deps: Parameters<typeof storedRate>[0],
  now: Date,
): Promise<ExchangeRate | undefined> {
  const override = await selectOverride(db, now);
  if (override) return { tomanPerUsd: Number(override.toman_per_usd), takenAt: override.taken_at, origin: 'operator' };
  if (deps.fixed) return await deps.fixed.current(db);
  const market = await selectAccepted(db);
  if (market && isServing(market.taken_at, now)) {
    return { tomanPerUsd: Number(market.toman_per_usd), takenAt: market.taken_at, origin: 'market' };
  }
  return await deps.standIn?.current(db);
}
