import { limits } from '@raha/contract/limits.ts';
import { createFeed, feedNames } from '../adapters/exchange-rates/feeds.ts';
import {
  type ExchangeRateFeed,
  type ExchangeRateSource,
  fixedRate,
  storedRate,
} from '../modules/currency/exchange-rate.ts';
import type { Clock } from '../platform/clock.ts';
import { type Config, ConfigError } from '../platform/config.ts';

/** A stand-in rate makes a fresh installation usable; with real sources configured there is no stand-in for them. */
export function openExchangeRate(config: Config, clock: Clock): ExchangeRateSource {
  const { usdRateToman, rateSources, simulatorsAllowed } = config;
  const standIn = simulatorsAllowed && rateSources.length === 0;
  return storedRate({
    clock,
    fixed: usdRateToman === undefined ? undefined : fixedRate(usdRateToman, 'operator', clock.now()),
    standIn: standIn ? fixedRate(limits.exchangeRate.activationFallbackToman, 'test', clock.now()) : undefined,
  });
}

export function openExchangeRateFeeds(config: Config): ExchangeRateFeed[] {
  return [...new Set(config.rateSources)].map((wanted) => {
    const name = feedNames.find((known) => known === wanted);
    if (!name)
      throw new ConfigError(`RATE_SOURCES names an unknown source "${wanted}". Sources: ${feedNames.join(', ')}.`);
    return createFeed(name, { baseUrl: config.rateBaseUrls[name] });
  });
}
