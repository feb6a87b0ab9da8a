import type { StaffRole } from '@raha/contract/admin/roles.ts';
import type { TokenScope } from '@raha/contract/admin/tokens.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { userRows } from '../accounts/users.ts';

/** The only file that names staff_token. It is read with the member, who may be disabled by now. */

export interface TokenRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: TokenScope[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

export type WorkingToken = TokenRow & { readonly email: string; readonly role: StaffRole };

const columns = sql`t.id, t.user_id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, t.revoked_at`;

export async function insertToken(
  tx: Tx,
  row: Omit<TokenRow, 'last_used_at' | 'revoked_at'> & { readonly tokenHash: Buffer },
): Promise<void> {
  await sql`
    INSERT INTO staff_token (id, token_hash, user_id, name, scopes, created_at, expires_at)
    VALUES (${row.id}, ${row.tokenHash}, ${row.user_id}, ${row.name}, ${row.scopes}, ${row.created_at}, ${row.expires_at})
  `.execute(tx);
}

/** One that opens calls now, with its member, who may work. */
export async function selectWorkingToken(
  db: Executor,
  tokenHash: Buffer,
  now: Date,
): Promise<WorkingToken | undefined> {
  const { rows } = await sql<WorkingToken>`
    SELECT ${columns}, u.email, m.role
    FROM staff_token t JOIN staff_member m ON m.user_id = t.user_id JOIN ${userRows} u ON u.id = t.user_id
    WHERE t.token_hash = ${tokenHash} AND t.revoked_at IS NULL AND t.expires_at > ${now}
      AND m.disabled_at IS NULL AND u.status IN ('active', 'incomplete')
  `.execute(db);
  return rows[0];
}

export async function selectTokens(db: Executor, limit: number): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    SELECT ${columns} FROM staff_token t ORDER BY t.expires_at DESC, t.id LIMIT ${limit}
  `.execute(db);
  return rows;
}

export async function lockToken(tx: Tx, id: string): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`SELECT ${columns} FROM staff_token t WHERE t.id = ${id} FOR UPDATE`.execute(tx);
  return rows[0];
}

export async function updateRevoked(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`UPDATE staff_token SET revoked_at = ${now} WHERE id = ${id}`.execute(tx);
}

/** All that act in a member's name. */
export async function updateRevokedOf(tx: Tx, userId: string, now: Date): Promise<void> {
  await sql`UPDATE staff_token SET revoked_at = ${now} WHERE user_id = ${userId} AND revoked_at IS NULL`.execute(tx);
}

export async function deleteTokensOf(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM staff_token WHERE user_id = ${userId}`.execute(tx);
}

export async function updateTokenUsed(db: Executor, id: string, now: Date): Promise<void> {
  await sql`UPDATE staff_token SET last_used_at = ${now} WHERE id = ${id}`.execute(db);
}

export async function deleteOldTokens(db: Executor, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM staff_token WHERE ctid IN (SELECT ctid FROM staff_token WHERE expires_at < ${now} LIMIT ${limit})`,
  );
}
