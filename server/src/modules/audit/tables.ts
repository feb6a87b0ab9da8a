import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { ChainedEntry } from './chain.ts';

const columns = sql`
  number, at, actor_kind, actor, action, target_kind, target_id, user_id, operator, reason, details, changed, chain
`;

/** The newest entry. Until the transaction ends, no other one can be written. */
export async function lockLastEntry(tx: Tx): Promise<ChainedEntry | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('audit_entry'))`.execute(tx);
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry ORDER BY number DESC LIMIT 1
  `.execute(tx);
  return rows[0];
}

export async function insertEntry(tx: Tx, entry: ChainedEntry): Promise<void> {
  await sql`
    INSERT INTO audit_entry (${columns})
    VALUES (
      ${entry.number}, ${entry.at}, ${entry.actor_kind}, ${entry.actor}, ${entry.action}, ${entry.target_kind},
      ${entry.target_id}, ${entry.user_id}, ${entry.operator}, ${entry.reason}, ${JSON.stringify(entry.details)}::jsonb,
      ${JSON.stringify(entry.changed)}::jsonb, ${entry.chain}
    )
  `.execute(tx);
}

export interface EntryFilter {
  /** Entries with a smaller number. */
  readonly before?: bigint | undefined;
  readonly action?: string | undefined;
  readonly target?: { readonly kind: string; readonly id: string } | undefined;
}

/** Those about a user, newest first. */
export async function selectEntriesOfUser(db: Executor, userId: string, limit: number): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry WHERE user_id = ${userId} ORDER BY number DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** Newest first. */
export async function selectEntries(
  db: Executor,
  { before, action, target }: EntryFilter,
  limit: number,
): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry
    WHERE (${before ?? null}::bigint IS NULL OR number < ${before ?? null}::bigint)
      AND (${action ?? null}::text IS NULL OR action = ${action ?? null}::text)
      AND (${target?.kind ?? null}::text IS NULL
        OR (target_kind = ${target?.kind ?? null}::text AND target_id = ${target?.id ?? null}::text))
    ORDER BY number DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** In the order of the chain. */
export async function selectEntriesAfter(db: Executor, after: bigint, limit: number): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry WHERE number > ${after} ORDER BY number LIMIT ${limit}
  `.execute(db);
  return rows;
}
