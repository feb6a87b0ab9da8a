import type { BulkAct, BulkItem, BulkState, BulkWhy } from '@raha/contract/admin/bulk.ts';
import type { PeopleFilter } from '@raha/contract/admin/people.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `bulk` and `bulk_item`. */
export interface BulkRow {
  readonly id: string;
  readonly act: BulkAct;
  readonly reason: string;
  readonly filter: PeopleFilter | null;
  readonly actor_kind: 'staff' | 'command-line';
  readonly actor: string;
  readonly ordered_at: Date;
  /** Null: nobody has approved it. */
  readonly starts_at: Date | null;
  readonly state: BulkState;
  readonly people: number;
  readonly done: number;
  readonly failed: number;
  readonly ended_at: Date | null;
  readonly lost_permission: boolean;
  readonly undoes: string | null;
  /** Of a credit: what each gets and is told; and of a member's the proposal, and until when it can be approved. */
  readonly each_toman: bigint | null;
  readonly message: string | null;
  readonly proposal_id: string | null;
  readonly approve_by: Date | null;
}

export interface ItemRow {
  readonly user_id: string;
  readonly state: BulkItem['state'];
  readonly why: BulkWhy | null;
  readonly at: Date | null;
}

const columns = sql.raw(`id, act, reason, filter, actor_kind, actor, ordered_at, starts_at, state, people, done, failed,
  ended_at, lost_permission, undoes, each_toman, message, proposal_id, approve_by`);

type NewBulk = Omit<BulkRow, 'done' | 'failed' | 'ended_at' | 'lost_permission'>;

/** What has nothing to do with money, and begins without a second member. */
export const noCredit = {
  state: 'planned',
  each_toman: null,
  message: null,
  proposal_id: null,
  approve_by: null,
} as const;

export async function insertBulk(tx: Tx, row: NewBulk): Promise<void> {
  const { id, act, reason, filter, actor_kind, actor, ordered_at, starts_at, state, people, undoes } = row;
  await sql`
    INSERT INTO bulk (id, act, reason, filter, actor_kind, actor, ordered_at, starts_at, state, people, undoes, each_toman, message,
      proposal_id, approve_by)
    VALUES (${id}, ${act}, ${reason}, ${filter === null ? null : JSON.stringify(filter)}::jsonb, ${actor_kind}, ${actor},
      ${ordered_at}, ${starts_at}, ${state}, ${people}, ${undoes}, ${row.each_toman}, ${row.message}, ${row.proposal_id}, ${row.approve_by})
  `.execute(tx);
}

export async function insertItems(tx: Tx, bulkId: string, userIds: readonly string[]): Promise<void> {
  await sql`
    INSERT INTO bulk_item (bulk_id, user_id) SELECT ${bulkId}, user_id FROM unnest(${[...userIds]}::uuid[]) AS chosen (user_id)
  `.execute(tx);
}

/** Of these users, in whatever order they stand. */
export async function hashPeople(tx: Tx, userIds: readonly string[]): Promise<string> {
  const { rows } = await sql<{ hash: string }>`SELECT people_hash(${[...userIds]}::uuid[]) AS hash`.execute(tx);
  return rows[0]?.hash ?? '';
}

/** Of the users of a bulk. */
export async function hashItems(tx: Tx, bulkId: string): Promise<string> {
  const { rows } = await sql<{ hash: string | null }>`
    SELECT people_hash(array_agg(user_id)) AS hash FROM bulk_item WHERE bulk_id = ${bulkId}
  `.execute(tx);
  return rows[0]?.hash ?? '';
}

