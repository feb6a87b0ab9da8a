import type { Tx } from '../../platform/database.ts';
import { countUse } from '../accounts/trial.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import type { FreeUse } from '../metering/leases.ts';
import { cutTrials } from '../metering/trial-leases.ts';
import { beginWaiting } from '../subscriptions/allowance.ts';

/**
 * Counts what these meters, which are locked, have just billed to the trials of their owners. What goes beyond a trial's
 * limit is taken out of what is free and waits for money; a plan that waits for the end of the trial begins. Returns
 * whether a meter was changed.
 */
export async function countTrials(tx: Tx, uses: readonly FreeUse[], now: Date): Promise<boolean> {
  const free = uses.filter(({ newly_free }) => newly_free > 0n);
  if (free.length === 0) return false;
  const used = new Map<string, bigint>();
  for (const { user_id, newly_free } of free) used.set(user_id, (used.get(user_id) ?? 0n) + newly_free);
  const counted = await countUse(tx, used, now);
  const cutShort = new Map<string, Date>();
  for (const [userId, use] of counted) if (use.cutShort) cutShort.set(userId, use.cutShort);
  if (cutShort.size > 0) {
    await lockAccounts(tx, [...cutShort.keys()].sort());
    await beginWaiting(tx, cutShort, now);
  }
  const beyond = shareOut(free, new Map([...counted].map(([userId, use]) => [userId, use.beyond])));
  if (beyond.size > 0) await cutTrials(tx, beyond);
  return beyond.size > 0;
}

/** Which bytes are beyond the limit: those of the last configs, at most what each has just used. */
function shareOut(free: readonly FreeUse[], beyond: Map<string, bigint>): Map<string, bigint> {
  const shares = new Map<string, bigint>();
  for (const { config_id, user_id, newly_free } of free.toReversed()) {
    const left = beyond.get(user_id) ?? 0n;
    const share = left < newly_free ? left : newly_free;
    if (share === 0n) continue;
    shares.set(config_id, share);
    beyond.set(user_id, left - share);
  }
  return shares;
}
