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
  /** A member's id, or the name of the machine's user. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: { readonly kind?: string | undefined; readonly id?: string | undefined } | undefined;
  /** What the reader may see at all. */
  readonly visible?: EntryScope | undefined;
}

export interface EntryScope {
  /** Only what this member did. */
  readonly ofMember?: string;
  /** No entries about targets of this kind. */
  readonly withoutTarget?: string;
  /** Only actions that this regular expression of PostgreSQL matches. */
  readonly actions?: string;
}

/** Those about a user, newest first. */
export async function selectEntriesOfUser(db: Executor, userId: string, limit: number): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry WHERE user_id = ${userId} ORDER BY number DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** Those before an instant, newest first; all of the last instant, so that the next page begins before it. */
export async function selectEntriesOfUserBefore(
  db: Executor,
  userId: string,
  before: Date,
  limit: number,
): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry WHERE user_id = ${userId} AND at < ${before}
    ORDER BY at DESC FETCH FIRST ${limit} ROWS WITH TIES
  `.execute(db);
  return rows;
}

/** Newest first. */
export async function selectEntries(db: Executor, filter: EntryFilter, limit: number): Promise<ChainedEntry[]> {
  const { before, actor, action, target, visible = {} } = filter;
  // Only the conditions that are given, so that each finds its index.
  const conditions = [
    ...(before === undefined ? [] : [sql`number < ${before}`]),
    ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
    ...(action === undefined ? [] : [sql`action = ${action}`]),
    ...(target?.kind === undefined ? [] : [sql`target_kind = ${target.kind}`]),
    ...(target?.id === undefined ? [] : [sql`target_id = ${target.id}`]),
    ...(visible.ofMember === undefined ? [] : [sql`actor_kind = 'staff' AND actor = ${visible.ofMember}`]),
    ...(visible.withoutTarget === undefined ? [] : [sql`target_kind IS DISTINCT FROM ${visible.withoutTarget}`]),
    ...(visible.actions === undefined ? [] : [sql`action ~ ${visible.actions}`]),
  ];
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry ${where} ORDER BY number DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** Those of one action about several targets, in the order of the chain. */
export async function selectEntriesOfTargets(
  db: Executor,
  { kind, ids, action }: { readonly kind: string; readonly ids: readonly string[]; readonly action: string },
): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry
    WHERE target_kind = ${kind} AND target_id = ANY(${ids}::text[]) AND action = ${action} ORDER BY number
  `.execute(db);
  return rows;
}

/** The newest about each target of a kind, by its id. */
export async function selectLastEntries(
  db: Executor,
  kind: string,
  ids: readonly string[],
): Promise<Map<string, ChainedEntry>> {
  const { rows } = await sql<ChainedEntry>`
    SELECT newest.* FROM unnest(${ids}::text[]) id CROSS JOIN LATERAL (
      SELECT ${columns} FROM audit_entry WHERE target_kind = ${kind} AND target_id = id ORDER BY number DESC LIMIT 1
    ) newest
  `.execute(db);
  return new Map(rows.map((row) => [row.target_id as string, row]));
}

/** In the order of the chain. */
export async function selectEntriesAfter(db: Executor, after: bigint, limit: number): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    SELECT ${columns} FROM audit_entry WHERE number > ${after} ORDER BY number LIMIT ${limit}
  `.execute(db);
  return rows;
}
