import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Verdict } from './rules.ts';

/** What the rule sees now in place of what it saw before. */
export async function replaceSuspects(tx: Tx, keep: Verdict['keep'], now: Date): Promise<void> {
  await sql`DELETE FROM entry_suspect`.execute(tx);
  if (keep.length === 0) return;
  const columns = [keep.map(({ nodeId }) => nodeId), keep.map(({ relayId }) => relayId), keep.map(({ kept }) => kept)];
  await sql`
    INSERT INTO entry_suspect (node_id, relay_id, seen_at, kept)
    SELECT node_id, relay_id, ${now}, kept FROM unnest(${columns[0]}::uuid[], ${columns[1]}::uuid[], ${columns[2]}::text[])
      AS s (node_id, relay_id, kept) ORDER BY node_id, relay_id
    ON CONFLICT DO NOTHING
  `.execute(tx);
}

export interface SuspectRow {
  readonly node_id: string;
  readonly relay_id: string | null;
  readonly kept: Verdict['keep'][number]['kept'];
}

export async function selectSuspects(db: Executor): Promise<SuspectRow[]> {
  return (await sql<SuspectRow>`SELECT node_id, relay_id, kept FROM entry_suspect`.execute(db)).rows;
}
