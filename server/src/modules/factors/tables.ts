import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { prepare } from '../../platform/statements.ts';

/** The only file that names passkey and passkey_challenge. */

export interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: Buffer;
  readonly sign_count: bigint;
  readonly transports: string[];
  readonly name: string;
  readonly is_second_step: boolean;
  readonly backed_up: boolean;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const columns = sql`id, user_id, credential_id, public_key, sign_count, transports, name, is_second_step, backed_up,
  created_at, last_used_at`;

export async function selectPasskeys(db: Executor, userId: string): Promise<PasskeyRow[]> {
  const result = await sql<PasskeyRow>`
    SELECT ${columns} FROM passkey WHERE user_id = ${userId} ORDER BY created_at, id
  `.execute(db);
  return result.rows;
}

export const secondStep = prepare<{ userId: string }, { exists: boolean }>(
  ({ userId }) => sql`
    SELECT EXISTS (SELECT FROM totp_secret WHERE user_id = ${userId} AND confirmed_at IS NOT NULL)
      OR EXISTS (SELECT FROM passkey WHERE user_id = ${userId} AND is_second_step) AS exists
  `,
);

export async function selectPasskeyByCredential(db: Executor, credentialId: string): Promise<PasskeyRow | undefined> {
  const result = await sql<PasskeyRow>`
    SELECT ${columns} FROM passkey WHERE credential_id = ${credentialId}
  `.execute(db);
  return result.rows[0];
}

export async function insertPasskey(
  tx: Tx,
  passkey: Omit<PasskeyRow, 'is_second_step' | 'last_used_at'>,
): Promise<void> {
  await sql`
    INSERT INTO passkey (id, user_id, credential_id, public_key, sign_count, transports, name, backed_up, created_at)
    VALUES (${passkey.id}, ${passkey.user_id}, ${passkey.credential_id}, ${passkey.public_key}, ${passkey.sign_count},
      ${passkey.transports}::text[], ${passkey.name}, ${passkey.backed_up}, ${passkey.created_at})
  `.execute(tx);
}

/** False if another signature was counted meanwhile. */
export async function countSignature(
  db: Executor,
  passkey: { readonly id: string; readonly before: bigint; readonly after: bigint; readonly backedUp: boolean },
  now: Date,
): Promise<boolean> {
  const result = await sql`
    UPDATE passkey SET sign_count = ${passkey.after}, backed_up = ${passkey.backedUp}, last_used_at = ${now}
    WHERE id = ${passkey.id} AND sign_count = ${passkey.before}
  `.execute(db);
  return result.numAffectedRows === 1n;
}

export async function updatePasskeyName(tx: Tx, userId: string, id: string, name: string): Promise<boolean> {
  const result = await sql`UPDATE passkey SET name = ${name} WHERE id = ${id} AND user_id = ${userId}`.execute(tx);
  return result.numAffectedRows === 1n;
}

export async function updateSecondStep(tx: Tx, userId: string, id: string, isOn: boolean): Promise<boolean> {
  const result = await sql`
    UPDATE passkey SET is_second_step = ${isOn} WHERE id = ${id} AND user_id = ${userId}
  `.execute(tx);
  return result.numAffectedRows === 1n;
}

/** The name of the deleted passkey; undefined if the user has none of this id. */
export async function deletePasskey(tx: Tx, userId: string, id: string): Promise<string | undefined> {
  const result = await sql<{ name: string }>`
    DELETE FROM passkey WHERE id = ${id} AND user_id = ${userId} RETURNING name
  `.execute(tx);
  return result.rows[0]?.name;
}

export async function deletePasskeysOf(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM passkey_challenge WHERE user_id = ${userId}`.execute(tx);
  await sql`DELETE FROM passkey WHERE user_id = ${userId}`.execute(tx);
}

export type ChallengePurpose = 'enrol' | 'sign-in' | 'second-step' | 'confirm';

export async function insertChallenge(
  db: Executor,
  challenge: {
    readonly challenge: string;
    readonly purpose: ChallengePurpose;
    readonly requester: string;
    readonly userId: string | null;
    readonly expiresAt: Date;
  },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO passkey_challenge (challenge, purpose, requester, user_id, created_at, expires_at)
    VALUES (${challenge.challenge}, ${challenge.purpose}, ${challenge.requester}, ${challenge.userId}, ${now}, ${challenge.expiresAt})
  `.execute(db);
}

/** Deletes a challenge. Of several concurrent callers one gets it; nobody gets it for another requester or purpose. */
export async function takeChallenge(
  db: Executor,
  challenge: { readonly challenge: string; readonly purpose: ChallengePurpose; readonly requester: string },
  now: Date,
): Promise<{ readonly user_id: string | null } | undefined> {
  const result = await sql<{ user_id: string | null; expires_at: Date }>`
    DELETE FROM passkey_challenge
    WHERE challenge = ${challenge.challenge} AND purpose = ${challenge.purpose} AND requester = ${challenge.requester}
    RETURNING user_id, expires_at
  `.execute(db);
  const [row] = result.rows;
  return row && row.expires_at.getTime() > now.getTime() ? row : undefined;
}

export async function deleteOldChallenges(db: Executor, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM passkey_challenge WHERE ctid IN (SELECT ctid FROM passkey_challenge WHERE expires_at < ${now} LIMIT ${limit})`,
  );
}
