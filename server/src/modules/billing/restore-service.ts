import { limits } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import { addSeconds } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { restoreStopped } from '../accounts/service.ts';
import { nextGenerations } from '../fleet/node-state.ts';
import { nodeStateChanged } from '../fleet/signals.ts';
import {
  lockMeters,
  lockMetersOfUser,
  type MeterRow,
  nextSpan,
  selectOversizedIdle,
  updateGenerations,
  updateLeases,
} from '../metering/leases.ts';
import { type GrantDeps, type Granted, grantLeases } from './grant-leases.ts';
import type { ServiceNotifier } from './notifications.ts';
import { hasUsableLease, isHeldByCap, isLow, neededSoon, shareTarget, shrinkTarget } from './rules.ts';

export interface RestoreDeps extends GrantDeps {
  readonly db: Database;
  readonly bus: Bus;
  readonly notifier: ServiceNotifier;
}

/**
 * Raises the leases of a user's configs after money came in, and signals the nodes at once; those of configs that could not be
 * renewed before, if the money is enough for all of them. If a config still gets nothing, the leases of the others are lowered for
 * it. Safe to repeat.
 */
export async function restoreService(deps: RestoreDeps, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const meters = await lockMetersOfUser(tx, userId);
    const low = meters.filter(isLow);
    const isDue = low.length > 0 || meters.some(isWaiting);
    const granted = isDue ? await raiseLow(tx, deps, userId, meters) : [];
    const back = granted.length === 0 ? await noteBack(tx, deps, userId, meters) : [];
    const raised = new Set(granted.map((grant) => grant.configId));
    const starving = low.some((meter) => !raised.has(meter.config_id) && !isHeldByCap(meter));
    const lowered = starving ? await lowerForOthers(tx, deps, meters, raised) : [];
    const raisedNow = granted.map(({ configId, nodeId }) => ({ configId, nodeId }));
    await changeWanted(tx, deps.bus, [...raisedNow, ...back, ...lowered]);
  });
}

/**
 * A report may have found the money first. Its answer carried the lease; it is wanted as well, because a node confirms only
 * what it polls.
 */
async function noteBack(
  tx: Tx,
  deps: RestoreDeps,
  userId: string,
  meters: readonly MeterRow[],
): Promise<WantedChange[]> {
  const usable = meters.filter((meter) => !meter.final && hasUsableLease(meter));
  if (usable.length === 0) return [];
  if ((await restoreStopped(tx, deps.bus, [userId], deps.clock.now())).length === 0) return [];
  await deps.notifier.serviceRestored(tx, userId);
  return usable.map((meter) => ({ configId: meter.config_id, nodeId: meter.node_id }));
}

/**
 * Lowers the leases of a user's other configs when the wallet is empty, so that their money is there before the config in
 * use needs it.
 */
export async function reclaimForOthers(deps: RestoreDeps, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await changeWanted(tx, deps.bus, await lowerForOthers(tx, deps, await lockMetersOfUser(tx, userId)));
  });
}

/** Raises the leases of a user's locked meters that are low, and notifies the user if the service was stopped before. */
export async function raiseLow(
  tx: Tx,
  deps: GrantDeps & Pick<RestoreDeps, 'notifier' | 'bus'>,
  userId: string,
  meters: readonly MeterRow[],
): Promise<Granted[]> {
  const low = meters.filter(isLow);
  const waiting = meters.filter(isWaiting);
  const granted = await grantLeases(tx, deps, [...low, ...waiting], {
    siblings: () => meters.length,
    isAllOrNothing: (meter) => waiting.includes(meter),
  });
  if (granted.length > 0) {
    await restoreStopped(tx, deps.bus, [userId], deps.clock.now());
    await deps.notifier.serviceRestored(tx, userId);
  }
  return granted;
}

/** Whether a lease could not be renewed when it was due, and goes on with what it has. */
function isWaiting(meter: MeterRow): boolean {
  return !meter.final && meter.lease_short && meter.lease_shrink_to === null && !isLow(meter);
}

const MOST_RECLAIMED = 500;

