import { limits } from '@raha/contract/limits.ts';
import type { TunnelStatus } from '@raha/contract/node/protocol.ts';
import type { Tx } from '../../platform/database.ts';
import { keepConnections } from './connections.ts';
import { selectTunnels, upsertTunnels } from './tunnel-tables.ts';

export interface TunnelChange {
  readonly userId: string;
  readonly configId: string;
  readonly connected: boolean;
}

const FRESH_MS = limits.connection.handshakeFreshSeconds * 1000;
/** A late report gets this much grace before the node's tunnels count as gone. */
const GRACE_MS = 30_000;

/** Whether the tunnel is up: its last handshake is younger than the lifetime of a WireGuard session. */
export function isTunnelLive(
  tunnel: { readonly connected_since: Date | null; readonly last_handshake_at: Date | null } | undefined,
  now: Date,
): boolean {
  if (!tunnel?.connected_since || !tunnel.last_handshake_at) return false;
  return now.getTime() - tunnel.last_handshake_at.getTime() < FRESH_MS + GRACE_MS;
}

/** Stores the tunnel statuses of a report, records connects and disconnects in the history, and returns them. */
export async function recordTunnelStatus(
  tx: Tx,
  nodeId: string,
  statuses: readonly TunnelStatus[],
  now: Date,
): Promise<TunnelChange[]> {
  if (statuses.length === 0) return [];
  const before = new Map(
    (
      await selectTunnels(
        tx,
        statuses.map((status) => status.config),
      )
    ).map((row) => [row.config_id, row]),
  );
  const live = new Map(
    statuses.map((status) => [status.config, !status.disconnected && status.handshakeAgeSeconds * 1000 < FRESH_MS]),
  );
  const updates = [...new Map(statuses.map((status) => [status.config, status])).values()].map((status) => {
    const known = before.get(status.config);
    const since = isTunnelLive(known, now) ? (known?.connected_since ?? now) : now;
    return {
      configId: status.config,
      connectedSince: live.get(status.config) ? since : null,
      lastHandshakeAt: new Date(now.getTime() - status.handshakeAgeSeconds * 1000),
      pingMs: status.pingMs,
    };
  });
  const seenAt = new Map(updates.map((update) => [update.configId, update.lastHandshakeAt]));
  const own = await upsertTunnels(tx, nodeId, updates);
  const changes = own.flatMap((row) => {
    const connected = live.get(row.config_id) ?? false;
    const was = isTunnelLive(before.get(row.config_id), now);
    return connected === was ? [] : [{ userId: row.user_id, configId: row.config_id, connected }];
  });
  const came = new Set(changes.filter(({ connected }) => connected).map(({ configId }) => configId));
  await keepConnections(
    tx,
    own.flatMap(({ config_id: configId }) => {
      // The end of a tunnel is reported once, so most reports have nothing to record.
      if (live.get(configId) && !came.has(configId)) return [];
      // A connection that has ended gets its own last handshake, not that of the new one.
      const lastSeenAt = (came.has(configId) ? before.get(configId)?.last_handshake_at : seenAt.get(configId)) ?? now;
      return [{ configId, connected: came.has(configId), lastSeenAt }];
    }),
    now,
  );
  return changes;
}

/** The median round trip to the devices of a report, in milliseconds; null when none of them answered. */
export function medianPing(statuses: readonly TunnelStatus[]): number | null {
  const pings = statuses.flatMap(({ pingMs }) => pingMs ?? []).sort((a, b) => a - b);
  const middle = pings.length / 2;
  const [low, high] = [pings[Math.ceil(middle) - 1], pings[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
