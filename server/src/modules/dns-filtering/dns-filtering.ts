import { sql } from 'kysely';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { lockRemaining } from '../accounts/users.ts';
import { provisionConfigs } from '../configs/change-config.ts';
import { listNodeIdsOfUser } from '../configs/list-configs.ts';
import { listNodes } from '../fleet/nodes.ts';
import { forgetBlockedQueries, readBlockedQueries } from '../metering/blocked-queries.ts';

/** The only file that names `dns_filtering`: a row for every user whose DNS queries the nodes' block lists filter. */

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
}

export interface DnsFiltering {
  readonly enabled: boolean;
  /** Whether any server of the user's configs has a block list. */
  readonly available: boolean;
  readonly blockedToday: number;
  readonly blockedMonth: number;
}

export async function readDnsFiltering(deps: Deps, userId: string): Promise<DnsFiltering> {
  const [enabled, nodeIds, nodes, { today, month }] = await Promise.all([
    findFilteredUsers(deps.db, [userId]),
    listNodeIdsOfUser(deps.db, userId),
    listNodes(deps.db),
    readBlockedQueries(deps.db, userId, deps.clock.now()),
  ]);
  const available = nodes.some(({ id, block_list_names: names }) => nodeIds.has(id) && (names ?? 0) > 0);
  return { enabled: enabled.has(userId), available, blockedToday: today, blockedMonth: month };
}

/**
 * Switches DNS filtering for all configs of a user, future ones included; their nodes learn of it at once. Repeating it
 * changes nothing.
 */
export async function setDnsFiltering(deps: Deps, userId: string, enabled: boolean): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, userId);
    const isChanged = await (enabled ? insert(tx, userId) : remove(tx, userId));
    if (isChanged) await provisionConfigs(tx, deps.bus, userId);
  });
}

/** Which of these users have it switched on. */
export async function findFilteredUsers(db: Executor, userIds: readonly string[]): Promise<Set<string>> {
  const result = await sql<{ user_id: string }>`
    SELECT user_id FROM dns_filtering WHERE user_id = ANY (${userIds}::uuid[])
  `.execute(db);
  return new Set(result.rows.map((row) => row.user_id));
}

/** Erases the choice of a deleted user and their counts of blocked queries. */
export async function forgetDnsFiltering(tx: Tx, userId: string): Promise<void> {
  await remove(tx, userId);
  await forgetBlockedQueries(tx, userId);
}

async function insert(tx: Tx, userId: string): Promise<boolean> {
  const result = await sql`
    INSERT INTO dns_filtering (user_id) VALUES (${userId}) ON CONFLICT DO NOTHING RETURNING user_id
  `.execute(tx);
  return result.rows.length > 0;
}

async function remove(tx: Tx, userId: string): Promise<boolean> {
  const result = await sql`DELETE FROM dns_filtering WHERE user_id = ${userId} RETURNING user_id`.execute(tx);
  return result.rows.length > 0;
}
