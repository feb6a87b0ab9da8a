import { toWire } from '@raha/contract/money.ts';
import type { Config, Server } from '@raha/contract/public/configs.ts';
import type { Executor } from '../../platform/database.ts';
import { isFlagOn } from '../../platform/flags.ts';
import type { User } from '../accounts/users.ts';
import { type PlanState, readPlanState } from '../billing/read-plan.ts';
import { isCapReached, isSpent, isUsedUp } from '../billing/rules.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { listOpenconnectHosts } from '../fleet/entries.ts';
import { listNodes, type ShownNode } from '../fleet/nodes.ts';
import { freshPing, isOnline, isServing, offeredProtocols, recommendationScore, takesConfigs } from '../fleet/rules.ts';
import { getUserAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { capEnds } from '../metering/caps.ts';
import { isTunnelLive } from '../metering/record-tunnel-status.ts';
import { estimatedPrice } from '../pricing/price.ts';
import { openconnectFlag } from './settings.ts';
import type { ConfigState } from './state-tables.ts';

interface Deps {
  readonly exchangeRate: ExchangeRateSource;
  readonly clock: { now(): Date };
}

/** What a caller has read already. */
export interface Known {
  readonly accounts?: UserAccounts;
  readonly plan?: PlanState;
}

/** Configs as the panel shows them, with usage, service state and whether the node has applied the latest change. */
export async function describeConfigs(
  db: Executor,
  deps: Deps,
  user: User,
  states: readonly ConfigState[],
  known: Known = {},
): Promise<Config[]> {
  if (states.length === 0) return [];
  const now = deps.clock.now();
  const { walletToman: wallet } = known.accounts ?? (await getUserAccounts(db, user.id));
  const { milliToman: price } = await estimatedPrice(db, deps.exchangeRate, user, now);
  const plan = known.plan ?? (await readPlanState(db, user.id, now));
  // What was offered with a config stays; what was not is, once its owner is among those who are offered it.
  const isOffered = await isFlagOn(db, openconnectFlag, user.id);
  const offered = states.filter((state) => isOffered || state.offers_openconnect);
  const openconnect = await listOpenconnectHosts(db, offered.flatMap(withOpenconnect));
  return states.map((state) =>
    describe(state, { now, wallet, price, plan, openconnectHost: openconnect.get(state.config_id) }),
  );
}

interface Described {
  readonly now: Date;
  readonly wallet: bigint;
  readonly price: bigint;
  readonly plan: PlanState;
  /** Absent: its server does not serve OpenConnect, or its owner is not offered it. */
  readonly openconnectHost: string | undefined;
}

function describe(state: ConfigState, { now, wallet, price, plan, openconnectHost }: Described): Config {
  const online = isServing(state, state.protocol, now);
  const lease = {
    billed: state.billed_bytes,
    limit: state.lease_limit_bytes,
    segmentStart: state.segment_start,
    segmentPrice: state.segment_price,
  };
  const spent = !plan.covered.has(state.config_id) && isSpent(lease, wallet, price);
  const service = state.blocked ? 'disconnected' : (cutOf(state, spent) ?? (online ? 'ok' : 'server_offline'));
  const total = toWire(state.total_up + state.total_down);
  return {
    id: state.config_id,
    name: state.config_name,
    protocol: state.protocol,
    status: statusOf(service, plan.isPast),
    service,
    applied: (state.applied_generation ?? -1n) >= state.meter_generation,
    connected: !state.blocked && online && isTunnelLive(state, now),
    keepKey: state.keeps_key,
    server: {
      id: state.id,
      name: state.name,
      location: { country: state.country, city: state.city },
      ping: freshPing(state, now),
      isOnline: online,
      ...(state.protocol === 'wireguard' ? otherPortsOf(state) : {}),
      ...openconnectOf(state, openconnectHost),
      ...(state.protocol === 'openvpn' && servesProxy(state) ? { proxy: state.proxy_url } : {}),
    },
    traffic_used: total,
    totalTraffic: total,
    uploaded: toWire(state.total_up),
    downloaded: toWire(state.total_down),
    lastUsed: state.last_used_at?.toISOString() ?? null,
    last_connected: state.last_handshake_at?.toISOString() ?? null,
    created_at: state.config_created_at.toISOString(),
    family: familyOf(state, now),
  };
}

/** The config, if its node serves OpenConnect as well. */
function withOpenconnect({ config_id: configId, protocol, id, address, openconnect, openconnect_port }: ConfigState) {
  const isOffered = protocol === 'openvpn' && openconnect && openconnect_port !== null && address !== null;
  return isOffered ? [{ configId, node: { id, address } }] : [];
}

function openconnectOf({ openconnect_port: port }: ShownNode, host: string | undefined) {
  return host !== undefined && port !== null ? { openconnect: { host, port } } : {};
}

function servesProxy<T extends Pick<ShownNode, 'proxy' | 'proxy_url'>>(node: T): node is T & { proxy_url: string } {
  return node.proxy === 'served' && node.proxy_url !== null;
}

function otherPortsOf({ wireguard_ports: ports }: Pick<ShownNode, 'wireguard_ports'>): Pick<Server, 'otherPorts'> {
  return ports?.length ? { otherPorts: [...ports] } : {};
}

function familyOf(state: ConfigState, now: Date): Config['family'] {
  const { guest_name, sender_name, link_expires_at: expiresAt, link_opened_at: openedAt } = state;
  if (guest_name === null || expiresAt === null) return null;
  return {
    guest_name,
    sender_name: sender_name ?? '',
    link: openedAt ? 'opened' : expiresAt <= now ? 'expired' : 'new',
    expires_at: expiresAt.toISOString(),
    opened_at: openedAt?.toISOString() ?? null,
    monthly_bytes: toWire(state.cap_bytes ?? 0n),
    used_bytes: toWire(state.month_bytes ?? 0n),
    resets_at: capEnds(now).toISOString(),
  };
}

/** At its cap a config stays cut whatever is paid, so that is said first. */
function cutOf(state: ConfigState, isSpent: boolean): 'cap_reached' | 'no_balance' | undefined {
  const isUsed = isUsedUp(state.billed_bytes, state.lease_limit_bytes);
  return isUsed && isCapReached(state.cap_left) ? 'cap_reached' : isSpent ? 'no_balance' : undefined;
}

/** A config without funds is expired if its owner had a plan that is over, and inactive if there never was one. */
function statusOf(service: Config['service'], hadPlan: boolean): Config['status'] {
  if (service === 'no_balance') return hadPlan ? 'expired' : 'inactive';
  return service === 'disconnected' || service === 'cap_reached' ? 'inactive' : 'active';
}

/**
 * Servers as users see them: online first, then by score, then by load. Servers never enrolled, retired or revoked are
 * not shown.
 */
export async function listServers(db: Executor, user: Pick<User, 'id'>, now: Date): Promise<Server[]> {
  return await describeServers(db, user, await listNodes(db), now);
}

/** As a user is shown them: users to whom OpenConnect is not offered do not see which of them have it. */
export async function describeServers(
  db: Executor,
  user: Pick<User, 'id'>,
  all: readonly ShownNode[],
  now: Date,
): Promise<Server[]> {
  const isOffered = await isFlagOn(db, openconnectFlag, user.id);
  const nodes = all.filter(
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
      ...otherPortsOf(node),
      ...(isOffered && node.openconnect && node.openconnect_port !== null ? { openconnect: true } : {}),
      ...(servesProxy(node) ? { proxy: true } : {}),
    };
  });
  return servers.sort(
    (a, b) =>
      Number(b.isOnline) - Number(a.isOnline) ||
      b.recommendationScore - a.recommendationScore ||
      a.performance.currentLoad - b.performance.currentLoad,
  );
}
