import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

/** The only file that names `family_link`, but for the end of a config in `tables.ts`: it ends its link. */
export interface FamilyLink {
  readonly id: string;
  readonly config_id: string;
  readonly user_id: string;
  readonly guest_name: string;
  readonly sender_name: string;
  readonly expires_at: Date;
  readonly opened_at: Date | null;
  readonly browser_hash: Buffer | null;
  readonly ended_at: Date | null;
}

const columns = sql.raw(
  'id, config_id, user_id, guest_name, sender_name, expires_at, opened_at, browser_hash, ended_at',
);

/** The link of a config that is shared, for the SQL of a list of configs. */
export const familyRows = sql.raw(`(
  SELECT config_id AS family_config_id, guest_name, sender_name, expires_at AS link_expires_at, opened_at AS link_opened_at
  FROM family_link WHERE ended_at IS NULL)`);

export interface FamilyState {
  /** Null: it is not shared. */
  readonly guest_name: string | null;
  readonly sender_name: string | null;
  readonly link_expires_at: Date | null;
  readonly link_opened_at: Date | null;
}

/** A new link to a config, in place of the one that it has. */
export async function upsertFamilyLink(
  tx: Tx,
  link: Pick<FamilyLink, 'id' | 'config_id' | 'user_id' | 'guest_name' | 'sender_name' | 'expires_at'> & {
    readonly tokenHash: Buffer;
  },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO family_link (id, config_id, user_id, guest_name, sender_name, token_hash, created_at, expires_at)
    VALUES (${link.id}, ${link.config_id}, ${link.user_id}, ${link.guest_name}, ${link.sender_name}, ${link.tokenHash}, ${now},
      ${link.expires_at})
    ON CONFLICT (config_id) WHERE ended_at IS NULL DO UPDATE
      SET guest_name = excluded.guest_name, sender_name = excluded.sender_name, token_hash = excluded.token_hash,
        created_at = excluded.created_at, expires_at = excluded.expires_at, opened_at = NULL, browser_hash = NULL
  `.execute(tx);
}

export async function selectFamilyLink(
  db: Executor,
  by: { readonly tokenHash: Buffer } | { readonly id: string },
): Promise<FamilyLink | undefined> {
  const which = 'id' in by ? sql`id = ${by.id}` : sql`token_hash = ${by.tokenHash}`;
  return (await sql<FamilyLink>`SELECT ${columns} FROM family_link WHERE ${which}`.execute(db)).rows[0];
}

/** The link of a config that is shared. */
export async function selectFamilyLinkOf(db: Executor, configId: string): Promise<FamilyLink | undefined> {
  const { rows } = await sql<FamilyLink>`
    SELECT ${columns} FROM family_link WHERE config_id = ${configId} AND ended_at IS NULL`.execute(db);
  return rows[0];
}

/** Marks a link as opened by a browser; false if it has been opened, has ended, or was replaced meanwhile. */
export async function updateOpenedLink(
  db: Executor,
  tokenHash: Buffer,
  browserHash: Buffer,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE family_link SET opened_at = ${now}, browser_hash = ${browserHash}
    WHERE token_hash = ${tokenHash} AND opened_at IS NULL AND ended_at IS NULL AND expires_at > ${now}
  `.execute(db);
  return Number(numAffectedRows ?? 0n) === 1;
}

/** The sharing goes on with the replacement of a config. Its file is another one, so the owner has to send a new link. */
export async function moveFamilyLink(tx: Tx, fromId: string, toId: string, now: Date): Promise<void> {
  await sql`
    UPDATE family_link SET config_id = ${toId}, opened_at = NULL, browser_hash = NULL, expires_at = ${now}
    WHERE config_id = ${fromId} AND ended_at IS NULL
  `.execute(tx);
}

export async function deleteFamilyLinks(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM family_link WHERE user_id = ${userId}`.execute(tx);
}

export async function deleteEndedLinks(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) => sql`
      DELETE FROM family_link WHERE ctid IN (SELECT ctid FROM family_link WHERE ended_at < ${before} LIMIT ${limit})
    `,
  );
}
