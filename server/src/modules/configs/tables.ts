import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { ServedProtocol } from '../fleet/rules.ts';

/** The only file that names `config`. */
export interface ConfigRow {
  readonly id: string;
  readonly user_id: string;
  readonly node_id: string;
  readonly name: string;
  readonly protocol: ServedProtocol;
  /** The public key, certificate name or user name by which the node knows the device. */
  readonly credential: string;
  /** WireGuard's preshared key, the device's tls-crypt-v2 key, or the hash of its password. */
  readonly client_secret_sealed: string;
  readonly private_key_sealed: string | null;
  readonly certificate: string | null;
  readonly slot: number;
  readonly blocked: boolean;
  readonly connect_requested_at: Date | null;
  readonly created_at: Date;
  readonly deleted_at: Date | null;
  /**
   * Set if its server is being retired: when the config ends, as notified to its owner. It follows the server's end
   * date.
   */
  readonly leaves_at: Date | null;
  /** The config that replaces it; null: none could be created. */
  readonly replacement_id: string | null;
  /** Of OpenVPN: whether OpenConnect was offered with it when it was made. */
  readonly offers_openconnect: boolean;
}

const columns =
  sql.raw(`id, user_id, node_id, name, protocol, credential, client_secret_sealed, private_key_sealed, certificate,
  slot, blocked, connect_requested_at, created_at, deleted_at, leaves_at, replacement_id, offers_openconnect`);

export async function selectOtherConfig(
  db: Executor,
  { id, node_id, slot }: Pick<ConfigRow, 'id' | 'node_id' | 'slot'>,
  since: Date,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM config WHERE node_id = ${node_id} AND slot = ${slot} AND id <> ${id} AND deleted_at > ${since} LIMIT 1
  `.execute(db);
  return rows.length > 0;
}

export async function insertConfig(
  tx: Tx,
  config: Omit<ConfigRow, 'connect_requested_at' | 'created_at' | 'deleted_at' | 'leaves_at' | 'replacement_id'>,
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO config (id, user_id, node_id, name, protocol, credential, client_secret_sealed, private_key_sealed,
      certificate, slot, blocked, created_at, offers_openconnect)
    VALUES (${config.id}, ${config.user_id}, ${config.node_id}, ${config.name}, ${config.protocol}, ${config.credential},
      ${config.client_secret_sealed}, ${config.private_key_sealed}, ${config.certificate}, ${config.slot},
      ${config.blocked}, ${now}, ${config.offers_openconnect})
  `.execute(tx);
}

export async function selectConfigsOfUser(db: Executor, userId: string): Promise<ConfigRow[]> {
  const result = await sql<ConfigRow>`
    SELECT ${columns} FROM config WHERE user_id = ${userId} AND deleted_at IS NULL ORDER BY created_at DESC, id DESC
  `.execute(db);
  return result.rows;
}

