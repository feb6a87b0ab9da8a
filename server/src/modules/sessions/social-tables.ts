import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names social_identity. */

export async function findIdentity(tx: Tx, provider: string, subject: string): Promise<string | undefined> {
  const result = await sql<{ user_id: string }>`
    SELECT user_id FROM social_identity WHERE provider = ${provider} AND subject = ${subject}
  `.execute(tx);
  return result.rows[0]?.user_id;
}

export async function insertIdentity(
  tx: Tx,
  identity: { provider: string; subject: string; userId: string },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO social_identity (provider, subject, user_id, created_at)
    VALUES (${identity.provider}, ${identity.subject}, ${identity.userId}, ${now}) ON CONFLICT DO NOTHING
  `.execute(tx);
}

/** The providers to which an account is linked. */
export async function selectIdentities(
  db: Executor,
  userId: string,
): Promise<{ provider: string; subject: string; created_at: Date }[]> {
  const result = await sql<{ provider: string; subject: string; created_at: Date }>`
    SELECT provider, subject, created_at FROM social_identity WHERE user_id = ${userId} ORDER BY created_at
  `.execute(db);
  return result.rows;
}

export async function deleteIdentities(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM social_identity WHERE user_id = ${userId}`.execute(tx);
}
