import { limits } from '@raha/contract/limits.ts';

/** Toman that a card is worth at a rate: face value in cents × toman per dollar, rounded down. */
export function worthToman(faceUsdCents: number, tomanPerUsd: number): bigint {
  return (BigInt(faceUsdCents) * BigInt(tomanPerUsd)) / 100n;
}

/** Whether the rate that a user saw is close enough to the server's to redeem without asking again (2 %). */
export function isRateCurrent(seenToman: number | undefined, currentToman: number): boolean {
  if (seenToman === undefined) return true;
  return Math.abs(seenToman - currentToman) * 100 <= currentToman * limits.giftCard.rateTolerancePercent;
}

/** How many wrong codes an account may try in an hour. With 75 random bits a code, nobody guesses one in ten. */
export const guesses = { allowed: limits.giftCard.attemptsPerAccountPerHour, windowMinutes: 60 } as const;

/** A code as a user may see it again: its last four symbols. */
export function maskedCode(last4: string): string {
  return `••••-••••-••••-${last4}`;
}
