import { limits } from '@raha/contract/limits.ts';
import type { Transport } from '@raha/contract/protocols.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** What devices did at an entry: of one operator's network, or (`network` 0, by a relay) of all together. */
export interface EntryCount {
  readonly relayId: string | null;
  readonly network: number;
  readonly transport: Transport;
  readonly attempts: number;
  readonly through: number;
}

const { slotMinutes, slotsKeptHours } = limits.reach;
const slotOf = (instant: Date): RawBuilder<unknown> =>
  sql`date_bin(make_interval(mins => ${slotMinutes}::integer), ${instant}::timestamptz, timestamptz '2000-01-01 00:00:00Z')`;

/** Adds to the present ten minutes. */
export async function addEntryCounts(
  db: Executor,
  nodeId: string,
  counts: readonly EntryCount[],
  now: Date,
): Promise<void> {
  if (counts.length === 0) return;
  const of = (key: keyof EntryCount) => counts.map((count) => count[key]);
  await sql`
    INSERT INTO entry_reach AS e (slot, node_id, relay_id, network, transport, attempts, through)
    SELECT ${slotOf(now)}, ${nodeId}, relay_id, network, transport, sum(attempts), sum(through)
    FROM unnest(${of('relayId')}::uuid[], ${of('network')}::bigint[], ${of('transport')}::text[], ${of('attempts')}::bigint[], ${of('through')}::bigint[])
      AS c (relay_id, network, transport, attempts, through)
    GROUP BY relay_id, network, transport ORDER BY relay_id, network, transport
    ON CONFLICT (slot, node_id, relay_id, network, transport)
      DO UPDATE SET attempts = e.attempts + excluded.attempts, through = e.through + excluded.through
  `.execute(db);
}

export async function forgetEntrySlots(db: Executor, now: Date): Promise<void> {
  await sql`
    DELETE FROM entry_reach WHERE slot <= ${now}::timestamptz - make_interval(hours => ${slotsKeptHours}::integer)
  `.execute(db);
}

export interface EntryRow {
  readonly node_id: string;
  readonly relay_id: string | null;
  readonly network: bigint;
  readonly transport: Transport;
  /** How many slots ago it was; 1 is the last one that is over. */
  readonly ago: number;
  readonly attempts: bigint;
  readonly through: bigint;
}

/** The last so many ten minutes that are over. */
export async function selectEntrySlots(db: Executor, slots: number, now: Date): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    SELECT node_id, relay_id, network, transport, attempts, through,
      (extract(epoch FROM ${slotOf(now)} - slot) / ${60 * slotMinutes})::integer AS ago
    FROM entry_reach
    WHERE slot < ${slotOf(now)} AND slot >= ${slotOf(now)} - make_interval(mins => ${slots * slotMinutes}::integer)
  `.execute(db);
  return rows;
}

/** By entry, in about the last hour, where enough came together at that entry: of this network, and by relays of all. */
export async function selectEntrySums(
  db: Executor,
  { network, transport }: { readonly network: number; readonly transport: Transport },
  now: Date,
): Promise<Pick<EntryRow, 'node_id' | 'relay_id' | 'attempts' | 'through'>[]> {
  const { rows } = await sql<EntryRow>`
    SELECT node_id, relay_id, sum(attempts)::bigint AS attempts, least(sum(through), sum(attempts))::bigint AS through FROM entry_reach
    WHERE slot > ${now}::timestamptz - interval '1 hour' AND transport = ${transport}
      AND network = CASE WHEN relay_id IS NULL THEN ${network}::bigint ELSE 0 END
    GROUP BY node_id, relay_id HAVING sum(attempts) >= ${limits.reach.minAttempts}
  `.execute(db);
  return rows;
}
