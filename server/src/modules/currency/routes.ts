import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { currency } from '@raha/contract/public/currency.ts';
import { secondsBetween } from '../../platform/clock.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { ExchangeRate } from './exchange-rate.ts';
import { findLastReading } from './read-exchange-rate.ts';
import { type RefreshDeps, refreshRate } from './refresh-exchange-rate.ts';
import { convertUsd } from './rules.ts';

export function currencyRoutes(deps: RefreshDeps): Handlers<typeof currency, unknown, unknown> {
  return {
    getUsdRate: async () => describe(await deps.exchangeRate.current(deps.db)),
    async refreshUsdRate() {
      await refreshRate(deps);
      return describe(await deps.exchangeRate.current(deps.db));
    },
    async convertCurrency({ body }) {
      const rate = await deps.exchangeRate.current(deps.db);
      if (!rate) throw new Refusal('rate_unavailable');
      return {
        success: true,
        amount: body.amount,
        rate: rate.tomanPerUsd,
        converted: toWire(convertUsd(body.amount, rate.tomanPerUsd)),
        timestamp: rate.takenAt.toISOString(),
      };
    },
    async getRateCacheInfo() {
      const rate = await deps.exchangeRate.current(deps.db);
      const reading = deps.exchangeRateFeeds.length > 0 ? await findLastReading(deps.db) : undefined;
      return {
        ...describe(rate),
        age: rate ? Math.max(0, Math.floor(secondsBetween(rate.takenAt, deps.clock.now()))) : null,
        last_read: reading?.takenAt.toISOString() ?? null,
        next_read: reading?.nextAt.toISOString() ?? null,
        sources: (reading?.sources ?? []).map(({ source, tomanPerUsd, outcome }) => ({
          name: source,
          rate: tomanPerUsd,
          outcome,
        })),
      };
    },
  };
}

function describe(rate: ExchangeRate | undefined) {
  return {
    success: true as const,
    rate: rate?.tomanPerUsd ?? null,
    timestamp: rate?.takenAt.toISOString() ?? null,
    source: rate?.origin ?? null,
    fallback: {
      activation: limits.exchangeRate.activationFallbackToman,
      other: limits.exchangeRate.otherFallbackToman,
    },
  };
}
