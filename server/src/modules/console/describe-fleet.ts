import type { LiveNode, NodeFacts, NodeFigures } from '@raha/contract/admin/fleet.ts';
import { BYTES_PER_GB, toWire } from '@raha/contract/money.ts';
import type { Executor } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { countNodeConfigs, countReplacements, readLeaving } from '../configs/leaving.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { listAnomalies } from '../fleet/anomalies.ts';
import { listCertificateEnds } from '../fleet/certificate-authority.ts';
import { listNodes, type Node } from '../fleet/nodes.ts';
import { freshPing, isOnline, nodeTroubles, offeredProtocols, takesConfigs } from '../fleet/rules.ts';
import { countConnectedByNode } from '../metering/connections.ts';
import { sumLeasedByNode } from '../metering/leases.ts';
import { readMonthTraffic } from '../metering/node-traffic.ts';
import { costOf } from '../reports/reports.ts';

/** All servers as they last reported. Reads a row for each, and nothing that grows with users. */
export async function describeLiveNodes(db: Executor, now: Date): Promise<LiveNode[]> {
  const [nodes, ends, anomalies] = [await listNodes(db), await listCertificateEnds(db), await listAnomalies(db)];
  const suspects = new Set(anomalies.map(({ node_id }) => node_id));
  return nodes.map((node) => describeLive(node, { endsAt: ends.get(node.id), isSuspect: suspects.has(node.id), now }));
}

interface Known {
  readonly endsAt: Date | undefined;
  readonly isSuspect: boolean;
  readonly now: Date;
}

function describeLive(node: Node, { endsAt, isSuspect, now }: Known): LiveNode {
  const online = isOnline(node, now);
  // What it has applied of a lost history is not counted from.
  const appliedHere = [node.applied_generation ?? 0n, node.snapshot_below - 1n].reduce((a, b) => (a > b ? a : b));
  const behind = Number(node.generation - appliedHere);
  return {
    ...{ id: node.id, name: node.name, country: node.country, city: node.city, status: node.status, online },
    seen_at: node.seen_at?.toISOString() ?? null,
    behind: node.status === 'revoked' ? 0 : Math.max(0, behind),
    load: node.load === null ? null : Math.round(node.load * 1_000) / 1_000,
    ping_ms: rounded(freshPing(node, now)),
    agent: node.agent_version?.split('+')[0] ?? null,
    protocols: online ? offeredProtocols(node) : [],
    retires_at: node.retires_at?.toISOString() ?? null,
    troubles: nodeTroubles(node, endsAt ?? null, now).map(({ kind }) => kind),
    suspicious: isSuspect,
  };
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

/** By server, what takes counting: it reads every live config and meter. */
export async function describeNodeFigures(
  db: Executor,
  exchangeRate: ExchangeRateSource,
  now: Date,
): Promise<NodeFigures[]> {
  const nodes = await listNodes(db);
  const [configs, connected, leased] = [
    await countNodeConfigs(db),
    await countConnectedByNode(db, now),
    await sumLeasedByNode(db),
  ];
  const month = await readMonthTraffic(db, now);
  const rate = (await exchangeRate.current(db))?.tomanPerUsd;
  return nodes.map((node) => {
    const bytes = month.get(node.id) ?? 0n;
    const cost = costOf(bytes, node.cost_usd_micros_per_gb, rate);
    return {
      ...{ id: node.id, connected: connected.get(node.id) ?? 0 },
      ...(configs.get(node.id) ?? { configs: 0, leaving: 0 }),
      leased: toWire(leased.get(node.id) ?? 0n),
      month: toWire(bytes),
      cap: node.monthly_cap_gb === null ? null : node.monthly_cap_gb * BYTES_PER_GB,
      cost: cost === undefined ? null : toWire(cost),
    };
  });
}

/** One server. Refuses `not_found`. */
export async function describeNode(
  db: Executor,
  id: string,
  now: Date,
  figures: NodeFigures | undefined,
): Promise<NodeFacts> {
  const nodes = await listNodes(db);
  const node = nodes.find((known) => known.id === id);
  if (!node) throw new Refusal('not_found');
  const endsAt = (await listCertificateEnds(db)).get(id);
  const anomalies = (await listAnomalies(db)).filter(({ node_id }) => node_id === id);
  const names = new Map(nodes.map((known) => [known.id, known.name]));
  const replacements = await countReplacements(db, id);
  const none = { id, connected: 0, configs: 0, leaving: 0, leased: 0, month: 0, cap: null, cost: null };
  return {
    ...describeLive(node, { endsAt, isSuspect: anomalies.length > 0, now }),
    figures: figures ?? none,
    address: node.address,
    certificate_ends_at: endsAt?.toISOString() ?? null,
    clock_offset_ms: node.clock_offset_ms,
    disk:
      node.disk_free_bytes === null || node.disk_total_bytes === null
        ? null
        : { free: toWire(node.disk_free_bytes), total: toWire(node.disk_total_bytes) },
    anomalies: anomalies.map(({ kind, occurrences, last_at }) => {
      return { kind, times: Number(occurrences), last_at: last_at.toISOString() };
    }),
    leave: {
      ...(await readLeaving(db, id)),
      to: replacements.map(({ node_id, configs }) => ({ name: names.get(node_id) ?? '', configs })),
    },
    targets: nodes
      .filter((known) => known.id !== id && takesConfigs(known, now))
      .map((known) => ({ id: known.id, name: known.name })),
  };
}
