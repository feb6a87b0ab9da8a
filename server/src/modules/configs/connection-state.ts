import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { connectionMetrics, connectionState } from '@raha/contract/public/configs.ts';
import type * as z from 'zod/mini';
import { addDays, secondsBetween } from '../../platform/clock.ts';
import type { Person } from '../accounts/people.ts';
import { readUsage } from '../metering/read-usage.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs } from './describe-config.ts';
import { selectConfigsOfUser } from './tables.ts';

/** How long "waiting for your device" is shown after connect was pressed. */
const WAITING_DAYS = 1;
/** Readings older than this say nothing about the present speed. */
const STALE_SECONDS = (limits.node.reportPeriodMs * 4) / 1000;

/**
 * The person's connection: the config whose tunnel the node sees (the latest, if several), else the one for which
 * connect was pressed and no device has come yet.
 */
export async function readConnection(deps: ConfigDeps, person: Person): Promise<z.output<typeof connectionState>> {
  const now = deps.clock.now();
  const rows = await selectConfigsOfUser(deps.db, person.id);
  const described = await describeConfigs(deps.db, deps, person, rows);
  const usage = await readUsage(
    deps.db,
    rows.map((row) => row.id),
  );
  const live = described
    .filter((config) => config.connected)
    .sort((a, b) => (b.last_connected ?? '').localeCompare(a.last_connected ?? ''))[0];
  if (live) {
    const since = usage.get(live.id)?.tunnel?.connected_since ?? now;
    return {
      isConnected: true,
      state: 'connected',
      currentConfig: live,
      connectedSince: since.toISOString(),
      connectionTime: Math.max(0, Math.floor(secondsBetween(since, now))),
    };
  }
  const asked = rows
    .filter(
      (row) =>
        !row.blocked && row.connect_requested_at !== null && row.connect_requested_at > addDays(now, -WAITING_DAYS),
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
export async function readMetrics(deps: ConfigDeps, person: Person): Promise<z.output<typeof connectionMetrics>> {
  const { currentConfig, isConnected } = await readConnection(deps, person);
  const usage = currentConfig ? (await readUsage(deps.db, [currentConfig.id])).get(currentConfig.id) : undefined;
  if (!isConnected || !usage)
    return { uploadSpeed: 0, downloadSpeed: 0, ping: null, bytesTransferred: 0, sampledAt: null };
  const fresh = usage.sampled_at !== null && secondsBetween(usage.sampled_at, deps.clock.now()) < STALE_SECONDS;
  return {
    uploadSpeed: fresh ? Number(usage.rate_up) : 0,
    downloadSpeed: fresh ? Number(usage.rate_down) : 0,
    ping: usage.tunnel?.ping_ms ?? null,
    bytesTransferred: toWire(usage.total_up + usage.total_down),
    sampledAt: usage.sampled_at?.toISOString() ?? null,
  };
}
