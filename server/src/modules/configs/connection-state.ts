import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { connectionMetrics, connectionState } from '@raha/contract/public/configs.ts';
import type * as z from 'zod/mini';
import { addDays, secondsBetween } from '../../platform/clock.ts';
import type { User } from '../accounts/users.ts';
import { readLastConnections } from '../metering/connections.ts';
import { readUsage } from '../metering/read-usage.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs } from './describe-config.ts';
import { selectConfigsOfUser } from './tables.ts';

/** How long "waiting for your device" is shown after connecting was requested. */
const WAITING_DAYS = 1;
/** Readings older than this do not show the current speed. */
const STALE_SECONDS = (limits.node.reportPeriodMs * 4) / 1000;

/**
 * The user's connection: the config with a live tunnel (of several, the one that came up last), else the one for which
 * connecting was requested and no device has connected since.
 */
export async function readConnection(deps: ConfigDeps, user: User): Promise<z.output<typeof connectionState>> {
  const now = deps.clock.now();
  const rows = await selectConfigsOfUser(deps.db, user.id);
  const described = await describeConfigs(deps.db, deps, user, rows);
  const usage = await readUsage(
    deps.db,
    rows.map((row) => row.id),
  );
  const sinceOf = (id: string) => usage.get(id)?.tunnel?.connected_since ?? now;
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
  const connections = await readLastConnections(deps.db, [...usage.keys()]);
  const isAnswered = (id: string, requestedAt: Date) =>
    [connections.get(id)?.started_at, usage.get(id)?.tunnel?.last_handshake_at].some((at) => at && at > requestedAt);
  const asked = rows
    .filter(
      ({ id, blocked, connect_requested_at: at }) =>
        !blocked && at !== null && at > addDays(now, -WAITING_DAYS) && !isAnswered(id, at),
    )
    .sort((a, b) => (b.connect_requested_at?.getTime() ?? 0) - (a.connect_requested_at?.getTime() ?? 0))[0];
  const currentConfig = described.find((config) => config.id === asked?.id) ?? null;
  return {
    isConnected: false,
    state: currentConfig ? 'waiting' : 'disconnected',
    currentConfig,
    connectedSince: null,
    connectionTime: 0,
  };
}

/** Speed and bytes of the current connection, from the node's last two readings; zero when they are old. */
export async function readMetrics(deps: ConfigDeps, user: User): Promise<z.output<typeof connectionMetrics>> {
  const { currentConfig, isConnected } = await readConnection(deps, user);
  const configId = currentConfig?.id;
  const usage = configId ? (await readUsage(deps.db, [configId])).get(configId) : undefined;
  if (!isConnected || !configId || !usage) {
    return { configId: null, uploadSpeed: 0, downloadSpeed: 0, ping: null, bytesTransferred: 0, sampledAt: null };
  }
  const before = (await readLastConnections(deps.db, [configId])).get(configId)?.start_bytes ?? 0n;
  const fresh = usage.sampled_at !== null && secondsBetween(usage.sampled_at, deps.clock.now()) < STALE_SECONDS;
  return {
    configId,
    uploadSpeed: fresh ? Number(usage.throughput_up) : 0,
    downloadSpeed: fresh ? Number(usage.throughput_down) : 0,
    ping: usage.tunnel?.ping_ms ?? null,
    bytesTransferred: toWire(usage.total_up + usage.total_down - before),
    sampledAt: usage.sampled_at?.toISOString() ?? null,
  };
}
