import type { Bus } from '../../platform/bus.ts';
import { type Database, inTransaction, type Tx, violatedConstraint } from '../../platform/database.ts';
import { isFlagOn } from '../../platform/flags.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import type { FileSigner } from '../../platform/signed-file.ts';
import { lockUser } from '../accounts/users.ts';
import { type GrantDeps, grantLeases } from '../billing/grant-leases.ts';
import { type ChosenKeys, makeKeys, type SealedKeys } from '../client-files/keys.ts';
import { findNode, type Node, takeAddress } from '../fleet/nodes.ts';
import { isOnline, isServed, isServing, type ServedProtocol, takesConfigs } from '../fleet/rules.ts';
import { nodeStateChanged } from '../fleet/signals.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { copyCap } from '../metering/caps.ts';
import { countLiveMeters, lockMeters } from '../metering/leases.ts';
import { openMeter } from '../metering/open-meter.ts';
import { requireService } from '../sessions/caller.ts';
import { lockAllowances } from '../subscriptions/allowance.ts';
import { configsPerUser, openconnectFlag } from './settings.ts';
import { configChanged } from './signals.ts';
import { type ConfigRow, countConfigsOfUser, insertConfig, selectOwnConfig } from './tables.ts';

export interface ConfigDeps extends GrantDeps {
  /** Apple's systems show the signer of a profile; undefined: unsigned. */
  readonly signProfile?: FileSigner | undefined;
  readonly db: Database;
  readonly vault: Vault;
  readonly bus: Bus;
}

export interface ConfigOrder extends ChosenKeys {
  readonly name: string;
  readonly serverId: string;
  readonly protocol: string;
}

/**
 * Creates a config: address, keys, meter and first lease in one transaction; its commit wakes the node. Refuses
 * `activation_required`, `server_offline`, `server_full`, `protocol_unavailable`, `config_limit_reached`,
 * `config_name_taken`, `public_key_taken`.
 */
export async function createConfig(
  deps: ConfigDeps,
  userId: string,
  order: ConfigOrder,
): Promise<{ config: ConfigRow; keys: SealedKeys }> {
  const { protocol } = order;
  if (!isServed(protocol)) throw unavailable();
  const now = deps.clock.now();
  const id = newId(now);
  const keys = await makeKeys(deps, { id, protocol, nodeId: order.serverId }, order);
  try {
    await inTransaction(deps.db, async (tx) => {
      await requireService({ ...deps, db: tx }, await lockUser(tx, userId));
      await refuseTooMany(tx, userId);
      const node = await servingNode(tx, order.serverId, protocol, now);
      await lockAccounts(tx, [userId]);
      await lockAllowances(tx, [userId], now);
      const offersOpenconnect = await isFlagOn(tx, openconnectFlag, userId);
      const made = { id, userId, node, protocol, name: order.name, keys, offersOpenconnect };
      await addConfigToNode(tx, deps, made, now);
      await deps.bus.announce(tx, nodeStateChanged, { nodeId: node.id });
      await deps.bus.announce(tx, configChanged, { userId, configId: id });
    });
  } catch (error) {
    throw refusalOf(error);
  }
  const config = await selectOwnConfig(deps.db, userId, id);
  if (!config) throw new Error('the config just created is missing');
  return { config, keys };
}

async function refuseTooMany(tx: Tx, userId: string): Promise<void> {
  const max = await getSetting(tx, configsPerUser);
  if ((await countConfigsOfUser(tx, userId)) >= max) throw new Refusal('config_limit_reached', { details: { max } });
}

async function servingNode(tx: Tx, nodeId: string, protocol: ServedProtocol, now: Date): Promise<Node> {
  const node = await findNode(tx, nodeId);
  if (!node || node.status === 'revoked') throw new Refusal('not_found');
  if (!isOnline(node, now) || !node.wireguard_public_key || !node.address) throw new Refusal('server_offline');
  if (!takesConfigs(node, now)) throw new Refusal('server_full');
  if (!isServing(node, protocol, now)) throw unavailable();
  return node;
}

function unavailable(): Refusal {
  return new Refusal('protocol_unavailable', { fields: { protocol: 'invalid' } });
}

/**
 * Adds a config to its node: address, row, meter and first lease. The caller has locked the owner's accounts and
 * allowances.
 */
export async function addConfigToNode(
  tx: Tx,
  deps: GrantDeps,
  order: {
    id: string;
    userId: string;
    node: Node;
    protocol: ServedProtocol;
    name: string;
    keys: SealedKeys;
    /** Kept for as long as there is the config, and by its replacement. */
    offersOpenconnect: boolean;
    /** A replacement is blocked if the config it replaces was. */
    blocked?: boolean;
    /** The config that this one replaces: its monthly cap goes on. */
    replaces?: string;
  },
  now: Date,
): Promise<void> {
  const { id, userId, node, protocol, name, keys } = order;
  const address = await takeAddress(tx, node.id, now);
  if (!address) throw new Refusal('server_full');
  await insertConfig(
    tx,
    {
      id,
      user_id: userId,
      node_id: node.id,
      name,
      protocol,
      credential: keys.publicKey,
      client_secret_sealed: keys.presharedKeySealed,
      private_key_sealed: keys.privateKeySealed,
      certificate: keys.certificate,
      slot: address.slot,
      blocked: order.blocked ?? false,
      offers_openconnect: order.offersOpenconnect,
    },
    now,
  );
  await openMeter(tx, { configId: id, userId, nodeId: node.id, generation: address.generation, epoch: address.epoch });
  if (order.replaces) await copyCap(tx, order.replaces, id);
  const counts = await countLiveMeters(tx, [userId]);
  await grantLeases(tx, deps, await lockMeters(tx, [id]), {
    siblings: (owner) => counts.get(owner) ?? 1,
  });
}

export function refusalOf(error: unknown): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === 'config_name') return new Refusal('config_name_taken');
  if (constraint === 'config_credential') return new Refusal('public_key_taken');
  return error;
}
