import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { listUsersOfNode } from '../configs/list-configs.ts';
import {
  type EntryBlock,
  type EntryName,
  listBlocks,
  listEntryNames,
  listOpenAddresses,
  noteNotified,
} from '../fleet/entries.ts';
import { listNodes } from '../fleet/nodes.ts';
import type { MovementNotifications } from './notifications.ts';

export interface NotifyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly notifier: Notifier<MovementNotifications>;
}

const PAGE = 200;
/** So long a notification waits for the name: who connects again before finds the blocked entry once more. */
const PATIENCE_SECONDS = 120;

/**
 * Notifies everyone with a config of before the block on its node, once for each block. Which entry a file names is not known (files
 * are not kept), so all of the node's users are meant. An interrupted round is repeated, and nobody is notified twice.
 */
export async function notifyBlocked(deps: NotifyDeps): Promise<void> {
  const blocks = (await listBlocks(deps.db)).filter(({ notified_at: notified }) => notified === null);
  if (blocks.length === 0) return;
  const nodes = await listNodes(deps.db);
  const open = await listOpenAddresses(deps.db, nodes);
  const names = await listEntryNames(deps.db);
  for (const block of blocks) {
    const node = nodes.find(({ id }) => id === block.node_id);
    const name = names.find(({ node_id: id }) => id === block.node_id);
    const state = decideState(block, name, open.get(block.node_id) ?? [], deps.clock.now());
    if (!node || state === 'waiting') continue;
    await notifyUsers(deps, block, { country: node.country, hasName: state === 'moved' });
    await noteNotified(deps.db, block.id, deps.clock.now());
  }
}

/** Whether the node's name leads to open entries by now, is still waited for, or is of no use. */
function decideState(
  block: EntryBlock,
  name: EntryName | undefined,
  open: readonly string[],
  now: Date,
): 'moved' | 'waiting' | 'lost' {
  if (!name || open.length === 0) return 'lost';
  if (name.addresses.join() === open.join()) return 'moved';
  return block.began_at > addSeconds(now, -PATIENCE_SECONDS) ? 'waiting' : 'lost';
}

async function notifyUsers(
  { db, notifier }: NotifyDeps,
  block: EntryBlock,
  data: MovementNotifications['entry_blocked'],
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const users = await listUsersOfNode(db, { nodeId: block.node_id, until: block.began_at, after, limit: PAGE });
    await inTransaction(db, async (tx) => {
      const event = { kind: 'entry_blocked', cause: block.id, data } as const;
      await notifier.notify(
        tx,
        users.map((userId) => ({ userId, ...event })),
      );
    });
    if (users.length < PAGE) return;
    after = users.at(-1);
  }
}
