import { sql } from 'kysely';
import type { Executor } from './database.ts';

/** When each schedule last ended well. Only this file names `schedule_run`. */

/** No more often than this: nobody needs it to the second. */
const NOTED_EVERY_MS = 60_000;

/** What a worker uses to note its runs. A run that cannot be noted has run all the same; the alert about it is then right anyway. */
export function createRunNotes(db: Executor): (name: string, now: Date) => Promise<void> {
  const noted = new Map<string, number>();
  return async (name, now) => {
    const last = noted.get(name);
    if (last !== undefined && Math.abs(now.getTime() - last) < NOTED_EVERY_MS) return;
    await noteRun(db, name, now);
    noted.set(name, now.getTime());
  };
}

export async function noteRun(db: Executor, name: string, now: Date): Promise<void> {
  await sql`
    INSERT INTO schedule_run (name, ended_at) VALUES (${name}, ${now})
    ON CONFLICT (name) DO UPDATE SET ended_at = greatest(schedule_run.ended_at, excluded.ended_at)
  `.execute(db);
}

export async function readRuns(db: Executor): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await sql<{ name: string; ended_at: Date }>`SELECT name, ended_at FROM schedule_run`.execute(db);
  return new Map(rows.map(({ name, ended_at }) => [name, ended_at]));
}

export async function readRun(db: Executor, name: string): Promise<Date | undefined> {
  const { rows } = await sql<{ ended_at: Date }>`SELECT ended_at FROM schedule_run WHERE name = ${name}`.execute(db);
  return rows[0]?.ended_at;
}
