import type { UsageReport } from '@raha/contract/node/protocol.ts';
import type { Tx } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { addEntryCounts } from './entry-tables.ts';
import { reachNetworks } from './settings.ts';
import { addCounts } from './tables.ts';

/**
 * Adds what a report has counted, by network, and by entry. Networks that are not in the setting are left out: a node cannot make up
 * more. Relays that are not the node's are left out by those who read.
 */
export async function recordReach(
  tx: Tx,
  nodeId: string,
  { reach = [], relayReach = [] }: Pick<UsageReport, 'reach' | 'relayReach'>,
  now: Date,
): Promise<void> {
  if (reach.length + relayReach.length === 0) return;
  const known = new Set((await getSetting(tx, reachNetworks)).map(({ id }) => id));
  const own = reach.filter(({ network }) => known.has(network)).map((count) => ({ port: 0, ...count }));
  await addCounts(tx, nodeId, own, now);
  const byRelay = relayReach.map(({ relay, ...count }) => ({ ...count, relayId: relay, network: 0 }));
  await addEntryCounts(tx, nodeId, [...own.map((count) => ({ ...count, relayId: null })), ...byRelay], now);
}
