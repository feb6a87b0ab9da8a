import { toWire } from '@raha/contract/money.ts';
import type { Config, Server } from '@raha/contract/public/configs.ts';
import type { network } from '@raha/contract/public/network.ts';
import type { servers } from '@raha/contract/public/servers.ts';
import { secondsBetween } from '../../platform/clock.ts';
import { readRows } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { User } from '../accounts/users.ts';
import { listNodes } from '../fleet/nodes.ts';
import type { NodeProbe } from '../fleet/probe-node.ts';
import { countConnected, listConnections } from '../metering/connections.ts';
import { requireProfile, requireService, type SignedInCaller } from '../sessions/caller.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs, listServers } from './describe-config.ts';
import { listConfigsAndServers } from './list-configs.ts';
import { type GeoDatabase, readNetworkStatus } from './network-status.ts';
import { configStates } from './state-tables.ts';
import { selectConfigs } from './tables.ts';

export interface ServerDeps extends ConfigDeps {
  readonly probeNode: NodeProbe;
  readonly geo: GeoDatabase;
}

export function serverRoutes(deps: ServerDeps): Handlers<typeof servers & typeof network, SignedInCaller, unknown> {
  return {
    async getServer({ caller, params }) {
      const user = await requireService(deps, caller.user);
      return { success: true, data: { server: await findServer(deps, user, params.id) } };
    },
    async testServer({ caller, params }) {
      const user = await requireService(deps, caller.user);
      return { success: true, data: await testServer(deps, user, params.id) };
    },
    async getStatsOfServer({ caller, params }) {
      const user = await requireService(deps, caller.user);
      const { configs, servers, nodes } = await listConfigsAndServers(deps, user, caller);
      const server = servers.find(({ id }) => id === params.id);
      if (!server) throw new Refusal('not_found');
      const node = nodes.find(({ id }) => id === server.id);
      const own = ofServer(configs, server.id);
      return {
        success: true,
        data: {
          server,
          seenAt: node?.seen_at?.toISOString() ?? null,
          pingedAt: node?.pinged_at?.toISOString() ?? null,
          connectedDevices: await countConnected(deps.db, server.id, deps.clock.now()),
          yours: {
            configs: own.length,
            connected: own.filter((config) => config.connected).length,
            traffic: own.reduce((sum, config) => sum + config.totalTraffic, 0),
          },
        },
      };
    },
    async testConnection({ caller, body }) {
      const user = await requireService(deps, caller.user);
      const tested = await testServer(deps, user, body.serverId);
      const states = await readRows(deps.db, configStates({ userId: user.id }));
      const pings = new Map(states.map((state) => [state.config_id, state.tunnel_ping_ms]));
      const own = ofServer(await describeConfigs(deps.db, deps, user, states, caller), body.serverId);
      const yours = own.map(({ id, connected }) => ({
        configId: id,
        connected,
        ping: connected ? (pings.get(id) ?? null) : null,
      }));
      return { success: true, data: { ...tested, yours } };
    },
    async getNetworkStatus({ caller, request }) {
      const user = requireProfile(caller.user);
      return { success: true, data: await readNetworkStatus(deps, user, request.ip) };
    },
    async listConnections({ caller, query }) {
      const user = await requireService(deps, caller.user);
      const { connections, total } = await readHistory(deps, user.id, { number: query.page, size: query.per_page });
      const total_pages = Math.max(1, Math.ceil(total / query.per_page));
      return { success: true, data: { connections, pagination: { page: query.page, total_pages, total } } };
    },
  };
}

async function findServer({ db, clock }: ServerDeps, user: User, id: string): Promise<Server> {
  const server = (await listServers(db, user, clock.now())).find((candidate) => candidate.id === id);
  if (!server) throw new Refusal('not_found');
  return server;
}

async function testServer(deps: ServerDeps, user: User, id: string) {
  await findServer(deps, user, id);
  const { answerMs, at } = await deps.probeNode(id);
  // Read again, so that it includes the result of the probe.
  return {
    server: await findServer(deps, user, id),
    reachable: answerMs !== null,
    answerMs,
    testedAt: at.toISOString(),
  };
}

function ofServer(configs: readonly Config[], serverId: string): Config[] {
  return configs.filter((config) => config.server.id === serverId);
}

async function readHistory(deps: ServerDeps, userId: string, page: { number: number; size: number }) {
  const now = deps.clock.now();
  const { rows, count } = await listConnections(deps.db, userId, page, now);
  const ids = [...new Set(rows.map((row) => row.config_id))];
  const names = new Map((await selectConfigs(deps.db, ids)).map(({ id, name }) => [id, name]));
  const nodes = new Map((await listNodes(deps.db)).map((node) => [node.id, node]));
  const connections = rows.map((row) => {
    const node = nodes.get(row.node_id);
    if (!node) throw new Error(`node ${row.node_id} of a connection is gone`);
    return {
      configId: row.config_id,
      configName: names.get(row.config_id) ?? '',
      server: { id: node.id, name: node.name, location: { country: node.country, city: node.city } },
      startedAt: row.started_at.toISOString(),
      endedAt: row.ended_at?.toISOString() ?? null,
      duration: Math.max(0, Math.floor(secondsBetween(row.started_at, row.ended_at ?? now))),
      bytes: toWire(row.bytes),
    };
  });
  return { connections, total: count };
}
