import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** The only file that names ledger_proof: of each part of the proof the latest result. */

export interface Proof {
  /** `new`, `whole`, or a Jalali month. */
  readonly part: string;
  readonly started_at: Date;
  readonly ended_at: Date;
  /** When it last held; what was written before needs no new proof. Null: never yet. */
  readonly proved_at: Date | null;
  readonly violated: readonly string[];
}

export async function selectProofs(db: Executor): Promise<Map<string, Proof>> {
  const { rows } = await sql<Proof>`
    SELECT part, started_at, ended_at, proved_at, violated FROM ledger_proof ORDER BY part
  `.execute(db);
  return new Map(rows.map((row) => [row.part, row]));
}

/** How long the oldest transaction of this database has been open, in seconds: what it wrote cannot be seen yet. */
export async function selectOldestTransaction(db: Executor): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    SELECT coalesce(extract(epoch FROM clock_timestamp() - min(xact_start)), 0)::float8 AS seconds FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  `.execute(db);
  return Math.max(0, rows[0]?.seconds ?? 0);
}

export async function upsertProof(db: Executor, proof: Proof): Promise<void> {
  await sql`
    INSERT INTO ledger_proof (part, started_at, ended_at, proved_at, violated)
    VALUES (${proof.part}, ${proof.started_at}, ${proof.ended_at}, ${proof.proved_at}, ${proof.violated}::text[])
    ON CONFLICT (part) DO UPDATE SET started_at = excluded.started_at, ended_at = excluded.ended_at,
      proved_at = excluded.proved_at, violated = excluded.violated
  `.execute(db);
}