export async function countConfigsOfUser(tx: Tx, userId: string): Promise<number> {
  const result = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM config WHERE user_id = ${userId} AND deleted_at IS NULL
  `.execute(tx);
  return Number(result.rows[0]?.count ?? 0n);
}

/** A user's own config; another user's is not found. */
export async function selectOwnConfig(db: Executor, userId: string, id: string): Promise<ConfigRow | undefined> {
  const result = await sql<ConfigRow>`
    SELECT ${columns} FROM config WHERE id = ${id} AND user_id = ${userId} AND deleted_at IS NULL
  `.execute(db);
  return result.rows[0];
}

export async function lockOwnConfig(tx: Tx, userId: string, id: string): Promise<ConfigRow | undefined> {
  const result = await sql<ConfigRow>`
    SELECT ${columns} FROM config WHERE id = ${id} AND user_id = ${userId} AND deleted_at IS NULL FOR UPDATE
  `.execute(tx);
  return result.rows[0];
}

export async function lockConfig(tx: Tx, id: string): Promise<ConfigRow | undefined> {
  return (await sql<ConfigRow>`SELECT ${columns} FROM config WHERE id = ${id} FOR UPDATE`.execute(tx)).rows[0];
}

/** Configs of a node with no end date or another one than this, a page by id. */
export async function selectNotEndingAt(
  db: Executor,
  nodeId: string,
  at: Date,
  after: string,
  limit: number,
): Promise<ConfigRow[]> {
  const result = await sql<ConfigRow>`
    SELECT ${columns} FROM config
    WHERE node_id = ${nodeId} AND removed_at IS NULL AND deleted_at IS NULL AND leaves_at IS DISTINCT FROM ${at}
      AND id > ${after}
    ORDER BY id LIMIT ${limit}
  `.execute(db);
  return result.rows;
}

/** Configs whose end date has passed, a page by id. */
export async function selectLeaving(db: Executor, now: Date, after: string, limit: number): Promise<ConfigRow[]> {
  const result = await sql<ConfigRow>`
    SELECT ${columns} FROM config WHERE leaves_at <= ${now} AND deleted_at IS NULL AND id > ${after}
    ORDER BY id LIMIT ${limit}
  `.execute(db);
  return result.rows;
}

/** Deleted configs for which the node has not sent a last reading, a page by id. */
export async function selectUnconfirmed(
  db: Executor,
  nodeId: string,
  after: string,
  limit: number,
): Promise<ConfigRow[]> {
  const result = await sql<ConfigRow>`
    SELECT ${columns} FROM config
    WHERE node_id = ${nodeId} AND removed_at IS NULL AND deleted_at IS NOT NULL AND id > ${after}
    ORDER BY id LIMIT ${limit}
  `.execute(db);
  return result.rows;
}

/** Per node: how many configs it has, and how many of them have an end date. */
export async function countConfigsByNode(db: Executor): Promise<Map<string, { configs: number; leaving: number }>> {
  const result = await sql<{ node_id: string; configs: bigint; leaving: bigint }>`
    SELECT node_id, count(*) AS configs, count(leaves_at) AS leaving FROM config WHERE removed_at IS NULL GROUP BY node_id
  `.execute(db);
  return new Map(
    result.rows.map((row) => [row.node_id, { configs: Number(row.configs), leaving: Number(row.leaving) }]),
  );
}

/** Of a node: how many configs are still on it and of how many users, and how many of them have a replacement elsewhere. */
export async function selectLeavingCounts(
  db: Executor,
  nodeId: string,
): Promise<{ readonly users: number; readonly configs: number; readonly moved: number }> {
  const { rows } = await sql<{ users: number; configs: number; moved: number }>`
    SELECT count(DISTINCT user_id)::integer AS users, count(*)::integer AS configs, count(replacement_id)::integer AS moved
    FROM config WHERE node_id = ${nodeId} AND removed_at IS NULL
  `.execute(db);
  return rows[0] ?? { users: 0, configs: 0, moved: 0 };
}

/** Where the replacements of a node's configs are, most first. */
export async function selectReplacementCounts(
  db: Executor,
  nodeId: string,
): Promise<{ readonly node_id: string; readonly configs: number }[]> {
  const { rows } = await sql<{ node_id: string; configs: number }>`
    SELECT r.node_id, count(*)::integer AS configs FROM config c JOIN config r ON r.id = c.replacement_id
    WHERE c.node_id = ${nodeId} AND c.removed_at IS NULL GROUP BY r.node_id ORDER BY 2 DESC, 1
  `.execute(db);
  return rows;
}

export async function updateLeaving(tx: Tx, id: string, at: Date, replacementId: string | null): Promise<void> {
  await sql`UPDATE config SET leaves_at = ${at}, replacement_id = ${replacementId} WHERE id = ${id}`.execute(tx);
}

/** Clears the end date of configs without a replacement: these nodes are no longer retired. */
export async function clearLeaving(tx: Tx, nodeIds: readonly string[]): Promise<void> {
  await sql`
    UPDATE config SET leaves_at = NULL
    WHERE node_id = ANY (${nodeIds}::uuid[]) AND leaves_at IS NOT NULL AND replacement_id IS NULL AND deleted_at IS NULL
  `.execute(tx);
}

/** Locks all configs of a user, in one order. */
export async function lockConfigsOfUser(tx: Tx, userId: string): Promise<ConfigRow[]> {
  const result = await sql<ConfigRow>`
    SELECT ${columns} FROM config WHERE user_id = ${userId} AND deleted_at IS NULL ORDER BY id FOR UPDATE
  `.execute(tx);
  return result.rows;
}

/** Erases the names of a user's deleted configs. */
export async function eraseNames(tx: Tx, userId: string): Promise<void> {
  await sql`UPDATE config SET name = '' WHERE user_id = ${userId} AND deleted_at IS NOT NULL`.execute(tx);
}

export async function updateName(tx: Tx, id: string, name: string): Promise<void> {
  await sql`UPDATE config SET name = ${name} WHERE id = ${id}`.execute(tx);
}

export async function updateBlocked(tx: Tx, id: string, blocked: boolean, requestedAt: Date | null): Promise<void> {
  await sql`UPDATE config SET blocked = ${blocked}, connect_requested_at = ${requestedAt} WHERE id = ${id}`.execute(tx);
}

export async function updateKeys(
  tx: Tx,
  id: string,
  keys: { publicKey: string; presharedKeySealed: string; privateKeySealed: string | null; certificate: string | null },
): Promise<void> {
  await sql`
    UPDATE config SET credential = ${keys.publicKey}, client_secret_sealed = ${keys.presharedKeySealed},
      private_key_sealed = ${keys.privateKeySealed}, certificate = ${keys.certificate}
    WHERE id = ${id}
  `.execute(tx);
}

/** Deleting erases the private key at once and ends a sharing; the row stays until the node has sent the last reading. */
export async function updateDeleted(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`
    WITH ended AS (UPDATE family_link SET ended_at = ${now} WHERE config_id = ${id} AND ended_at IS NULL)
    UPDATE config SET deleted_at = ${now}, private_key_sealed = NULL WHERE id = ${id}
  `.execute(tx);
}

/** Marks configs whose removal a node has just confirmed, and returns them with their slots. */
export async function updateRemoved(
  tx: Tx,
  ids: readonly string[],
  now: Date,
): Promise<{ node_id: string; slot: number }[]> {
  const result = await sql<{ node_id: string; slot: number }>`
    UPDATE config SET removed_at = ${now} WHERE id = ANY (${ids}::uuid[]) AND deleted_at IS NOT NULL AND removed_at IS NULL
    RETURNING node_id, slot
  `.execute(tx);
  return result.rows;
}

export async function selectConfigs(db: Executor, ids: readonly string[]): Promise<ConfigRow[]> {
  return (await sql<ConfigRow>`SELECT ${columns} FROM config WHERE id = ANY (${ids}::uuid[])`.execute(db)).rows;
}

/** The configs that a user created or deleted last. */
export async function selectConfigEvents(
  db: Executor,
  userId: string,
  limit: number,
): Promise<{ id: string; name: string; deleted: boolean; at: Date }[]> {
  const result = await sql<{ id: string; name: string; deleted: boolean; at: Date }>`
    SELECT * FROM ${configEventsOf(userId, limit)} e ORDER BY e.at DESC
  `.execute(db);
  return result.rows;
}

/** Those before an instant, newest first; all of the last instant, so that the next page begins before it. */
export async function selectConfigEventsBefore(
  db: Executor,
  userId: string,
  before: Date,
  limit: number,
): Promise<{ id: string; name: string; deleted: boolean; at: Date }[]> {
  const { rows } = await sql<{ id: string; name: string; deleted: boolean; at: Date }>`
    SELECT * FROM (
      SELECT id, name, false AS deleted, created_at AS at FROM config WHERE user_id = ${userId}
      UNION ALL
      SELECT id, name, true, deleted_at FROM config WHERE user_id = ${userId} AND deleted_at IS NOT NULL
    ) e WHERE at < ${before} ORDER BY at DESC FETCH FIRST ${limit} ROWS WITH TIES
  `.execute(db);
  return rows;
}

/** The owners of configs whose ids lie between two, of deleted ones too. */
/** The users with a config on the node that was made by then, in the order of their ids. */
export async function selectUsersOfNode(
  db: Executor,
  { nodeId, until, after, limit }: { nodeId: string; until: Date; after: string | undefined; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    SELECT DISTINCT user_id FROM config
    WHERE node_id = ${nodeId} AND removed_at IS NULL AND deleted_at IS NULL AND created_at <= ${until}
      AND (${after ?? null}::uuid IS NULL OR user_id > ${after ?? null}::uuid)
    ORDER BY user_id LIMIT ${limit}
  `.execute(db);
  return rows.map((row) => row.user_id);
}

export async function selectOwnersBetween(
  db: Executor,
  [first, last]: readonly [string, string],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM config WHERE id >= ${first} AND id <= ${last} ORDER BY id DESC LIMIT ${limit}
  `.execute(db);
  return rows.map((row) => row.user_id);
}

/** Those who have a config on a server, for the SQL of another module: as many rows as the server has configs. */
export function ownersOnNode(nodeId: string): RawBuilder<unknown> {
  return sql`SELECT user_id FROM config WHERE node_id = ${nodeId} AND removed_at IS NULL AND deleted_at IS NULL`;
}

/** The same as `selectConfigEvents`, for the SQL of another module. */
export function configEventsOf(userId: string, limit: number): RawBuilder<unknown> {
  return sql`(
    SELECT c.id, c.name, e.deleted, e.at
    FROM config c CROSS JOIN LATERAL (VALUES (false, c.created_at), (true, c.deleted_at)) AS e (deleted, at)
    WHERE c.user_id = ${userId} AND e.at IS NOT NULL ORDER BY e.at DESC LIMIT ${limit})`;
}
