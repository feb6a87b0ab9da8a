import type { Executor } from '../../platform/database.ts';
import { type AnomalyKind, listAnomalies } from '../fleet/anomalies.ts';
import { listCertificateEnds } from '../fleet/certificate-authority.ts';
import { listNodes, type Node } from '../fleet/nodes.ts';
import {
  freshPing,
  isOnline,
  isOtherAgent,
  nodeTroubles,
  offeredProtocols,
  recommendationScore,
} from '../fleet/rules.ts';
import { countConnected } from '../metering/connections.ts';
import { readMonthTraffic } from '../metering/node-traffic.ts';
import { countConfigsByNode } from './tables.ts';

/** A server as the operator sees it. */
export interface NodeState {
  readonly node: Node;
  readonly online: boolean;
  readonly protocols: readonly string[];
  readonly pingMs: number | null;
  readonly score: number;
  readonly configs: number;
  /** Of them, those that end when the server does. */
  readonly leaving: number;
  readonly connected: number;
  /** Traffic of this month, compared with the provider's cap. */
  readonly monthBytes: bigint;
  readonly certificateEndsAt: Date | null;
  /** Events that an honest node never causes. */
  readonly anomalies: readonly { readonly kind: AnomalyKind; readonly times: number; readonly lastAt: string }[];
  /** What the operator should look into. */
  readonly warnings: readonly string[];
}

/** `servedAgent`: SHA-256 of the agent that this server serves; another one on a node is worth a warning. */
export async function describeNodes(db: Executor, now: Date, servedAgent?: string): Promise<NodeState[]> {
  const [nodes, counts, ends, suspected, traffic] = [
    await listNodes(db),
    await countConfigsByNode(db),
    await listCertificateEnds(db),
    Map.groupBy(await listAnomalies(db), (anomaly) => anomaly.node_id),
    await readMonthTraffic(db, now),
  ];
  return await Promise.all(
    nodes.map(async (node): Promise<NodeState> => {
      const pingMs = freshPing(node, now);
      const online = isOnline(node, now);
      const certificateEndsAt = ends.get(node.id) ?? null;
      const anomalies = (suspected.get(node.id) ?? []).map(({ kind, occurrences, last_at: lastAt }) => {
        return { kind, times: Number(occurrences), lastAt: lastAt.toISOString() };
      });
      return {
        node,
        online,
        protocols: online ? offeredProtocols(node) : [],
        pingMs,
        score: recommendationScore(node.load ?? 0, pingMs),
        ...(counts.get(node.id) ?? { configs: 0, leaving: 0 }),
        connected: await countConnected(db, node.id, now),
        monthBytes: traffic.get(node.id) ?? 0n,
        certificateEndsAt,
        anomalies,
        warnings: [
          ...anomalies.map(({ kind, times, lastAt }) => `SUSPICIOUS: ${kind}, ${times} times, last ${lastAt}`),
          ...nodeTroubles(node, certificateEndsAt, now).map(({ sentence }) => sentence),
          ...(isOtherAgent(node, servedAgent) ? ['its agent is not the one of this server'] : []),
        ],
      };
    }),
  );
}
