import { sql } from 'kysely';
import type { Tx } from '../../platform/database.ts';

/** The further ways by which the operator lets a node serve its configs of OpenVPN. */

export async function updateTcpWebsite(tx: Tx, id: string, website: string | null): Promise<void> {
  await sql`UPDATE node SET openvpn_tcp_website = ${website} WHERE id = ${id}`.execute(tx);
}

export async function updateOpenconnect(
  tx: Tx,
  id: string,
  { port, udp }: { readonly port: number | null; readonly udp: boolean },
): Promise<void> {
  await sql`UPDATE node SET openconnect_port = ${port}, openconnect_udp = ${udp} WHERE id = ${id}`.execute(tx);
}

/** Every config of OpenVPN gets its credential of the proxy, or loses it, so the node takes the complete state next. */
export async function updateProxy(tx: Tx, id: string, url: string | null): Promise<void> {
  await sql`
    UPDATE node SET proxy_url = ${url}, generation = generation + 1, snapshot_below = generation + 1 WHERE id = ${id}
  `.execute(tx);
}
