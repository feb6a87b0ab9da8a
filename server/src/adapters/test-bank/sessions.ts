import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Database } from '../../platform/database.ts';

/**
 * The payments of the test banks. They are stored in the database, because a payer may come back after a restart. PAID:
 * paid and not verified; REVERSED: returned to the payer.
 */
export interface BankSession {
  readonly reference: string;
  readonly merchant: string;
  readonly amount_rial: bigint;
  readonly callback_url: string;
  readonly order_id: string;
  readonly state: 'IN_BANK' | 'PAID' | 'VERIFIED' | 'FAILED' | 'REVERSED';
  readonly ref_id: string | null;
  readonly paid_at: Date | null;
  readonly refunded_rial: bigint;
  readonly created_at: Date;
}

export async function openSession(
  db: Database,
  gateway: GatewayName,
  session: {
    authority: string;
    merchant: string;
    amountRial: number;
    callbackUrl: string;
    description: string;
    orderId: string;
  },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO test_bank_session (reference, gateway, merchant, amount_rial, callback_url, description, order_id, state, created_at)
    VALUES (${session.authority}, ${gateway}, ${session.merchant}, ${session.amountRial}, ${session.callbackUrl},
      ${session.description}, ${session.orderId}, 'IN_BANK', ${now})
  `.execute(db);
}

export async function findSession(
  db: Database,
  gateway: GatewayName,
  authority: unknown,
): Promise<BankSession | undefined> {
  if (typeof authority !== 'string') return undefined;
  const found = await sql<BankSession>`
    SELECT * FROM test_bank_session WHERE reference = ${authority} AND gateway = ${gateway}
  `.execute(db);
  return found.rows[0];
}

export async function findSessionByReference(
  db: Database,
  gateway: GatewayName,
  refId: unknown,
): Promise<BankSession | undefined> {
  if (typeof refId !== 'string') return undefined;
  const found = await sql<BankSession>`
    SELECT * FROM test_bank_session WHERE ref_id = ${refId} AND gateway = ${gateway}
  `.execute(db);
  return found.rows[0];
}

export async function listPaid(db: Database, gateway: GatewayName): Promise<BankSession[]> {
  const found = await sql<BankSession>`
    SELECT * FROM test_bank_session WHERE gateway = ${gateway} AND state = 'PAID' ORDER BY paid_at LIMIT 100
  `.execute(db);
  return found.rows;
}

/** The payer pays or cancels, once. */
export async function settleAtBank(
  db: Database,
  authority: string,
  state: 'PAID' | 'FAILED',
  now: Date,
): Promise<void> {
  await sql`
    UPDATE test_bank_session SET state = ${state}, paid_at = ${state === 'PAID' ? now : null}
    WHERE reference = ${authority} AND state = 'IN_BANK'
  `.execute(db);
}

/** True only for the call that changed the state. */
export async function moveSession(
  db: Database,
  authority: string,
  from: BankSession['state'],
  to: BankSession['state'],
  refId: string | null,
): Promise<boolean> {
  const moved = await sql`
    UPDATE test_bank_session SET state = ${to}, ref_id = coalesce(ref_id, ${refId})
    WHERE reference = ${authority} AND state = ${from}
  `.execute(db);
  return moved.numAffectedRows === 1n;
}

export async function addRefunded(db: Database, authority: string, amountRial: bigint): Promise<boolean> {
  const moved = await sql`
    UPDATE test_bank_session SET refunded_rial = refunded_rial + ${amountRial}
    WHERE reference = ${authority} AND state = 'VERIFIED' AND refunded_rial + ${amountRial} <= amount_rial
  `.execute(db);
  return moved.numAffectedRows === 1n;
}

/** Sessions that were verified, by the day in Tehran on which they were paid; both days are included. */
export async function listVerified(
  db: Database,
  gateway: GatewayName,
  days: { readonly from: string; readonly to: string },
): Promise<BankSession[]> {
  const found = await sql<BankSession>`
    SELECT * FROM test_bank_session WHERE gateway = ${gateway} AND ref_id IS NOT NULL AND state IN ('VERIFIED', 'REVERSED')
      AND coalesce(paid_at, created_at) >= ${`${days.from}T00:00:00+03:30`}::timestamptz
      AND coalesce(paid_at, created_at) < ${`${days.to}T00:00:00+03:30`}::timestamptz + interval '1 day'
    ORDER BY coalesce(paid_at, created_at), reference
  `.execute(db);
  return found.rows;
}
