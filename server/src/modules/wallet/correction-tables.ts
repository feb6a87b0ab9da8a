import { sql } from 'kysely';
import type { Tx } from '../../platform/database.ts';

/** The only file that names `wallet_correction`. */
export interface Correction {
  readonly id: string;
  readonly userId: string;
  readonly kind: 'adjustment' | 'remainder' | 'debt';
  readonly amountToman: bigint;
  readonly reason: string;
  readonly operator: string;
}

export async function insertCorrection(tx: Tx, correction: Correction, now: Date): Promise<void> {
  const { id, userId, kind, amountToman, reason, operator } = correction;
  await sql`
    INSERT INTO wallet_correction (id, user_id, kind, amount_toman, reason, operator, created_at)
    VALUES (${id}, ${userId}, ${kind}, ${amountToman}, ${reason}, ${operator}, ${now})
  `.execute(tx);
}
