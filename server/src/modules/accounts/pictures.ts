import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** Pictures of users. `users.avatar_id` names the current one; both change together, while the user is locked. */

export async function setPicture(tx: Tx, avatar: { id: string; userId: string; webp: Buffer }, now: Date) {
  await sql`
    INSERT INTO avatar (user_id, id, webp, created_at) VALUES (${avatar.userId}, ${avatar.id}, ${avatar.webp}, ${now})
    ON CONFLICT (user_id) DO UPDATE SET id = excluded.id, webp = excluded.webp, created_at = excluded.created_at
  `.execute(tx);
  await sql`UPDATE users SET avatar_id = ${avatar.id} WHERE id = ${avatar.userId}`.execute(tx);
}

export async function removePicture(tx: Tx, userId: string): Promise<void> {
  await sql`UPDATE users SET avatar_id = NULL WHERE id = ${userId}`.execute(tx);
  await sql`DELETE FROM avatar WHERE user_id = ${userId}`.execute(tx);
}

export async function findPicture(db: Executor, id: string): Promise<Buffer | undefined> {
  const result = await sql<{ webp: Buffer }>`SELECT webp FROM avatar WHERE id = ${id}`.execute(db);
  return result.rows[0]?.webp;
}
