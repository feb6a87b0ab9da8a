import { limits } from '@raha/contract/limits.ts';
import type { TunnelSign } from '@raha/contract/node/protocol.ts';
import type { Tx } from '../../platform/database.ts';
import { selectTunnels, type TunnelRow, upsertTunnels } from './tunnel-table.ts';

export interface TunnelChange {
  readonly userId: string;
  readonly configId: string;
  readonly connected: boolean;
}

const FRESH_MS = limits.connection.handshakeFreshSeconds * 1000;
/** A node that reports late is given one long period of grace before its tunnels count as gone. */
const GRACE_MS = 30_000;

/** Whether the node sees the tunnel alive: its last handshake is younger than WireGuard keeps a session. */
export function isTunnelLive(
  tunnel: Pick<TunnelRow, 'connected_since' | 'last_handshake_at'> | undefined,
  now: Date,
): boolean {
  if (!tunnel?.connected_since) return false;
  return now.getTime() - tunnel.last_handshake_at.getTime() < FRESH_MS + GRACE_MS;
}

/** Stores the signs of a report and tells which tunnels came up or went down. */
export async function recordSigns(
  tx: Tx,
  nodeId: string,
  signs: readonly TunnelSign[],
  now: Date,
): Promise<TunnelChange[]> {
  if (signs.length === 0) return [];
  const before = new Map(
    (
      await selectTunnels(
        tx,
        signs.map((sign) => sign.config),
      )
    ).map((row) => [row.config_id, row]),
  );
  const live = new Map(signs.map((sign) => [sign.config, sign.handshakeAgeSeconds * 1000 < FRESH_MS]));
  const updates = [...new Map(signs.map((sign) => [sign.config, sign])).values()].map((sign) => {
    const known = before.get(sign.config);
    const since = isTunnelLive(known, now) ? (known?.connected_since ?? now) : now;
    return {
      configId: sign.config,
      connectedSince: live.get(sign.config) ? since : null,
      lastHandshakeAt: new Date(now.getTime() - sign.handshakeAgeSeconds * 1000),
      pingMs: sign.pingMs,
    };
  });
  const own = await upsertTunnels(tx, nodeId, updates);
  return own.flatMap((row) => {
    const connected = live.get(row.config_id) ?? false;
    const was = isTunnelLive(before.get(row.config_id), now);
    return connected === was ? [] : [{ userId: row.user_id, configId: row.config_id, connected }];
  });
}
