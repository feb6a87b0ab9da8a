import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Version } from '../../platform/versions.ts';

/** The only file that names `price_version`. */
export interface VersionRow extends Version {
  readonly usdCentsPerGb: number;
  /** A member of staff; null: at the command line, or before prices were kept. */
  readonly createdBy: string | null;
  readonly reason: string | null;
  readonly cancelledAt: Date | null;
  readonly cancelledBy: string | null;
}

const columns = sql.raw(`id, usd_cents_per_gb AS "usdCentsPerGb", valid_from AS "validFrom", created_at AS "createdAt",
  created_by AS "createdBy", reason, cancelled_at AS "cancelledAt", cancelled_by AS "cancelledBy"`);

/** Orders all changes of prices, until the transaction ends. */
export async function lockPrices(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('price_version'))`.execute(tx);
}

/** The planned version and the one in force, which are two at most: the last moment first. */
export async function selectNewest(db: Executor): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    SELECT ${columns} FROM price_version WHERE cancelled_at IS NULL ORDER BY valid_from DESC LIMIT 2
  `.execute(db);
  return rows;
}

/** Also cancelled ones. */
export async function selectVersions(db: Executor, limit: number): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    SELECT ${columns} FROM price_version ORDER BY valid_from DESC, id DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

export async function selectVersion(db: Executor, id: string): Promise<VersionRow | undefined> {
  return (await sql<VersionRow>`SELECT ${columns} FROM price_version WHERE id = ${id}`.execute(db)).rows[0];
}

export async function insertVersion(tx: Tx, row: Omit<VersionRow, 'cancelledAt' | 'cancelledBy'>): Promise<void> {
  await sql`
    INSERT INTO price_version (id, usd_cents_per_gb, valid_from, created_at, created_by, reason)
    VALUES (${row.id}, ${row.usdCentsPerGb}, ${row.validFrom}, ${row.createdAt}, ${row.createdBy}, ${row.reason})
  `.execute(tx);
}

export async function updateCancelled(tx: Tx, id: string, by: string | null, now: Date): Promise<void> {
  await sql`UPDATE price_version SET cancelled_at = ${now}, cancelled_by = ${by} WHERE id = ${id}`.execute(tx);
}
