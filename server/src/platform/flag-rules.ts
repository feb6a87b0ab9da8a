import { createHash } from 'node:crypto';
import type { FlagValue } from '@raha/contract/admin/flags.ts';

/**
 * Where a user stands between 0 and 100 for one flag: always at the same position, evenly spread, and at another one for another flag. It must
 * never change, or users would lose what they had and others get it.
 */
export function positionOf(flag: string, userId: string): number {
  const hash = createHash('sha256').update(`${flag} ${userId}`).digest();
  return (hash.readUInt32BE(0) / 2 ** 32) * 100;
}

/** Whether it is on for a user. All users for whom it is on at 10 per cent have it at 50, too. */
export function isOnFor({ percent }: Pick<FlagValue, 'percent'>, flag: string, userId: string): boolean {
  // For nobody or for all, as most are, no position is computed.
  return percent > 0 && (percent >= 100 || positionOf(flag, userId) < percent);
}

/** Whether the day by which it is to be gone is over. Days as YYYY-MM-DD. */
export function isOverdue({ until }: Pick<FlagValue, 'until'>, today: string): boolean {
  return today > until;
}
