import { toWire } from '@raha/contract/money.ts';
import type { Config, Server } from '@raha/contract/public/configs.ts';
import type { Executor } from '../../platform/database.ts';
import type { User } from '../accounts/users.ts';
import { coveredBy, isSpent } from '../billing/rules.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { listNodes, type Node } from '../fleet/nodes.ts';
import { freshPing, isOnline, isServing, offeredProtocols, recommendationScore, takesConfigs } from '../fleet/rules.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { listLiveMeters } from '../metering/leases.ts';
import { readUsage, type Usage } from '../metering/read-usage.ts';
import { isTunnelLive } from '../metering/record-tunnel-status.ts';
import { estimatedPrice } from '../pricing/price.ts';
import { isGiving, readAllowance } from '../subscriptions/allowance.ts';
import type { ConfigRow } from './tables.ts';

interface Deps {
  readonly exchangeRate: ExchangeRateSource;
  readonly clock: { now(): Date };
}

/** Configs as the panel shows them, with usage, service state and whether the node has applied the latest change. */
export async function describeConfigs(
  db: Executor,
  deps: Deps,
  user: User,
  configs: readonly ConfigRow[],
): Promise<Config[]> {
  if (configs.length === 0) return [];
  const now = deps.clock.now();
  const nodes = new Map((await listNodes(db)).map((node) => [node.id, node]));
  const usage = await readUsage(
    db,
    configs.map((config) => config.id),
  );
  const wallet = (await getUserAccounts(db, user.id)).walletToman;
  const { milliToman: price } = await estimatedPrice(db, deps.exchangeRate, user, now);
  const { allowance, isPast } = await readAllowance(db, user.id, now);
  const live = isGiving(allowance) ? await listLiveMeters(db, user.id) : [];
  const covered = coveredBy(live, allowance?.maxDevices ?? 0);
  return configs.flatMap((config) => {
    const node = nodes.get(config.node_id);
    const used = usage.get(config.id);
    return node && used ? [describe(config, node, used, { now, wallet, price, covered, isPast })] : [];
  });
}

function describe(
  config: ConfigRow,
  node: Node,
  used: Usage,
  context: { now: Date; wallet: bigint; price: bigint; covered: ReadonlySet<string>; isPast: boolean },
): Config {
  const online = isServing(node, config.protocol, context.now);
  const lease = {
    billed: used.billed_bytes,
    limit: used.lease_limit_bytes,
    segmentStart: used.segment_start,
    segmentPrice: used.segment_price,
  };
  const spent = !context.covered.has(config.id) && isSpent(lease, context.wallet, context.price);
  const service = config.blocked ? 'disconnected' : spent ? 'no_balance' : online ? 'ok' : 'server_offline';
  const total = toWire(used.total_up + used.total_down);
  return {
    id: config.id,
    name: config.name,
    protocol: config.protocol,
    status: statusOf(service, context.isPast),
    service,
    applied: (node.applied_generation ?? -1n) >= used.generation,
    connected: !config.blocked && online && isTunnelLive(used.tunnel, context.now),
    keepKey: config.private_key_sealed !== null,
    server: {
      id: node.id,
      name: node.name,
      location: { country: node.country, city: node.city },
      ping: freshPing(node, context.now),
      isOnline: online,
    },
    traffic_used: total,
    totalTraffic: total,
    uploaded: toWire(used.total_up),
    downloaded: toWire(used.total_down),
    lastUsed: used.last_used_at?.toISOString() ?? null,
    last_connected: used.tunnel?.last_handshake_at.toISOString() ?? null,
    created_at: config.created_at.toISOString(),
  };
}

/** A config without funds is expired if its owner had a plan that is over, and inactive if there never was one. */
function statusOf(service: Config['service'], hadPlan: boolean): Config['status'] {
  if (service === 'no_balance') return hadPlan ? 'expired' : 'inactive';
  return service === 'disconnected' ? 'inactive' : 'active';
}

/**
 * Servers as users see them: online first, then by score, then by load. Servers never enrolled, retired or revoked are
 * not shown.
 */
export async function describeServers(db: Executor, now: Date): Promise<Server[]> {
  const nodes = (await listNodes(db)).filter(
    ({ status, wireguard_public_key }) => status !== 'revoked' && status !== 'retired' && wireguard_public_key !== null,
  );
  const servers = nodes.map((node): Server => {
    const load = node.load ?? 0;
    const ping = freshPing(node, now);
    return {
      id: node.id,
      name: node.name,
      isOnline: isOnline(node, now),
      status: takesConfigs(node, now) ? 'active' : 'inactive',
      location: { country: node.country, city: node.city },
      protocols: offeredProtocols(node),
      ping,
      recommendationScore: recommendationScore(load, ping),
      performance: { currentLoad: load },
    };
  });
  return servers.sort(
    (a, b) =>
      Number(b.isOnline) - Number(a.isOnline) ||
      b.recommendationScore - a.recommendationScore ||
      a.performance.currentLoad - b.performance.currentLoad,
  );
}
