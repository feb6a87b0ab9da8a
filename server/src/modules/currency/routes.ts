import { limits } from '@raha/contract/limits.ts';
import type { currency } from '@raha/contract/public/gift-cards.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import type { RateSource } from './rate.ts';

export function currencyRoutes(deps: { rate: RateSource }): Handlers<typeof currency, unknown, unknown> {
  const answer = async () => {
    const rate = await deps.rate.current();
    return {
      success: true as const,
      rate: rate?.tomanPerUsd ?? null,
      timestamp: rate?.takenAt.toISOString() ?? null,
      fallback: { activation: limits.rate.activationFallbackToman, other: limits.rate.otherFallbackToman },
    };
  };
  return { getUsdRate: answer, refreshUsdRate: answer };
}
