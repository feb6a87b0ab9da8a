import type { AccountStatus } from '@raha/contract/accounts.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { type UserRow, userRows } from './tables.ts';

/** Finding users for staff. Their address and number are searched by trigrams, so any part of them is found by an index. */
export interface PeopleQuery {
  /** A part of the address or, digits only, of the phone number. */
  readonly part?: string | undefined;
  readonly digits?: string | undefined;
  readonly status?: AccountStatus | undefined;
  /** A statement of another module that reads ids of users: only those among them. */
  readonly among?: RawBuilder<unknown> | undefined;
  /** Only those with smaller ids, which registered earlier. */
  readonly before?: string | undefined;
}

/** As many can be sorted at once. More match a part so common that the newest of them are soon found among all users. */
const FEW = 1_000;
/** Among so many a part that an eighth of all users have fills a page. */
const NEWEST = 200;

/** Newest first, without erased accounts; all of them if nothing is asked for. */
export async function selectPeople(db: Executor, query: PeopleQuery, limit: number): Promise<UserRow[]> {
  const { part, digits, before } = query;
  const asked = [
    ...(part === undefined ? [] : [sql`email LIKE ${anywhere(part)}`]),
    ...(digits === undefined ? [] : [sql`phone LIKE ${anywhere(digits)}`]),
  ];
  const filters = filtersOf(query);
  if (asked.length === 0) return await selectNewest(db, filters, before, limit);
  const matches = sql.join([sql`(${sql.join(asked, sql` OR `)})`, ...filters], sql` AND `);
  // A part that many have, such as a provider's name, is found among the newest; its index would first collect all of them.
  const newest = await selectNewest(db, [matches, sql`id = ANY (${newestIds(before)})`], before, limit);
  if (newest.length === limit) return newest;
  const few = await selectFew(db, matches);
  return await selectNewest(db, [few ? sql`id = ANY (${few}::uuid[])` : matches], before, limit);
}

/** Ids of those who fit the filters, erased ones left out, in no order. */
export async function selectFitting(db: Executor, query: PeopleQuery, limit: number): Promise<string[]> {
  const all = [sql`status <> 'deleted'`, ...filtersOf(query)];
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM users WHERE ${sql.join(all, sql` AND `)} LIMIT ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** The array is read once: as a condition for each user, it would be read for users who are not asked for. */
function filtersOf({ status, among }: PeopleQuery): RawBuilder<unknown>[] {
  return [
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(among === undefined ? [] : [sql`id = ANY (ARRAY(${among}))`]),
  ];
}

/** The newest users, erased ones left out, that fit the conditions. */
async function selectNewest(
  db: Executor,
  conditions: readonly RawBuilder<unknown>[],
  before: string | undefined,
  limit: number,
): Promise<UserRow[]> {
  const all = [sql`status <> 'deleted'`, ...conditions, ...(before === undefined ? [] : [sql`id < ${before}`])];
  const { rows } = await sql<UserRow>`
    SELECT * FROM ${userRows} u WHERE ${sql.join(all, sql` AND `)} ORDER BY id DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

function newestIds(before: string | undefined): RawBuilder<unknown> {
  const older = before === undefined ? sql`` : sql`WHERE id < ${before}`;
  return sql`ARRAY(SELECT id FROM users ${older} ORDER BY id DESC LIMIT ${NEWEST})`;
}

/**
 * Those that match, unless they are many. Asked for the newest at once, PostgreSQL would read all users in their order when
 * it takes a rare part for a common one.
 */
async function selectFew(db: Executor, matches: RawBuilder<unknown>): Promise<string[] | undefined> {
  const { rows } = await sql<{ id: string }>`
    WITH found AS MATERIALIZED (SELECT id FROM users WHERE ${matches}) SELECT id FROM found LIMIT ${FEW + 1}
  `.execute(db);
  return rows.length > FEW ? undefined : rows.map(({ id }) => id);
}

/** Those of the ids in [first, last] that are users, erased ones too. */
export async function selectIdsBetween(
  db: Executor,
  [first, last]: readonly [string, string],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM users WHERE id >= ${first} AND id <= ${last} ORDER BY id DESC LIMIT ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

function anywhere(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
