import type { Lease } from '@raha/contract/node/protocol.ts';
import type { Executor } from '../../platform/database.ts';
import { listPayingPeriods, type PayingPeriod } from '../metering/desired-leases.ts';
import { readSpeeds } from '../subscriptions/plans.ts';

/**
 * How fast leases may be used, by config (decision 136): at the greatest speed of the plan that pays for the first of their bytes for which one
 * does, as long as such bytes are left. What the wallet or the trial pays for has no limit.
 */
export async function speedsOf(
  db: Executor,
  periods: readonly PayingPeriod[],
): Promise<ReadonlyMap<string, Pick<Lease, 'maxMbit'>>> {
  const paying = periods.flatMap(({ config_id: config, period_id: id }) => (id === null ? [] : [{ config, id }]));
  const speeds = await readSpeeds(db, [...new Set(paying.map(({ id }) => id))]);
  return new Map(
    paying.flatMap(({ config, id }) => {
      const maxMbit = speeds.get(id);
      return maxMbit === undefined ? [] : [[config, { maxMbit }] as const];
    }),
  );
}

/** The same, of these configs' leases as they are now. */
export async function readLeaseSpeeds(
  db: Executor,
  configIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<Lease, 'maxMbit'>>> {
  return configIds.length === 0 ? new Map() : await speedsOf(db, await listPayingPeriods(db, configIds));
}