/** Takes back the unused part of large leases of configs that have been idle for ten minutes, some meters each time. */
export async function reclaimIdleLeases(deps: RestoreDeps): Promise<number> {
  const before = addSeconds(deps.clock.now(), -limits.lease.reclaimIdleSeconds);
  const span = await nextSpan(deps.db, 'oversized');
  const ids = await selectOversizedIdle(deps.db, limits.lease.idleBytes, before, MOST_RECLAIMED, span);
  if (ids.length === 0) return 0;
  await inTransaction(deps.db, async (tx) => {
    await changeWanted(tx, deps.bus, await shrink(tx, await lockMeters(tx, ids), idleTarget));
  });
  return ids.length;
}

export interface WantedChange {
  readonly configId: string;
  readonly nodeId: string;
}

const IDLE_MS = 15_000;

/**
 * Lowers the leases of configs for the benefit of the others: those without traffic for a few seconds to almost nothing, and,
 * when one of the others has next to nothing left, those in use to what they need soon.
 */
async function lowerForOthers(
  tx: Tx,
  deps: RestoreDeps,
  meters: readonly MeterRow[],
  raised: ReadonlySet<string> = new Set(),
): Promise<WantedChange[]> {
  const now = deps.clock.now().getTime();
  const isIdle = (meter: MeterRow) => now - (meter.last_used_at?.getTime() ?? 0) > IDLE_MS;
  const others = meters.filter((meter) => !raised.has(meter.config_id));
  const isUrgent = others.some((meter) => hasLittle(meter) && (isLow(meter) || !isIdle(meter)));
  return await shrink(
    tx,
    others.filter((meter) => isIdle(meter) || (isUrgent && !hasLittle(meter))),
    (meter) => (isIdle(meter) ? shrinkTarget(stateOf(meter), true) : shareTarget(stateOf(meter))),
    { isShort: true },
  );
}

/** Whether a config has less than it needs soon, and money would change that. */
function hasLittle(meter: MeterRow): boolean {
  const left = meter.lease_limit_bytes - meter.billed_bytes;
  return !meter.final && left < neededSoon(meter.lease_rate) && !isHeldByCap(meter);
}

function idleTarget(meter: MeterRow): bigint {
  return shrinkTarget(stateOf(meter), false);
}

function stateOf(meter: MeterRow): { billed: bigint; limit: bigint; rate: bigint } {
  return { billed: meter.billed_bytes, limit: meter.lease_limit_bytes, rate: meter.lease_rate };
}

async function shrink(
  tx: Tx,
  meters: readonly MeterRow[],
  targetOf: (meter: MeterRow) => bigint,
  flags: { readonly isShort?: boolean } = {},
): Promise<WantedChange[]> {
  const shrinking = meters.filter(
    (meter) => meter.lease_shrink_to === null && !meter.final && targetOf(meter) < meter.lease_limit_bytes,
  );
  return await askToLower(tx, shrinking, targetOf, flags);
}

/** Asks the nodes of locked meters to enforce lower limits; what that frees comes back once they confirm. */
export async function askToLower(
  tx: Tx,
  meters: readonly MeterRow[],
  targetOf: (meter: MeterRow) => bigint,
  { isShort }: { readonly isShort?: boolean } = {},
): Promise<WantedChange[]> {
  await updateLeases(
    tx,
    meters.map((meter) => ({
      configId: meter.config_id,
      version: meter.lease_version + 1,
      limit: meter.lease_limit_bytes,
      shrinkTo: targetOf(meter),
      grantBytes: meter.lease_grant_bytes,
      segmentStart: meter.segment_start,
      segmentPrice: meter.segment_price,
      segmentSubscriptionId: meter.segment_subscription_id,
      ...(isShort === undefined ? {} : { isShort }),
    })),
  );
  return meters.map((meter) => ({ configId: meter.config_id, nodeId: meter.node_id }));
}

/** Raises the generation of each affected node and, when the transaction commits, ends its long poll. */
export async function changeWanted(tx: Tx, bus: Bus, changes: readonly WantedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const generations = await nextGenerations(tx, [...new Set(changes.map((change) => change.nodeId))]);
  await updateGenerations(
    tx,
    changes.map(({ configId, nodeId }) => ({ configId, generation: generations.get(nodeId) ?? 0n })),
  );
  for (const nodeId of generations.keys()) await bus.announce(tx, nodeStateChanged, { nodeId });
}
