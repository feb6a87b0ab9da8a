import { createHash } from 'node:crypto';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type EntryName, forgetEntryName, keepEntryName, listEntryNames, listOpenAddresses } from '../fleet/entries.ts';
import { listNodes, type Node } from '../fleet/nodes.ts';
import type { EntryDns } from './entry-dns.ts';

export interface PublishDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly entryDns: EntryDns | undefined;
}

/** A name server that lost its zone is set right by then, although nothing has changed here. */
const REPEAT_SECONDS = 3_600;

/**
 * Sets the names whose addresses have changed. What the name server does not take is tried again in the next round. Without a name
 * server nothing is named any more: nobody would take a blocked entry out of the names.
 */
export async function publishNames({ db, clock, log, entryDns }: PublishDeps): Promise<void> {
  const published = new Map((await listEntryNames(db)).map((row) => [row.node_id, row]));
  if (!entryDns) {
    for (const id of published.keys()) await forgetEntryName(db, id);
    return;
  }
  const nodes = await listNodes(db);
  const open = await listOpenAddresses(db, nodes);
  for (const node of nodes) {
    const wanted = decideName(node, entryDns.zone, open.get(node.id) ?? [], published.get(node.id), clock.now());
    if (!wanted) continue;
    try {
      await entryDns.set(wanted.name, wanted.addresses);
      if (node.status === 'revoked') await forgetEntryName(db, node.id);
      else await keepEntryName(db, wanted);
    } catch (err) {
      log.warn({ err, node: node.id }, 'the name of an entry could not be set');
    }
  }
}

/** What the name of a node is to be set to now; undefined: nothing. */
function decideName(
  { id, status, wireguard_public_key: enrolled }: Node,
  zone: string,
  open: readonly string[],
  before: EntryName | undefined,
  now: Date,
): EntryName | undefined {
  if (status === 'revoked') return before && { ...before, addresses: [] };
  const wanted = { node_id: id, name: entryNameOf(id, zone), addresses: open, published_at: now };
  if (!before) return enrolled === null || open.length === 0 ? undefined : wanted;
  const isSame = before.name === wanted.name && before.addresses.join() === open.join();
  return isSame && before.published_at > addSeconds(now, -REPEAT_SECONDS) ? undefined : wanted;
}

/** It says nothing of the node, and stays as long as the node. */
export function entryNameOf(nodeId: string, zone: string): string {
  return `e${createHash('sha256').update(`entry ${nodeId}`).digest('hex').slice(0, 12)}.${zone}`;
}
