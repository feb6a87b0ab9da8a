import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { listNodes, setCapped } from '../fleet/nodes.ts';
import { capEnd, capState } from '../fleet/rules.ts';
import { readMonthTraffic } from './node-traffic.ts';

/**
 * Nodes that have used up their provider's monthly traffic take no new configs until the next month; existing configs
 * keep working.
 */
export async function watchCaps(deps: { db: Database; clock: Clock; log: Log }): Promise<void> {
  const now = deps.clock.now();
  const capped = (await listNodes(deps.db)).filter((node) => node.monthly_cap_gb !== null);
  if (capped.length === 0) return;
  const traffic = await readMonthTraffic(deps.db, now);
  for (const node of capped) {
    const isReached = capState(node, traffic.get(node.id) ?? 0n) === 'reached';
    const until = isReached ? capEnd(now) : null;
    if ((node.capped_until?.getTime() ?? null) === (until?.getTime() ?? null)) continue;
    await setCapped(deps.db, node.id, until);
    if (until)
      deps.log.warn({ node: node.name, capGb: node.monthly_cap_gb }, 'a server has used up its monthly traffic');
  }
}
