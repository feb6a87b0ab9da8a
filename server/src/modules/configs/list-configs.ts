import type { Config } from '@raha/contract/public/configs.ts';
import type { Executor } from '../../platform/database.ts';
import type { User } from '../accounts/users.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs } from './describe-config.ts';
import { type ConfigRow, selectConfigEvents, selectConfigs, selectConfigsOfUser } from './tables.ts';

export type StoredConfig = ConfigRow;

/** The configs of a user, newest first. */
export async function listConfigs(deps: ConfigDeps, user: User): Promise<Config[]> {
  return await describeConfigs(deps.db, deps, user, await selectConfigsOfUser(deps.db, user.id));
}

/** The configs that a user created or deleted last. */
export async function listConfigEvents(db: Executor, userId: string, limit: number) {
  return await selectConfigEvents(db, userId, limit);
}

/** The configs with these ids, deleted ones included. */
export async function readConfigs(db: Executor, ids: readonly string[]): Promise<Map<string, StoredConfig>> {
  return new Map((await selectConfigs(db, ids)).map((config) => [config.id, config]));
}

/** The nodes on which a user has configs. */
export async function listNodeIdsOfUser(db: Executor, userId: string): Promise<Set<string>> {
  return new Set((await selectConfigsOfUser(db, userId)).map(({ node_id: nodeId }) => nodeId));
}