/** Those whom a bulk changed. */
export async function selectDone(tx: Tx, bulkId: string): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM bulk_item WHERE bulk_id = ${bulkId} AND state = 'done'
  `.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

export async function selectBulk(db: Executor, id: string): Promise<BulkRow | undefined> {
  return (await sql<BulkRow>`SELECT ${columns} FROM bulk WHERE id = ${id}`.execute(db)).rows[0];
}

/** What proposals are about. */
export async function selectProposed(db: Executor, proposalIds: readonly string[]): Promise<BulkRow[]> {
  const { rows } = await sql<BulkRow>`
    SELECT ${columns} FROM bulk WHERE proposal_id = ANY(${[...proposalIds]}::uuid[])
  `.execute(db);
  return rows;
}

/** Members and workers that act on a bulk wait for each other. */
export async function lockBulk(tx: Tx, id: string): Promise<BulkRow | undefined> {
  return (await sql<BulkRow>`SELECT ${columns} FROM bulk WHERE id = ${id} FOR UPDATE`.execute(tx)).rows[0];
}

export async function selectUndoing(db: Executor, id: string): Promise<string | undefined> {
  return (await sql<{ id: string }>`SELECT id FROM bulk WHERE undoes = ${id}`.execute(db)).rows[0]?.id;
}

export async function selectBulks(db: Executor, before: string | undefined, limit: number): Promise<BulkRow[]> {
  const older = before === undefined ? sql`` : sql`WHERE id < ${before}`;
  return (await sql<BulkRow>`SELECT ${columns} FROM bulk ${older} ORDER BY id DESC LIMIT ${limit}`.execute(db)).rows;
}

/** Those that are not over, the next one first. */
export async function selectOpenBulks(db: Executor, limit: number): Promise<BulkRow[]> {
  const { rows } = await sql<BulkRow>`
    SELECT ${columns} FROM bulk WHERE state IN ('planned', 'running', 'paused') ORDER BY starts_at, id LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** Those that a worker goes on with now, and those that nobody has approved in time. */
export async function selectRunnable(db: Executor, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM bulk
    WHERE (state IN ('planned', 'running') AND starts_at <= ${now}) OR (state = 'proposed' AND approve_by <= ${now})
    ORDER BY starts_at, id
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** From then on it is planned. */
export async function updateApproved(tx: Tx, id: string, startsAt: Date): Promise<void> {
  await sql`UPDATE bulk SET state = 'planned', starts_at = ${startsAt} WHERE id = ${id}`.execute(tx);
}

export async function updateState(
  tx: Tx,
  id: string,
  state: BulkState,
  {
    endedAt = null,
    lostPermission = false,
  }: { readonly endedAt?: Date | null; readonly lostPermission?: boolean } = {},
): Promise<void> {
  await sql`
    UPDATE bulk SET state = ${state}, ended_at = ${endedAt}, lost_permission = ${lostPermission} WHERE id = ${id}
  `.execute(tx);
}

/** The next user; those with whom something went wrong come last. */
export async function selectNext(tx: Tx, bulkId: string): Promise<string | undefined> {
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM bulk_item WHERE bulk_id = ${bulkId} AND state = 'open' ORDER BY tries, user_id LIMIT 1
  `.execute(tx);
  return rows[0]?.user_id;
}

/** What became of a user, in the transaction in which the bulk is locked and the act is done. */
export async function settleItem(
  tx: Tx,
  bulkId: string,
  userId: string,
  why: BulkWhy | undefined,
  now: Date,
): Promise<void> {
  const state = why === undefined ? 'done' : 'failed';
  await sql`
    UPDATE bulk_item SET state = ${state}, why = ${why ?? null}, at = ${now}
    WHERE bulk_id = ${bulkId} AND user_id = ${userId} AND state = 'open'
  `.execute(tx);
  const counter = sql.ref(state);
  await sql`UPDATE bulk SET ${counter} = ${counter} + 1 WHERE id = ${bulkId}`.execute(tx);
}

/** One more try that went wrong; returns how many there were. */
export async function countTry(tx: Tx, bulkId: string, userId: string): Promise<number> {
  const { rows } = await sql<{ tries: number }>`
    UPDATE bulk_item SET tries = tries + 1 WHERE bulk_id = ${bulkId} AND user_id = ${userId} AND state = 'open' RETURNING tries
  `.execute(tx);
  return rows[0]?.tries ?? 0;
}

export async function selectItems(
  db: Executor,
  bulkId: string,
  {
    state,
    after,
    limit,
  }: { readonly state?: BulkItem['state'] | undefined; readonly after?: string | undefined; readonly limit: number },
): Promise<ItemRow[]> {
  const of = state === undefined ? sql`` : sql`AND state = ${state}`;
  const later = after === undefined ? sql`` : sql`AND user_id > ${after}`;
  const { rows } = await sql<ItemRow>`
    SELECT user_id, state, why, at FROM bulk_item WHERE bulk_id = ${bulkId} ${of} ${later} ORDER BY user_id LIMIT ${limit}
  `.execute(db);
  return rows;
}
