import { limits } from '@raha/contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { byIndex, type Database, inTransaction } from '../../platform/database.ts';
import { postUsage } from '../ledger/post-usage.ts';
import { type Due, takeUnbooked } from '../metering/leases.ts';
import { hourOf } from '../metering/rules.ts';
import type { ServiceNotifier } from './notifications.ts';

interface BookDeps {
  readonly db: Database;
  readonly clock: Clock;
}

/**
 * Books what usage of past hours cost, on the day of the hour: one transfer for a thousand configs, one entry per user. Until
 * then it lies in the reserved part of the wallet and counts as spent (decision 73). Books a few thousand configs; the rest
 * waits for the next call. Safe to repeat. Returns whose usage was booked, a user once per config.
 */
export async function bookPastHours(deps: BookDeps): Promise<string[]> {
  const booked: string[] = [];
  for (let transfers = 0; transfers < limits.metering.bookingsPerRun; transfers += 1) {
    const dues = await bookSome(deps);
    booked.push(...dues.map(({ user_id }) => user_id));
    if (dues.length < limits.metering.configsPerBooking) break;
  }
  return booked;
}

async function bookSome({ db, clock }: BookDeps): Promise<Due[]> {
  return await inTransaction(db, async (tx) => {
    await byIndex(tx);
    const now = clock.now();
    const dues = await takeUnbooked(tx, hourOf(now), limits.metering.configsPerBooking);
    for (const [day, charges] of byDay(dues)) await postUsage(tx, charges, { day, now });
    return dues;
  });
}

function byDay(dues: readonly Due[]): Map<string, Map<string, bigint>> {
  const days = new Map<string, Map<string, bigint>>();
  for (const { day, user_id, due_toman } of dues) {
    const charges = days.get(day) ?? new Map<string, bigint>();
    days.set(day, charges.set(user_id, (charges.get(user_id) ?? 0n) + due_toman));
  }
  return days;
}

/** The schedule: books, and warns those whose balance has become low since a report last looked. */
export async function bookAndWarn(deps: BookDeps & { readonly notifier: ServiceNotifier }): Promise<void> {
  const userIds = new Set(await bookPastHours(deps));
  if (userIds.size === 0) return;
  await inTransaction(deps.db, async (tx) => {
    await deps.notifier.balanceFell(tx, [...userIds]);
    await deps.notifier.balanceRunsOut(tx, [...userIds]);
  });
}
