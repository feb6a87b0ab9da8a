import { createHash } from 'node:crypto';
import type { ReachNetworks } from '@raha/contract/node/protocol.ts';
import type { NetworkOperator } from '@raha/contract/public/reach.ts';
import type { Executor } from '../../platform/database.ts';
import { plainAddress } from '../../platform/plain-address.ts';
import { getSetting } from '../../platform/settings.ts';
import { reachNetworks } from './settings.ts';

/** Which addresses belong to which network, by a database on this machine. */
export interface NetworkDirectory {
  /** Number of the autonomous system of an address; null: unknown. */
  find(address: string): Promise<number | null>;
  /** The ranges of each network, as `first-last`. */
  listRanges(networks: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Another text when the database is another one. */
  version(): Promise<string>;
}

interface Deps {
  readonly db: Executor;
  readonly networks: NetworkDirectory;
}

/** Names what `listReachNetworks` returns; undefined: nothing is counted. */
export async function readListVersion({ db, networks }: Deps): Promise<string | undefined> {
  const operators = await getSetting(db, reachNetworks);
  if (operators.length === 0) return undefined;
  return await versionOf(networks, operators);
}

async function versionOf(networks: NetworkDirectory, operators: readonly NetworkOperator[]): Promise<string> {
  const text = JSON.stringify([await networks.version(), ...operators.map(({ id }) => id)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What nodes count by. */
export async function listReachNetworks({ db, networks }: Deps): Promise<ReachNetworks> {
  const operators = await getSetting(db, reachNetworks);
  const ranges = await networks.listRanges(operators.map(({ id }) => id));
  return {
    list: await versionOf(networks, operators),
    networks: operators.map(({ id }) => ({ network: id, ranges: [...(ranges.get(id) ?? [])] })),
  };
}

/** The operator of the network that a request comes from, if it is one of those that are counted. */
export async function findOperator(
  networks: NetworkDirectory,
  operators: readonly NetworkOperator[],
  requestAddress: string,
): Promise<NetworkOperator | undefined> {
  const number = await networks.find(plainAddress(requestAddress));
  return operators.find(({ id }) => id === number);
}
