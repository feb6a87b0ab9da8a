import { sql } from 'kysely';
import type { TestWorld } from './world.ts';

/** Puts a user without configs into a trial of so many days and bytes. */
export async function runTrial(
  { deps: { db, clock } }: Pick<TestWorld, 'deps'>,
  userId: string,
  days: number,
  limitBytes = 10_000_000_000,
): Promise<void> {
  const endsAt = new Date(clock.now().getTime() + days * 86_400_000);
  await sql`UPDATE users SET trial_ends_at = ${endsAt} WHERE id = ${userId}`.execute(db);
  await sql`INSERT INTO trial (user_id, limit_bytes) VALUES (${userId}, ${limitBytes}) ON CONFLICT DO NOTHING`.execute(
    db,
  );
}
