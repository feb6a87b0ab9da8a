import type { Config, Server } from '@raha/contract/public/configs.ts';
import { type Executor, readRows } from '../../platform/database.ts';
import type { User } from '../accounts/users.ts';
import type { ShownNode } from '../fleet/nodes.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs, describeServers, type Known } from './describe-config.ts';
import { type ConfigState, configStates, type NodeOrConfig, nodesAndConfigs } from './state-tables.ts';
import {
  type ConfigRow,
  configEventsOf,
  ownersOnNode,
  selectConfigEvents,
  selectConfigEventsBefore,
  selectConfigs,
  selectConfigsOfUser,
  selectOtherConfig,
  selectOwnersBetween,
  selectUsersOfNode,
} from './tables.ts';

export type StoredConfig = ConfigRow;
export { configEventsOf, type NodeOrConfig, nodesAndConfigs, ownersOnNode };
export const listConfigEventsBefore = selectConfigEventsBefore;
export const listConfigOwnersBetween = selectOwnersBetween;
export const listUsersOfNode = selectUsersOfNode;
/** Whether another config had this one's inner addresses at some time after `since`. */
export const hadOtherConfig = selectOtherConfig;

/** The configs that a user created or deleted last. */
export async function listConfigEvents(db: Executor, userId: string, limit: number) {
  return await selectConfigEvents(db, userId, limit);
}

/** The configs of a user, newest first. */
export async function listConfigs(deps: ConfigDeps, user: User, known?: Known): Promise<Config[]> {
  return await describeConfigs(deps.db, deps, user, await readRows(deps.db, configStates({ userId: user.id })), known);
}

/** The same with their states, and all servers, read together. */
export async function listConfigsAndServers(
  deps: ConfigDeps,
  user: User,
  known: Known = {},
): Promise<ConfigsAndServers> {
  return await describeAll(deps, user, await readRows(deps.db, nodesAndConfigs({ userId: user.id })), known);
}

export interface ConfigsAndServers {
  readonly states: ConfigState[];
  readonly configs: Config[];
  readonly servers: Server[];
  readonly nodes: ShownNode[];
}

/** From the rows of `nodesAndConfigs`. */
export async function describeAll(
  deps: ConfigDeps,
  user: User,
  rows: readonly NodeOrConfig[],
  known: Known,
): Promise<ConfigsAndServers> {
  const states = rows
    .filter((row) => row.config_id !== null)
    .sort(
      (a, b) => b.config_created_at.getTime() - a.config_created_at.getTime() || b.config_id.localeCompare(a.config_id),
    );
  const nodes = [...new Map(rows.map((row) => [row.id, row])).values()];
  return {
    states,
    configs: await describeConfigs(deps.db, deps, user, states, known),
    servers: await describeServers(deps.db, user, nodes, deps.clock.now()),
    nodes,
  };
}

/** The configs with these ids, deleted ones included. */
export async function readConfigs(db: Executor, ids: readonly string[]): Promise<Map<string, StoredConfig>> {
  return new Map((await selectConfigs(db, ids)).map((config) => [config.id, config]));
}

/** The nodes on which a user has configs. */
export async function listNodeIdsOfUser(db: Executor, userId: string): Promise<Set<string>> {
  return new Set((await selectConfigsOfUser(db, userId)).map(({ node_id: nodeId }) => nodeId));
}
