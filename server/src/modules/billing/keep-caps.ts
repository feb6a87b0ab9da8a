import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { capMonth, listCapsToKeep, renewCaps, updateCap } from '../metering/caps.ts';
import { lockMeters } from '../metering/leases.ts';
import { askToLower, changeWanted } from './restore-service.ts';
import { capTarget } from './rules.ts';

export interface CapDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly jobs: Jobs;
}

/**
 * Sets or ends the monthly cap of a config that the caller has locked. A lease that reaches beyond a lower cap is lowered, and holds
 * from when the node hears of it; a higher one gives more at once.
 */
export async function changeCap(
  tx: Tx,
  deps: CapDeps,
  config: { readonly id: string; readonly userId: string },
  bytes: bigint | null,
): Promise<void> {
  await lockMeters(tx, [config.id]);
  await updateCap(tx, config.id, bytes, capMonth(deps.clock.now()));
  await holdToCaps(tx, deps, [config.id]);
  await deps.jobs.send(tx, fundsAdded, { userId: config.userId });
}

const MOST_KEPT = 500;

/**
 * Begins the new month of caps, so that their configs go on, and lowers leases that reach beyond a cap. Safe to repeat; some
 * meters each time, and the caller comes back.
 */
export async function keepCaps(deps: CapDeps): Promise<number> {
  const month = capMonth(deps.clock.now());
  const ids = await listCapsToKeep(deps.db, month, MOST_KEPT);
  if (ids.length === 0) return 0;
  await inTransaction(deps.db, async (tx) => {
    const meters = await lockMeters(tx, ids);
    await renewCaps(tx, ids, month);
    await holdToCaps(tx, deps, ids);
    for (const userId of new Set(meters.map(({ user_id }) => user_id)))
      await deps.jobs.send(tx, fundsAdded, { userId });
  });
  return ids.length;
}

async function holdToCaps(tx: Tx, deps: Pick<CapDeps, 'bus'>, ids: readonly string[]): Promise<void> {
  const beyond = (await lockMeters(tx, ids)).filter((meter) => !meter.final && capTarget(meter) !== undefined);
  await changeWanted(tx, deps.bus, await askToLower(tx, beyond, (meter) => capTarget(meter) ?? 0n));
}
