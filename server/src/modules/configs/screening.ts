import { sql } from 'kysely';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { lockRemaining } from '../accounts/users.ts';
import { changeWanted } from '../billing/restore-service.ts';
import { listNodes } from '../fleet/nodes.ts';
import { lockMeters } from '../metering/leases.ts';
import { forgetWithheld, readWithheld } from '../metering/withheld.ts';
import { lockConfigsOfUser, selectConfigsOfUser } from './tables.ts';

/** The only file that names `dns_filtering`: who wishes that names on the nodes' block lists are not answered. */

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
}

export interface Screening {
  readonly enabled: boolean;
  /** A server of the user's configs has a block list. */
  readonly available: boolean;
  readonly blockedToday: number;
  readonly blockedMonth: number;
}

export async function readScreening(deps: Deps, userId: string): Promise<Screening> {
  const [enabled, configs, nodes, { today, month }] = await Promise.all([
    findScreened(deps.db, [userId]),
    selectConfigsOfUser(deps.db, userId),
    listNodes(deps.db),
    readWithheld(deps.db, userId, deps.clock.now()),
  ]);
  const own = new Set(configs.map(({ node_id }) => node_id));
  const available = nodes.some(({ id, block_list_names: names }) => own.has(id) && (names ?? 0) > 0);
  return { enabled: enabled.has(userId), available, blockedToday: today, blockedMonth: month };
}

/** Holds for all configs of a user, those to come too; their nodes hear of it at once. Repeating it changes nothing. */
export async function setScreening(deps: Deps, userId: string, enabled: boolean): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, userId);
    const configs = await lockConfigsOfUser(tx, userId);
    if (!(await (enabled ? insert(tx, userId) : remove(tx, userId)))) return;
    await lockMeters(
      tx,
      configs.map(({ id }) => id),
    );
    await changeWanted(
      tx,
      deps.bus,
      configs.map(({ id, node_id: nodeId }) => ({ configId: id, nodeId })),
    );
  });
}

/** Which of these people wish it. */
export async function findScreened(db: Executor, userIds: readonly string[]): Promise<Set<string>> {
  const result = await sql<{ user_id: string }>`
    SELECT user_id FROM dns_filtering WHERE user_id = ANY (${userIds}::uuid[])
  `.execute(db);
  return new Set(result.rows.map((row) => row.user_id));
}

/** Of somebody who is gone: the wish and what came of it. */
export async function forgetScreening(tx: Tx, userId: string): Promise<void> {
  await remove(tx, userId);
  await forgetWithheld(tx, userId);
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
