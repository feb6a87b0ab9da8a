import { sql } from 'kysely';
import { type Executor, readRows, type Tx } from '../../platform/database.ts';
import { prepare } from '../../platform/statements.ts';
import { userRows } from '../accounts/users.ts';

/** known_device: the browsers that have signed in. */

/** Notes that a device signs in, and how many the account knew before. */
export async function insertDevice(
  tx: Tx,
  userId: string,
  deviceHash: Buffer,
  now: Date,
): Promise<{ isNew: boolean; devicesBefore: number }> {
  const { rows } = await sql<{ is_new: boolean; before: bigint }>`
    WITH device AS (
      INSERT INTO known_device (user_id, device_hash, first_seen_at, last_seen_at) VALUES (${userId}, ${deviceHash}, ${now}, ${now})
      ON CONFLICT (user_id, device_hash) DO UPDATE SET last_seen_at = excluded.last_seen_at RETURNING xmax = 0 AS is_new
    )
    SELECT device.is_new, (SELECT count(*) FROM known_device WHERE user_id = ${userId}) AS before FROM device
  `.execute(tx);
  return { isNew: rows[0]?.is_new === true, devicesBefore: Number(rows[0]?.before ?? 0n) };
}

/** The same work for every address: without a user it looks up one that does not exist. */
export async function isKnownDevice(db: Executor, userId: string | undefined, deviceHash: Buffer): Promise<boolean> {
  const result = await sql<{ known: boolean }>`
    SELECT EXISTS (SELECT FROM known_device WHERE user_id = ${userId ?? NOBODY}::uuid AND device_hash = ${deviceHash}) AS known
  `.execute(db);
  return result.rows[0]?.known === true;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The same for the account of an address; and whether any account knows it. */
export const knownDevice = prepare<{ email: string; deviceHash: Buffer }, { known: boolean; known_to_any: boolean }>(
  ({ email, deviceHash }) => sql`
    SELECT EXISTS (
      SELECT FROM known_device WHERE device_hash = ${deviceHash}
        AND user_id = coalesce((SELECT id FROM ${userRows} u WHERE u.email = ${email}), ${sql.lit(NOBODY)}::uuid)
    ) AS known, EXISTS (SELECT FROM known_device WHERE device_hash = ${deviceHash}) AS known_to_any
  `,
);

const deviceOfAnyone = prepare<{ deviceHash: Buffer }, { known: boolean }>(
  ({ deviceHash }) => sql`SELECT EXISTS (SELECT FROM known_device WHERE device_hash = ${deviceHash}) AS known`,
);

/** Whether a browser has signed in to any account before. */
export async function isDeviceOfAnyone(db: Executor, deviceHash: Buffer): Promise<boolean> {
  return (await readRows(db, deviceOfAnyone({ deviceHash })))[0]?.known === true;
}
