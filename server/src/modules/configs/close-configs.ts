import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { changeWanted } from '../billing/restore-service.ts';
import { lockMeters } from '../metering/leases.ts';
import { deleteFamilyLinks } from './family-tables.ts';
import { eraseNames, lockConfigsOfUser, updateBlocked, updateDeleted } from './tables.ts';

interface Deps {
  readonly clock: Clock;
  readonly bus: Bus;
}

/** Blocks all configs of a locked user at their nodes, until the user connects each of them again. */
export async function blockConfigs(tx: Tx, deps: Deps, userId: string): Promise<void> {
  const configs = (await lockConfigsOfUser(tx, userId)).filter(({ blocked }) => !blocked);
  await lockMeters(
    tx,
    configs.map(({ id }) => id),
  );
  for (const { id } of configs) await updateBlocked(tx, id, true, null);
  await changeWanted(
    tx,
    deps.bus,
    configs.map(({ id, node_id: nodeId }) => ({ configId: id, nodeId })),
  );
}

/** Deletes all configs of a locked user, the names of those deleted earlier, and what was written for guests. */
export async function deleteConfigs(tx: Tx, deps: Deps, userId: string): Promise<void> {
  const configs = await lockConfigsOfUser(tx, userId);
  await lockMeters(
    tx,
    configs.map(({ id }) => id),
  );
  for (const { id } of configs) await updateDeleted(tx, id, deps.clock.now());
  await changeWanted(
    tx,
    deps.bus,
    configs.map(({ id, node_id: nodeId }) => ({ configId: id, nodeId })),
  );
  await eraseNames(tx, userId);
  await deleteFamilyLinks(tx, userId);
}
