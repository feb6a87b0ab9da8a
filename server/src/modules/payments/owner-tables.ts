import { paymentGateways } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** Whose payment it is, for staff who were given a reference of the bank, or an id or its beginning. */
export async function selectOwnersOfReference(db: Executor, reference: string, limit: number): Promise<string[]> {
  // Both indexes begin with the gateway.
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM payment WHERE gateway = ANY (${[...paymentGateways]}::text[]) AND ref_id = ${reference}
    UNION SELECT user_id FROM payment
    WHERE gateway = ANY (${[...paymentGateways]}::text[]) AND gateway_reference = ${reference} LIMIT ${limit}
  `.execute(db);
  return rows.map((row) => row.user_id);
}

/** Of payments and refunds whose ids lie between two. */
export async function selectPayersBetween(
  db: Executor,
  [first, last]: readonly [string, string],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM payment WHERE id >= ${first} AND id <= ${last}
    UNION SELECT user_id FROM refund WHERE id >= ${first} AND id <= ${last} LIMIT ${limit}
  `.execute(db);
  return rows.map((row) => row.user_id);
}
