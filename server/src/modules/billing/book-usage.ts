import { limits } from '@raha/contract/limits.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { postUsage } from '../ledger/post-usage.ts';
import { takeUnbooked } from '../metering/leases.ts';
import type { ServiceNotifier } from './notifications.ts';

interface Due {
  readonly user_id: string;
  readonly due_toman: bigint;
}

/** Books unbooked usage: one transfer for all meters, one entry per user. Users whose balance becomes low are notified. */
export async function bookUsage(
  tx: Tx,
  deps: { notifier: ServiceNotifier },
  dues: readonly Due[],
  now: Date,
): Promise<void> {
  const charges = new Map<string, bigint>();
  for (const { user_id, due_toman } of dues) charges.set(user_id, (charges.get(user_id) ?? 0n) + due_toman);
  await postUsage(tx, charges, now);
  const paid = [...charges].filter(([, amount]) => amount > 0n);
  await deps.notifier.balanceFell(
    tx,
    paid.map(([userId]) => userId),
  );
}

const BATCH = 1_000;

/** Books the remaining usage of configs that are no longer reported. Safe to repeat. Returns how many were booked. */
export async function bookSilentUsage(deps: {
  db: Database;
  clock: Clock;
  notifier: ServiceNotifier;
}): Promise<number> {
  const before = addSeconds(deps.clock.now(), -limits.metering.silentSeconds);
  let booked = 0;
  for (;;) {
    const taken = await inTransaction(deps.db, async (tx) => {
      const dues = await takeUnbooked(tx, before, BATCH);
      await bookUsage(tx, deps, dues, deps.clock.now());
      return dues.length;
    });
    booked += taken;
    if (taken < BATCH) return booked;
  }
}
