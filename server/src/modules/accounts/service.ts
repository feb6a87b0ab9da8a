import type { Service } from '@raha/contract/public/service.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Tx } from '../../platform/database.ts';
import {
  insertStops,
  type ServiceStop,
  type StopRow,
  selectStop,
  updateOpened,
  updateRestored,
} from './service-tables.ts';
import { accountChanged } from './signals.ts';

export { deleteStop as forgetService, type ServiceStop, type StopRow, stopRows } from './service-tables.ts';

/** The latest stop of a user's service. */
export const findStop = selectStop;

/** The service of these users is stopped: nothing pays for more. Returns those for whom that is new. */
export async function stopService(
  tx: Tx,
  bus: Bus,
  stops: readonly { readonly userId: string; readonly cause: ServiceStop['cause'] }[],
  now: Date,
): Promise<string[]> {
  return stops.length === 0 ? [] : await announce(tx, bus, await insertStops(tx, stops, now));
}

/** Leases of these users were raised: their service is back as soon as a node confirms. Returns those who were stopped. */
export async function restoreStopped(tx: Tx, bus: Bus, userIds: readonly string[], now: Date): Promise<string[]> {
  return userIds.length === 0 ? [] : await announce(tx, bus, await updateRestored(tx, userIds, now));
}

/** A node enforces leases of these users that are not used up. */
export async function confirmService(tx: Tx, bus: Bus, userIds: readonly string[], now: Date): Promise<void> {
  if (userIds.length > 0) await announce(tx, bus, await updateOpened(tx, userIds, now));
}

async function announce(tx: Tx, bus: Bus, userIds: readonly string[]): Promise<string[]> {
  for (const userId of userIds) await bus.announce(tx, accountChanged, { userId });
  return [...userIds];
}

export function stopOf(row: StopRow): ServiceStop | undefined {
  const { cause, stopped_at, restored_at, opened_at } = row;
  return cause === null || stopped_at === null ? undefined : { cause, stopped_at, restored_at, opened_at };
}

/**
 * Whether a user has service, in one place for every screen. `isServed`: activated, or in a trial that needs no activation.
 * `isPaidFor`: trial, plan or wallet have something left.
 */
export function decideService(facts: {
  readonly isServed: boolean;
  readonly isPaidFor: boolean;
  readonly stop: ServiceStop | undefined;
}): Service {
  const { isServed, isPaidFor, stop } = facts;
  const restored = stop?.restored_at
    ? {
        stopped_at: stop.stopped_at.toISOString(),
        restored_at: stop.restored_at.toISOString(),
        opened_at: stop.opened_at?.toISOString() ?? null,
      }
    : null;
  if (!isServed) return { state: 'not_activated', cause: null, since: null, restored: null };
  if (stop && !stop.restored_at) {
    return { state: 'cut', cause: stop.cause, since: stop.stopped_at.toISOString(), restored: null };
  }
  return { state: isPaidFor ? 'on' : 'empty', cause: null, since: null, restored };
}
