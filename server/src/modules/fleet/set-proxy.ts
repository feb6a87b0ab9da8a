import { proxyPath } from '@raha/contract/proxy-id.ts';
import { type Actor, type Audit, differences } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { getUnrevokedNode } from './get-node.ts';
import { nodeStateChanged } from './signals.ts';
import { updateProxy } from './way-tables.ts';

/**
 * The node's proxy takes OpenVPN's configs at this address of the operator's website on it, or no longer (null); it learns of it at once. Returns
 * the address as it is kept. Whether the website hands on what comes there is the operator's business, and cannot be seen from here.
 */
export async function setProxy(
  deps: { readonly db: Database; readonly bus: Bus; readonly audit: Audit },
  order: { readonly actor: Actor; readonly nodeId: string; readonly url: string | null },
): Promise<string | null> {
  const { actor, nodeId } = order;
  const node = await getUnrevokedNode(deps.db, nodeId);
  const url = order.url === null ? null : plainUrl(order.url);
  if (url === undefined)
    throw new OperatorMistake(
      'invalid',
      `"${order.url}" is no address of a website with a path: give it as https://www.example.org/news/live.`,
    );
  const changed = differences({ proxyUrl: node.proxy_url }, { proxyUrl: url });
  await inTransaction(deps.db, async (tx) => {
    await updateProxy(tx, nodeId, url);
    await deps.bus.announce(tx, nodeStateChanged, { nodeId });
    await deps.audit.record(tx, actor, { action: 'nodes.proxy', target: { kind: 'node', id: nodeId }, changed });
  });
  return url;
}

/** A name that browsers know, without user, question or fragment, and a path that fits into files and links. */
function plainUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, hostname, pathname } = new URL(text);
  const isPlain = protocol === 'https:' && HOST.test(hostname) && proxyPath.safeParse(pathname).success;
  return isPlain && `${origin}${pathname}` === text.replace(/:443(?=\/)/, '') ? `${origin}${pathname}` : undefined;
}

const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
