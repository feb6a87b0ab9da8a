import { limits } from '@raha/contract/limits.ts';

/** Toman that a card is worth at a rate: face value in cents × toman per dollar, rounded down. */
export function worthToman(faceUsdCents: number, tomanPerUsd: number): bigint {
  return (BigInt(faceUsdCents) * BigInt(tomanPerUsd)) / 100n;
}

/** Whether the rate that a person saw is close enough to the server's to redeem without asking again (2 %). */
export function isRateCurrent(seenToman: number | undefined, currentToman: number): boolean {
  if (seenToman === undefined) return true;
  return Math.abs(seenToman - currentToman) * 100 <= currentToman * limits.giftCard.rateTolerancePercent;
}

/** Minutes to wait when an account has had its share of wrong codes this hour; undefined when it may try. */
export function throttleMinutes(failures: readonly Date[], now: Date): number | undefined {
  const { attemptsPerAccountPerHour } = limits.giftCard;
  const recent = failures
    .filter((at) => now.getTime() - at.getTime() < 3_600_000)
    .sort((a, b) => b.getTime() - a.getTime());
  const oldest = recent[attemptsPerAccountPerHour - 1];
  return oldest && Math.max(1, Math.ceil((oldest.getTime() + 3_600_000 - now.getTime()) / 60_000));
}
