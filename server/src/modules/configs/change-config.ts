import type { Bus } from '../../platform/bus.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUser } from '../accounts/users.ts';
import { changeWanted } from '../billing/restore-service.ts';
import { type ChosenKeys, makeKeys, type SealedKeys } from '../client-files/keys.ts';
import { freeAddress } from '../fleet/nodes.ts';
import { lockMeters } from '../metering/leases.ts';
import { type ConfigDeps, refusalOf } from './create-config.ts';
import { configChanged } from './signals.ts';
import {
  type ConfigRow,
  lockConfigsOfUser,
  lockOwnConfig,
  selectOwnConfig,
  updateBlocked,
  updateDeleted,
  updateKeys,
  updateName,
  updateRemoved,
} from './tables.ts';

/** A user's actions on an existing config. Another user's id is refused as `not_found`. */

export async function renameConfig(deps: ConfigDeps, userId: string, id: string, name: string): Promise<void> {
  try {
    await inTransaction(deps.db, async (tx) => {
      const config = await lockOwn(tx, userId, id);
      await updateName(tx, config.id, name);
      await deps.bus.announce(tx, configChanged, { userId, configId: id });
    });
  } catch (error) {
    throw refusalOf(error);
  }
}

/** New keys for the same device, address and meter. The node replaces the old peer, which stops working at once. */
export async function resetConfig(
  deps: ConfigDeps,
  userId: string,
  id: string,
  chosen: ChosenKeys,
): Promise<SealedKeys> {
  const config = await selectOwnConfig(deps.db, userId, id);
  if (!config) throw new Refusal('not_found');
  const keys = await makeKeys(deps, { id, protocol: config.protocol, nodeId: config.node_id }, chosen);
  try {
    await change(deps, userId, id, async (tx) => {
      await updateKeys(tx, id, keys);
    });
  } catch (error) {
    throw refusalOf(error);
  }
  return keys;
}

/** The node removes the config after a last reading; then its reserved money and its address are released. */
export async function deleteConfig(deps: ConfigDeps, userId: string, id: string): Promise<void> {
  await change(deps, userId, id, async (tx) => {
    await updateDeleted(tx, id, deps.clock.now());
  });
}

/** Makes the node accept (`blocked: false`) or block a config. */
export async function setBlocked(deps: ConfigDeps, userId: string, id: string, blocked: boolean): Promise<void> {
  await change(deps, userId, id, async (tx) => {
    await updateBlocked(tx, id, blocked, blocked ? null : deps.clock.now());
  });
}

/** Sends all configs of a locked user to their nodes again, after a change that affects all of them. */
export async function provisionConfigs(tx: Tx, bus: Bus, userId: string): Promise<void> {
  const configs = await lockConfigsOfUser(tx, userId);
  await lockMeters(
    tx,
    configs.map(({ id }) => id),
  );
  await changeWanted(
    tx,
    bus,
    configs.map(({ id, node_id: nodeId }) => ({ configId: id, nodeId })),
  );
}

/** Called when a node has confirmed removals: frees the addresses. */
export async function confirmRemoval(
  deps: Pick<ConfigDeps, 'clock'>,
  tx: Tx,
  configIds: readonly string[],
): Promise<void> {
  const now = deps.clock.now();
  for (const { node_id, slot } of await updateRemoved(tx, configIds, now)) await freeAddress(tx, node_id, slot, now);
}

/** Locks config and meter, applies the change, then wakes the node. The lock order is the same everywhere. */
async function change(
  deps: ConfigDeps,
  userId: string,
  id: string,
  apply: (tx: Tx, config: ConfigRow) => Promise<void>,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const config = await lockOwn(tx, userId, id);
    // The account may have been closed since the request was authenticated; closing locks the configs, too.
    if ((await getUser(tx, userId)).status !== 'active') throw new Refusal('forbidden');
    await lockMeters(tx, [id]);
    await apply(tx, config);
    await changeWanted(tx, deps.bus, [{ configId: id, nodeId: config.node_id }]);
    await deps.bus.announce(tx, configChanged, { userId, configId: id });
  });
}

async function lockOwn(tx: Tx, userId: string, id: string): Promise<ConfigRow> {
  const config = await lockOwnConfig(tx, userId, id);
  if (!config) throw new Refusal('not_found');
  return config;
}
