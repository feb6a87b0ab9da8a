import { toWire } from '@raha/contract/money.ts';
import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import { isUsedUp } from '../modules/billing/rules.ts';
import { findUserAccounts } from '../modules/ledger/user-accounts.ts';
import { listNodesOf, listReported } from '../modules/metering/read-usage.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Deps } from './deps.ts';

/** An open panel, as far as usage is concerned. */
export interface UsagePanel {
  readonly userId: string;
  /** The nodes with a config of the user; undefined until they were read. */
  nodeIds: ReadonlySet<string> | undefined;
}

/** Reads again which nodes concern the panels of a user: when one opens, and when a config of theirs changes. */
export async function learnNodes({ db }: Pick<Deps, 'db'>, panels: readonly UsagePanel[]): Promise<void> {
  const [first] = panels;
  if (!first) return;
  const nodeIds = new Set(await listNodesOf(db, first.userId));
  for (const panel of panels) panel.nodeIds = nodeIds;
}

/**
 * The usage that a node has just reported, for the panels that it concerns. Nodes report every few seconds, so the answer
 * carries its figures: two queries for all open panels of the node, none if there is none, and no request of a panel.
 */
export async function readReportedUsage(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  panels: Iterable<UsagePanel>,
  nodeId: string,
): Promise<{ userId: string; event: RealtimeEvent }[]> {
  const concerned = [...panels].filter(({ nodeIds }) => nodeIds === undefined || nodeIds.has(nodeId));
  const userIds = [...new Set(concerned.map(({ userId }) => userId))];
  if (userIds.length === 0) return [];
  const reported = await listReported(db, nodeId, userIds, addSeconds(clock.now(), -10));
  const accounts = await findUserAccounts(db, [...new Set(reported.map((row) => row.user_id))]);
  return reported.flatMap((row) => {
    const account = accounts.get(row.user_id);
    if (!account) return [];
    const event: RealtimeEvent = {
      type: 'usage',
      configId: row.config_id,
      uploaded: toWire(row.total_up),
      downloaded: toWire(row.total_down),
      lastUsed: row.last_used_at?.toISOString() ?? null,
      balance: toWire(account.walletToman + account.leaseToman),
      stopped: isUsedUp(row.billed_bytes, row.lease_limit_bytes),
    };
    return [{ userId: row.user_id, event }];
  });
}
