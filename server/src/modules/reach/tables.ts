import { limits } from '@raha/contract/limits.ts';
import type { ReachCount } from '@raha/contract/node/protocol.ts';
import type { Transport } from '@raha/contract/protocols.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

const { minAttempts, minNodes, minAnswers, hourDays, shownHours } = limits.reach;

export type OpenCount = Required<ReachCount>;

/** Adds to what this server has counted in the present hour; without a server, to what panels have answered. */
export async function addCounts(
  db: Executor,
  nodeId: string | null,
  counts: readonly OpenCount[],
  now: Date,
): Promise<void> {
  if (counts.length === 0) return;
  const columns = (['network', 'transport', 'port', 'attempts', 'through'] as const).map((column) =>
    counts.map((count) => count[column]),
  );
  await sql`
    INSERT INTO reach_open AS o (hour, network, transport, port, node_id, attempts, through)
    SELECT ${hourOf(now)}, network, transport, port, ${nodeId}::uuid, sum(attempts), sum(through)
    FROM unnest(${columns[0]}::bigint[], ${columns[1]}::text[], ${columns[2]}::integer[], ${columns[3]}::bigint[], ${columns[4]}::bigint[])
      AS c (network, transport, port, attempts, through)
    GROUP BY network, transport, port ORDER BY network, transport, port
    ON CONFLICT (hour, network, transport, port, node_id)
      DO UPDATE SET attempts = o.attempts + excluded.attempts, through = o.through + excluded.through
  `.execute(db);
}

/**
 * Ends the hours that are over: what came together is kept if it was enough, and the rest is deleted. One statement, so that nothing
 * counts twice.
 */
export async function closeHours(db: Executor, now: Date): Promise<void> {
  await sql`
    WITH closed AS (
      DELETE FROM reach_open WHERE hour <= ${now}::timestamptz - interval '1 hour' RETURNING *
    ), together AS (
      SELECT hour, network, transport, port, count(DISTINCT node_id) AS nodes,
        coalesce(sum(attempts) FILTER (WHERE node_id IS NOT NULL), 0) AS attempts,
        coalesce(sum(through) FILTER (WHERE node_id IS NOT NULL), 0) AS through,
        coalesce(sum(attempts) FILTER (WHERE node_id IS NULL), 0) AS answers,
        coalesce(sum(through) FILTER (WHERE node_id IS NULL), 0) AS connected
      FROM closed GROUP BY hour, network, transport, port
    ), enough AS (
      SELECT *, answers >= ${minAnswers} AS is_answered,
        attempts >= ${minAttempts} AND (nodes >= ${minNodes} OR answers >= ${minAnswers}) AS is_counted
      FROM together
    )
    INSERT INTO reach_cell (network, grain, begins, transport, port, attempts, through, answers, connected)
    SELECT network, 'hour', hour, transport, port,
      CASE WHEN is_counted THEN attempts ELSE 0 END, CASE WHEN is_counted THEN least(through, attempts) ELSE 0 END,
      CASE WHEN is_answered THEN answers ELSE 0 END, CASE WHEN is_answered THEN connected ELSE 0 END
    FROM enough WHERE is_counted OR is_answered
    ON CONFLICT DO NOTHING
  `.execute(db);
}

/** Makes days of Tehran out of hours that are old. */
export async function gatherDays(db: Executor, now: Date): Promise<void> {
  await sql`
    WITH old AS (
      DELETE FROM reach_cell WHERE grain = 'hour' AND begins < ${dayOf(sql`${now}::timestamptz`, hourDays)} RETURNING *
    )
    INSERT INTO reach_cell AS c (network, grain, begins, transport, port, attempts, through, answers, connected)
    SELECT network, 'day', ${dayOf(sql`begins`)}, transport, port, sum(attempts), sum(through), sum(answers), sum(connected)
    FROM old GROUP BY 1, 3, 4, 5
    ON CONFLICT (network, grain, begins, transport, port) DO UPDATE SET attempts = c.attempts + excluded.attempts,
      through = c.through + excluded.through, answers = c.answers + excluded.answers, connected = c.connected + excluded.connected
  `.execute(db);
}

export async function forgetOldDays(db: Executor, now: Date): Promise<void> {
  const last = sql`${now}::timestamptz - make_interval(days => ${limits.keptDays.reach}::integer)`;
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM reach_cell WHERE ctid IN (SELECT ctid FROM reach_cell WHERE grain IN ('hour', 'day') AND begins <= ${last} LIMIT ${limit})`,
  );
}

export interface ReachCell {
  readonly network: bigint;
  readonly grain: 'hour' | 'day';
  readonly begins: Date;
  readonly transport: Transport;
  readonly port: number;
  readonly attempts: bigint;
  readonly through: bigint;
  readonly answers: bigint;
  readonly connected: bigint;
}

/** The latest hour of each way of a network that is not too old to be shown. */
export async function selectLatest(db: Executor, network: number, now: Date): Promise<ReachCell[]> {
  const result = await sql<ReachCell>`
    SELECT DISTINCT ON (transport, port) * FROM reach_cell
    WHERE network = ${network} AND grain = 'hour' AND begins > ${now}::timestamptz - make_interval(hours => ${shownHours + 1})
    ORDER BY transport, port, begins DESC
  `.execute(db);
  return result.rows;
}

export async function selectCells(db: Executor, since: Date): Promise<ReachCell[]> {
  const result = await sql<ReachCell>`
    SELECT * FROM reach_cell WHERE begins >= ${since} ORDER BY network, transport, port, begins
  `.execute(db);
  return result.rows;
}

/** Hours of Tehran, which begin at half past a UTC hour. */
function hourOf(now: Date): RawBuilder<unknown> {
  return sql`date_trunc('hour', ${now}::timestamptz AT TIME ZONE 'Asia/Tehran') AT TIME ZONE 'Asia/Tehran'`;
}

function dayOf(instant: RawBuilder<unknown>, daysBefore = 0): RawBuilder<unknown> {
  return sql`(date_trunc('day', ${instant} AT TIME ZONE 'Asia/Tehran') - make_interval(days => ${daysBefore}::integer)) AT TIME ZONE 'Asia/Tehran'`;
}
