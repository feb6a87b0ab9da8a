import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** The only file that names traffic_window. */
export interface TrafficWindow {
  readonly started_at: Date;
  readonly base_bytes: bigint;
}

export async function selectWindow(db: Executor, userId: string): Promise<TrafficWindow | undefined> {
  const result = await sql<TrafficWindow>`
    SELECT started_at, base_bytes FROM traffic_window WHERE user_id = ${userId}
  `.execute(db);
  return result.rows[0];
}

export async function upsertWindow(db: Executor, userId: string, baseBytes: bigint, now: Date): Promise<void> {
  await sql`
    INSERT INTO traffic_window (user_id, started_at, base_bytes) VALUES (${userId}, ${now}, ${baseBytes})
    ON CONFLICT (user_id) DO UPDATE SET started_at = excluded.started_at, base_bytes = excluded.base_bytes
  `.execute(db);
}
