import type { ReachEntry, ReachMapCell, ReachShare, ReachWay } from '@raha/contract/admin/reach.ts';
import type { Executor } from '../../platform/database.ts';
import { listBlocks } from '../fleet/entries.ts';
import { listNodes } from '../fleet/nodes.ts';
import { listRelays } from '../fleet/relays.ts';
import { type ReachMap, readWay, type Way } from '../reach/read-map.ts';
import type { Figure } from '../reach/rules.ts';

export function describeMap({ networks, cells }: ReachMap) {
  const shown: ReachMapCell[] = cells.map(({ network, ...figure }) => ({
    ...{ network, transport: figure.transport },
    share: shareOf(figure),
  }));
  return { networks: [...networks], cells: shown };
}

/** Refuses `not_found`. */
export async function describeWay(db: Executor, which: Parameters<typeof readWay>[1], now: Date): Promise<ReachWay> {
  const way = await readWay(db, which, now);
  return {
    ...{ network: way.network, transport: way.transport, share: way.figure ? shareOf(way.figure) : null },
    ports: way.ports.map((figure) => ({ port: figure.port, share: shareOf(figure) })),
    ...{ from: way.from.toISOString(), to: now.toISOString() },
    hours: way.hours.map(({ begins, ...figure }) => ({ begins: begins.toISOString(), share: shareOf(figure) })),
    entries: await describeEntries(db, way.entries),
  };
}

/** Servers that are served, each with its relays before it: that is the order in which files name them. */
async function describeEntries(db: Executor, figures: Way['entries']): Promise<ReachEntry[]> {
  const [nodes, relays, blocks] = [await listNodes(db), await listRelays(db), await listBlocks(db)];
  const isBlocked = (nodeId: string, relayId: string | null) =>
    blocks.some(({ node_id, relay_id }) => node_id === nodeId && relay_id === relayId);
  return nodes
    .filter(({ status }) => status !== 'revoked')
    .flatMap(({ id, name }) =>
      [...relays.filter(({ node_id }) => node_id === id), null].map((relay) => {
        const relayId = relay?.id ?? null;
        const own = figures.find((figure) => figure.nodeId === id && figure.relayId === relayId);
        return {
          ...{ node: { id, name }, relay: relay && { id: relay.id, name: relay.name } },
          ...{ blocked: isBlocked(id, relayId), share: own ? shareOf(own.figure) : null },
        };
      }),
    );
}

function shareOf({ percent, of, source, measuredAt }: Figure): ReachShare {
  return { percent, of, source, at: measuredAt.toISOString() };
}
