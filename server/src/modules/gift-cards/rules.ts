import { limits } from '@raha/contract/limits.ts';

/** The value of a card in toman: face value in cents × toman per dollar, rounded down. */
export function worthToman(faceUsdCents: number, tomanPerUsd: number): bigint {
  return (BigInt(faceUsdCents) * BigInt(tomanPerUsd)) / 100n;
}

/**
 * Whether the exchange rate that the user saw is within 2 % of the current one, so that they need not be asked again.
 */
export function isRateCurrent(seenToman: number | undefined, currentToman: number): boolean {
  if (seenToman === undefined) return true;
  return Math.abs(seenToman - currentToman) * 100 <= currentToman * limits.giftCard.rateTolerancePercent;
}

/** How many wrong codes an account may try in an hour. A code has 75 random bits, so ten guesses do not find one. */
export const guesses = { allowed: limits.giftCard.attemptsPerAccountPerHour, windowMinutes: 60 } as const;

/** How a redeemed code is shown: its last four symbols. */
export function maskedCode(last4: string): string {
  return `••••-••••-••••-${last4}`;
}
