import { createHash } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { addDays } from './clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from './database.ts';
import { inBatches } from './in-batches.ts';
import { Refusal } from './refusal.ts';

/**
 * A request that a client may send again. The first request with a key reserves it in the transaction that acts, and its
 * answer is stored there. A later request with the same key and body gets that answer; with another body it is refused.
 */
export interface IdempotentRequest {
  readonly userId: string;
  readonly key: string;
  readonly requestHash: string;
}

/** The request's `Idempotency-Key` with a hash of path and body; undefined when the caller sent none. */
export function idempotentRequestOf(
  request: FastifyRequest,
  userId: string,
  body: unknown,
): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return undefined;
  if (key.length > 255) throw new Refusal('invalid_input', { fields: { 'Idempotency-Key': 'too_long' } });
  const text = `${canonicalPathOf(request)} ${JSON.stringify(body)}`;
  return { userId, key, requestHash: createHash('sha256').update(text).digest('hex') };
}

/** Aliases of an endpoint count as one path; path parameters are part of the hash. */
function canonicalPathOf(request: FastifyRequest): string {
  const params = request.params as Readonly<Record<string, string>>;
  const { canonicalPath } = request.routeOptions.config;
  if (canonicalPath === undefined) throw new Error(`${request.url} is not a mounted endpoint`);
  return canonicalPath.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
}

/**
 * Acts once for a key. An earlier answer is returned before any state is read that may have changed since, and without a
 * lock, so that `act` may call outside services before it claims the key in its transaction. After a refusal the key is
 * checked again: a concurrent call with the same key may have succeeded and thereby caused the refusal.
 */
export async function runIdempotently<T>(
  db: Executor,
  idempotent: IdempotentRequest | undefined,
  act: () => Promise<T>,
): Promise<T> {
  const earlier = await findAnswer<T>(db, idempotent);
  if (earlier) return earlier;
  try {
    return await act();
  } catch (error) {
    const meanwhile = error instanceof Refusal ? await findAnswer<T>(db, idempotent) : undefined;
    if (!meanwhile) throw error;
    return meanwhile;
  }
}

async function findAnswer<T>(db: Executor, idempotent: IdempotentRequest | undefined): Promise<T | undefined> {
  return idempotent && ((await findKey<T>(db, idempotent))?.response ?? undefined);
}

async function findKey<T>(db: Executor, { userId, key, requestHash }: IdempotentRequest) {
  const found = await sql<{ request_hash: string; response: T | null }>`
    SELECT request_hash, response FROM idempotent_request WHERE user_id = ${userId} AND key = ${key}
  `.execute(db);
  const row = found.rows[0];
  if (row && row.request_hash !== requestHash) throw new Refusal('idempotency_key_reused');
  return row;
}

/** The stored answer of an earlier request, or undefined after reserving the key for this one. */
export async function claimKey<T>(
  tx: Tx,
  idempotent: IdempotentRequest | undefined,
  now: Date,
): Promise<T | undefined> {
  if (!idempotent) return undefined;
  const { userId, key, requestHash } = idempotent;
  const inserted = await sql`
    INSERT INTO idempotent_request (user_id, key, request_hash, created_at) VALUES (${userId}, ${key}, ${requestHash}, ${now})
    ON CONFLICT DO NOTHING
  `.execute(tx);
  if (inserted.numAffectedRows === 1n) return undefined;
  const row = await findKey<T>(tx, idempotent);
  if (!row) throw new Refusal('idempotency_key_reused');
  return row.response ?? undefined;
}

/**
 * For calls that are idempotent by nature (asking a bank, giving up): the key is only checked against another body.
 */
export async function checkKey(db: Database, idempotent: IdempotentRequest | undefined, now: Date): Promise<void> {
  if (!idempotent) return;
  await inTransaction(db, async (tx) => {
    await claimKey(tx, idempotent, now);
    await storeAnswer(tx, idempotent, {});
  });
}

export async function storeAnswer(tx: Tx, idempotent: IdempotentRequest | undefined, response: unknown): Promise<void> {
  if (!idempotent) return;
  await sql`
    UPDATE idempotent_request SET response = ${JSON.stringify(response)}::jsonb
    WHERE user_id = ${idempotent.userId} AND key = ${idempotent.key}
  `.execute(tx);
}

/** Releases a key whose request was refused without effect. */
export async function releaseKey(db: Executor, idempotent: IdempotentRequest): Promise<void> {
  await sql`
    DELETE FROM idempotent_request WHERE user_id = ${idempotent.userId} AND key = ${idempotent.key} AND response IS NULL
  `.execute(db);
}

/** After that, the cause in the ledger still prevents booking a request twice. */
export async function forgetOldKeys(db: Executor, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM idempotent_request WHERE ctid IN (SELECT ctid FROM idempotent_request WHERE created_at < ${addDays(now, -limits.keptDays.answers)} LIMIT ${limit})`,
  );
}
