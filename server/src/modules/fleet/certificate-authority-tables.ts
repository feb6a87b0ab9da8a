import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `node_certificate_authority` and `node_certificate`. */
export interface CertificateAuthorityRow {
  readonly node_id: string;
  readonly certificate: string;
  readonly private_key_sealed: string;
  readonly tls_crypt_key_sealed: string;
}

/** A certificate issued to a node by its certificate authority, per protocol. */
export interface CertificateRow {
  readonly node_id: string;
  readonly protocol: string;
  readonly public_key: string;
  readonly certificate: string;
  readonly ends_at: Date;
  readonly names: readonly string[];
}

export async function selectCertificateAuthority(
  db: Executor,
  nodeId: string,
): Promise<CertificateAuthorityRow | undefined> {
  return (
    await sql<CertificateAuthorityRow>`SELECT * FROM node_certificate_authority WHERE node_id = ${nodeId}`.execute(db)
  ).rows[0];
}

export async function selectCertificates(db: Executor, nodeId: string): Promise<CertificateRow[]> {
  return (await sql<CertificateRow>`SELECT * FROM node_certificate WHERE node_id = ${nodeId}`.execute(db)).rows;
}

/** The names in the certificates of a protocol, by node; a node without one is left out. */
export async function selectCertifiedNames(
  db: Executor,
  nodeIds: readonly string[],
  protocol: string,
): Promise<Map<string, readonly string[]>> {
  const { rows } = await sql<Pick<CertificateRow, 'node_id' | 'names'>>`
    SELECT node_id, names FROM node_certificate WHERE node_id = ANY(${nodeIds}::uuid[]) AND protocol = ${protocol}
  `.execute(db);
  return new Map(rows.map(({ node_id, names }) => [node_id, names]));
}

/** Stores the node's certificate authority; of several concurrent callers, one succeeds. */
export async function insertCertificateAuthority(tx: Tx, row: CertificateAuthorityRow): Promise<void> {
  await sql`
    INSERT INTO node_certificate_authority (node_id, certificate, private_key_sealed, tls_crypt_key_sealed)
    VALUES (${row.node_id}, ${row.certificate}, ${row.private_key_sealed}, ${row.tls_crypt_key_sealed})
    ON CONFLICT DO NOTHING
  `.execute(tx);
}

/**
 * One per protocol. Writes nothing if the node's certificate authority is a different one, created by a concurrent
 * caller.
 */
export async function upsertCertificate(tx: Tx, row: CertificateRow, certificateAuthority: string): Promise<void> {
  await sql`
    INSERT INTO node_certificate (node_id, protocol, public_key, certificate, ends_at, names)
    SELECT ${row.node_id}, ${row.protocol}, ${row.public_key}, ${row.certificate}, ${row.ends_at}, ${row.names}
    FROM node_certificate_authority WHERE node_id = ${row.node_id} AND certificate = ${certificateAuthority}
    ON CONFLICT (node_id, protocol) DO UPDATE SET public_key = excluded.public_key,
      certificate = excluded.certificate, ends_at = excluded.ends_at, names = excluded.names
  `.execute(tx);
}

export async function deleteCertificate(tx: Tx, nodeId: string, protocol: string): Promise<void> {
  await sql`DELETE FROM node_certificate WHERE node_id = ${nodeId} AND protocol = ${protocol}`.execute(tx);
}

/** Per node, when its first certificate expires. */
export async function selectCertificateEnds(db: Executor): Promise<Map<string, Date>> {
  const result = await sql<{ node_id: string; ends_at: Date }>`
    SELECT node_id, min(ends_at) AS ends_at FROM node_certificate GROUP BY node_id
  `.execute(db);
  return new Map(result.rows.map((row) => [row.node_id, row.ends_at]));
}
