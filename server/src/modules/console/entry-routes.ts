import type { entryCalls } from '@raha/contract/admin/entries.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database.ts';
import { blockEntry, type EntryOrder, unblockEntry } from '../fleet/entries.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import { holdPermission } from '../staff/standing.ts';
import { describeEntries } from './describe-entries.ts';
import { refusing } from './refusing.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Relays and own addresses of servers, taken out and put back through the use cases of the command line. */
export function entryRoutes(deps: Deps): AdminHandlers<typeof entryCalls> {
  return {
    async listEntries() {
      const nodes = await describeEntries(deps.db);
      return { success: true, data: { at: deps.clock.now().toISOString(), nodes } };
    },
    async blockEntry({ caller, params, body }) {
      await refusing('node_state_differs', () => blockEntry(deps, orderOf(caller, params.id, body)));
      return { success: true };
    },
    async unblockEntry({ caller, params, body }) {
      await refusing('node_state_differs', () => unblockEntry(deps, orderOf(caller, params.id, body)));
      return { success: true };
    },
  };
}

function orderOf(
  caller: StaffCaller,
  nodeId: string,
  { relay, reason }: { readonly relay: string | null; readonly reason: string },
): EntryOrder {
  const actor = actorOf(caller);
  const stillMay = (tx: Tx) => holdPermission(tx, actor, 'fleet.manage');
  return { actor, reason, stillMay, entry: { nodeId, relayId: relay } };
}
