import type { UsageReport } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { plainAddress } from '../../platform/plain-address.ts';

/** If `protocols` is absent, as in the closing report of an epoch, the earlier value stays, and that of the ports. */
export async function upsertHealth(
  db: Executor,
  nodeId: string,
  health: UsageReport['health'] & { readonly pingMs: number | null; readonly from: string | undefined },
  now: Date,
): Promise<void> {
  const from = health.from === undefined ? null : plainAddress(health.from);
  const ipv6 = from?.includes(':') ? from : null;
  const pingMs = health.pingMs === null ? null : Math.fround(health.pingMs);
  const pingedAt = pingMs === null ? null : now;
  const protocols = health.protocols ?? null;
  const ports = health.wireguardPorts ?? null;
  const { disk } = health;
  const clockOffsetMs = health.clockOffsetMs === undefined ? null : toInteger(health.clockOffsetMs);
  const blockedNames = health.blockedNames === undefined ? null : toInteger(health.blockedNames);
  await sql`
    INSERT INTO node_presence AS p (node_id, seen_at, load, tunnels_up, protocols, agent_version,
      unmetered_upper_bound_bytes, ping_ms, pinged_at, exit_ipv4, exit_ipv6, clock_offset_ms, disk_free_bytes,
      disk_total_bytes, block_list_names, wireguard_ports, wireguard_backend, openvpn_tcp, openconnect, proxy, release_refusal)
    VALUES (${nodeId}, ${now}, ${Math.fround(health.load)}, ${health.tunnelsUp}, coalesce(${protocols}::text[], '{wireguard}'),
      ${health.agentVersion}, ${health.unmeteredUpperBoundBytes}, ${pingMs}, ${pingedAt}, ${ipv6 ? null : from}, ${ipv6},
      ${clockOffsetMs}, ${disk?.freeBytes ?? null}, ${disk?.totalBytes ?? null}, coalesce(${blockedNames}::integer, 0), ${ports}::integer[], ${health.wireguardBackend ?? null}, ${health.openvpnTcp ?? null}, ${health.openconnect ?? null}, ${health.proxy ?? null},
      ${health.releaseRefusal ?? null})
    ON CONFLICT (node_id) DO UPDATE SET seen_at = excluded.seen_at, load = excluded.load, tunnels_up = excluded.tunnels_up,
      wireguard_ports = CASE WHEN ${protocols}::text[] IS NULL THEN p.wireguard_ports ELSE excluded.wireguard_ports END,
      wireguard_backend = coalesce(excluded.wireguard_backend, p.wireguard_backend),
      openvpn_tcp = CASE WHEN ${protocols}::text[] IS NULL THEN p.openvpn_tcp ELSE excluded.openvpn_tcp END,
      openconnect = CASE WHEN ${protocols}::text[] IS NULL THEN p.openconnect ELSE excluded.openconnect END,
      proxy = CASE WHEN ${protocols}::text[] IS NULL THEN p.proxy ELSE excluded.proxy END,
      protocols = coalesce(${protocols}::text[], p.protocols), block_list_names = coalesce(${blockedNames}::integer, p.block_list_names), agent_version = excluded.agent_version, release_refusal = excluded.release_refusal,
      unmetered_upper_bound_bytes = excluded.unmetered_upper_bound_bytes,
      ping_ms = coalesce(excluded.ping_ms, p.ping_ms), pinged_at = coalesce(excluded.pinged_at, p.pinged_at),
      clock_offset_ms = coalesce(excluded.clock_offset_ms, p.clock_offset_ms),
      disk_free_bytes = coalesce(excluded.disk_free_bytes, p.disk_free_bytes),
      disk_total_bytes = coalesce(excluded.disk_total_bytes, p.disk_total_bytes),
      exit_ipv4 = coalesce(excluded.exit_ipv4, p.exit_ipv4), exit_ipv6 = coalesce(excluded.exit_ipv6, p.exit_ipv6)
  `.execute(db);
}

/** The nearest number that PostgreSQL's `integer` holds: a machine's clock may be decades wrong. */
function toInteger(value: number): number {
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value));
}
