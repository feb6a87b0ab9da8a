import { createHash } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { newId, newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUser } from '../accounts/users.ts';
import { type CapDeps, changeCap } from '../billing/keep-caps.ts';
import { deleteConfig } from './change-config.ts';
import type { ConfigDeps } from './create-config.ts';
import { selectFamilyLinkOf, upsertFamilyLink } from './family-tables.ts';
import { configChanged } from './signals.ts';
import { type ConfigRow, lockOwnConfig } from './tables.ts';

export type ShareDeps = ConfigDeps & CapDeps;

export interface ShareOrder {
  readonly guest_name: string;
  readonly sender_name: string;
  readonly monthly_gb: number;
}

/**
 * Makes a one-time link to a config, which replaces an earlier one, and sets its monthly cap. Returns the token, of which only
 * the hash is stored. Refuses `family_key_on_device`: there would be no file to show.
 */
export async function shareConfig(deps: ShareDeps, userId: string, id: string, order: ShareOrder): Promise<string> {
  const token = newSecret();
  await inTransaction(deps.db, async (tx) => {
    const config = await lockShareable(tx, userId, id);
    if (config.private_key_sealed === null) throw new Refusal('family_key_on_device');
    const now = deps.clock.now();
    const { guest_name, sender_name } = order;
    const link = { id: newId(now), config_id: id, user_id: userId, guest_name, sender_name };
    const expires_at = addDays(now, limits.family.linkDays);
    await upsertFamilyLink(tx, { ...link, expires_at, tokenHash: hashOf(token) }, now);
    await changeCap(tx, deps, { id, userId }, bytesOf(order.monthly_gb));
    await deps.bus.announce(tx, configChanged, { userId, configId: id });
  });
  return token;
}

/** Refuses `not_found` for a config that is not shared. */
export async function changeFamilyCap(deps: ShareDeps, userId: string, id: string, monthlyGb: number): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockShareable(tx, userId, id);
    if (!(await selectFamilyLinkOf(tx, id))) throw new Refusal('not_found');
    await changeCap(tx, deps, { id, userId }, bytesOf(monthlyGb));
    await deps.bus.announce(tx, configChanged, { userId, configId: id });
  });
}

/** The guest holds the keys, so the config itself has to go: the node drops it after a last reading. */
export async function endFamily(deps: ShareDeps, userId: string, id: string): Promise<void> {
  if (!(await selectFamilyLinkOf(deps.db, id))) throw new Refusal('not_found');
  await deleteConfig(deps, userId, id);
}

async function lockShareable(tx: Tx, userId: string, id: string): Promise<ConfigRow> {
  const config = await lockOwnConfig(tx, userId, id);
  if (!config) throw new Refusal('not_found');
  // The account may have been closed since the request was authenticated; closing locks the configs, too.
  if ((await getUser(tx, userId)).status !== 'active') throw new Refusal('forbidden');
  return config;
}

function bytesOf(gigabytes: number): bigint {
  return BigInt(gigabytes) * 1_000_000_000n;
}

/** Tokens and cookies are random, so one pass is enough. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
