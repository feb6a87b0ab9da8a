import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** The only file that names meter_sweep: sweeps over all meters, some at a time. */

/** Meters of one turn, without the first id and with the last; null: without an end. */
export interface Span {
  readonly after: string;
  readonly upTo: string | null;
}

/** As many meters as are read in a few hundredths of a second; a million users take under an hour at a turn each half minute. */
const SPAN = 20_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The next turn of a sweep, wherever it was made last. After the end it begins again. */
export async function nextSpan(db: Executor, name: 'oversized'): Promise<Span> {
  const { rows } = await sql<Span>`
    WITH begin AS (SELECT coalesce((SELECT after_id FROM meter_sweep WHERE name = ${name}), ${BEFORE_ALL}) AS after),
    span AS (
      SELECT (SELECT config_id FROM meter WHERE config_id > begin.after ORDER BY config_id OFFSET ${SPAN - 1} LIMIT 1) AS up_to FROM begin
    ), kept AS (
      INSERT INTO meter_sweep (name, after_id) SELECT ${name}, up_to FROM span
      ON CONFLICT (name) DO UPDATE SET after_id = excluded.after_id
    )
    SELECT begin.after, span.up_to AS "upTo" FROM begin, span
  `.execute(db);
  return rows[0] ?? { after: BEFORE_ALL, upTo: null };
}

/** The condition that a meter is of the span. */
export function inSpan({ after, upTo }: Span) {
  return sql`config_id > ${after} AND config_id <= coalesce(${upTo}, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)`;
}
