import type { ReachCount } from '@raha/contract/node/protocol.ts';
import type { Tx } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { reachNetworks } from './settings.ts';
import { addCounts } from './tables.ts';

/** Adds what a report has counted. Networks that are not in the setting are left out: a node cannot make up more. */
export async function recordReach(tx: Tx, nodeId: string, counts: readonly ReachCount[], now: Date): Promise<void> {
  if (counts.length === 0) return;
  const known = new Set((await getSetting(tx, reachNetworks)).map(({ id }) => id));
  const own = counts.filter(({ network }) => known.has(network)).map((count) => ({ port: 0, ...count }));
  await addCounts(tx, nodeId, own, now);
}
