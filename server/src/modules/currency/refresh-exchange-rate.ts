import { limits } from '@raha/contract/limits.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { newId } from '../../platform/random.ts';
import { getSetting } from '../../platform/settings.ts';
import type { ExchangeRateFeed, ExchangeRateSource } from './exchange-rate.ts';
import { decideAcceptance, decideMarket, type Market } from './rules.ts';
import { maxExchangeRate, minExchangeRate } from './settings.ts';
import { insertRate, selectAccepted, selectHeld, takeTurn } from './tables.ts';

export interface RefreshDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly exchangeRateFeeds: readonly ExchangeRateFeed[];
  readonly exchangeRate: ExchangeRateSource;
}

/**
 * Reads the market at most once a minute among all processes and callers. Every reading is stored with the answer of each
 * source; `decideMarket` and `decideAcceptance` decide whether it becomes the rate.
 */
export async function refreshRate(deps: RefreshDeps): Promise<void> {
  if (deps.exchangeRateFeeds.length === 0) return;
  const now = deps.clock.now();
  if (!(await takeTurn(deps.db, addSeconds(now, -limits.exchangeRate.refreshMs / 1000), now))) return;
  const answers = await Promise.all(deps.exchangeRateFeeds.map((feed) => feed.read()));
  const band = {
    minToman: await getSetting(deps.db, minExchangeRate),
    maxToman: await getSetting(deps.db, maxExchangeRate),
  };
  const names = deps.exchangeRateFeeds.map((feed) => feed.name);
  const quotes = answers.filter((quote) => quote !== undefined);
  await keepReading(deps, decideMarket(names, quotes, band, now), now);
  deps.exchangeRate.forget?.();
}

async function keepReading(deps: RefreshDeps, market: Market, now: Date): Promise<void> {
  const state = await inTransaction(deps.db, async (tx) => {
    const last = await selectAccepted(tx);
    const held = await selectHeld(tx, last?.taken_at ?? new Date(0));
    const readings = held.map((row) => ({ tomanPerUsd: Number(row.toman_per_usd), takenAt: row.taken_at }));
    const decided =
      market.tomanPerUsd === undefined
        ? 'none'
        : decideAcceptance(market.tomanPerUsd, last && Number(last.toman_per_usd), readings, now);
    await insertRate(tx, {
      id: newId(now),
      kind: 'market',
      state: decided,
      toman_per_usd: market.tomanPerUsd === undefined ? null : BigInt(market.tomanPerUsd),
      sources: market.sources,
      taken_at: now,
      valid_until: null,
    });
    return decided;
  });
  if (state !== 'accepted') deps.log.warn({ state, sources: market.sources }, 'the exchange rate was not renewed');
}
