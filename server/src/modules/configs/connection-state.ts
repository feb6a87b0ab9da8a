import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Config, Connection, connectionMetrics } from '@raha/contract/public/configs.ts';
import type * as z from 'zod/mini';
import { addDays, secondsBetween } from '../../platform/clock.ts';
import { readRows } from '../../platform/database.ts';
import type { User } from '../accounts/users.ts';
import { readLastConnections } from '../metering/connections.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs, type Known } from './describe-config.ts';
import { type ConfigState, configStates } from './state-tables.ts';

/** How long "waiting for your device" is shown after connecting was requested. */
const WAITING_DAYS = 1;
/** Readings older than this do not show the current speed. */
const STALE_SECONDS = (limits.node.reportPeriodMs * 4) / 1000;

/**
 * The user's connection: the config with a live tunnel (of several, the one that came up last), else the one for which
 * connecting was requested and no device has connected since.
 */
export async function readConnection(deps: ConfigDeps, user: User, known?: Known): Promise<Connection> {
  return (await readStates(deps, user, known)).connection;
}

async function readStates(deps: ConfigDeps, user: User, known?: Known) {
  const states = await readRows(deps.db, configStates({ userId: user.id }));
  const described = await describeConfigs(deps.db, deps, user, states, known);
  return { states, connection: await connectionOf(deps, states, described) };
}

/** The same from configs that have been read. */
export async function connectionOf(
  deps: Pick<ConfigDeps, 'db' | 'clock'>,
  states: readonly ConfigState[],
  described: readonly Config[],
): Promise<Connection> {
  const now = deps.clock.now();
  const usage = new Map(states.map((state) => [state.config_id, state]));
  const sinceOf = (id: string) => usage.get(id)?.connected_since ?? now;
  const live = described
    .filter((config) => config.connected)
    .sort((a, b) => sinceOf(b.id).getTime() - sinceOf(a.id).getTime() || b.id.localeCompare(a.id))[0];
  if (live) {
    const since = sinceOf(live.id);
    return {
      isConnected: true,
      state: 'connected',
      currentConfig: live,
      connectedSince: since.toISOString(),
      connectionTime: Math.max(0, Math.floor(secondsBetween(since, now))),
    };
  }
  const requested = states.filter(
    ({ blocked, connect_requested_at: at }) => !blocked && at !== null && at > addDays(now, -WAITING_DAYS),
  );
  const connections =
    requested.length === 0
      ? new Map<string, never>()
      : await readLastConnections(
          deps.db,
          requested.map((state) => state.config_id),
        );
  const isAnswered = (state: ConfigState, requestedAt: Date | null) =>
    [connections.get(state.config_id)?.started_at, state.last_handshake_at].some(
      (at) => at && requestedAt && at > requestedAt,
    );
  const asked = requested
    .filter((state) => !isAnswered(state, state.connect_requested_at))
    .sort((a, b) => (b.connect_requested_at?.getTime() ?? 0) - (a.connect_requested_at?.getTime() ?? 0))[0];
  const currentConfig = described.find((config) => config.id === asked?.config_id) ?? null;
  return {
    isConnected: false,
    state: currentConfig ? 'waiting' : 'disconnected',
    currentConfig,
    connectedSince: null,
    connectionTime: 0,
  };
}

/** Speed and bytes of the current connection, from the node's last two readings; zero when they are old. */
export async function readMetrics(
  deps: ConfigDeps,
  user: User,
  known?: Known,
): Promise<z.output<typeof connectionMetrics>> {
  const { states, connection } = await readStates(deps, user, known);
  const configId = connection.currentConfig?.id;
  const usage = states.find((state) => state.config_id === configId);
  if (!connection.isConnected || !configId || !usage) {
    return { configId: null, uploadSpeed: 0, downloadSpeed: 0, ping: null, bytesTransferred: 0, sampledAt: null };
  }
  const before = (await readLastConnections(deps.db, [configId])).get(configId)?.start_bytes ?? 0n;
  const fresh = usage.sampled_at !== null && secondsBetween(usage.sampled_at, deps.clock.now()) < STALE_SECONDS;
  return {
    configId,
    uploadSpeed: fresh ? Number(usage.throughput_up) : 0,
    downloadSpeed: fresh ? Number(usage.throughput_down) : 0,
    ping: usage.tunnel_ping_ms,
    bytesTransferred: toWire(usage.total_up + usage.total_down - before),
    sampledAt: usage.sampled_at?.toISOString() ?? null,
  };
}
