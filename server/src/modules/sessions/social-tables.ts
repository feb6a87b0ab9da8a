import { sql } from 'kysely';
import type { Tx } from '../../platform/database.ts';

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
