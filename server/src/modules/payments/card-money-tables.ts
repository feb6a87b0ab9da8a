import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `card_money` and `card_purchase`. */
export async function selectCardMoney(db: Executor, userId: string): Promise<bigint> {
  const result = await sql<{ card_toman: bigint }>`
    SELECT card_toman FROM card_money WHERE user_id = ${userId}
  `.execute(db);
  return result.rows[0]?.card_toman ?? 0n;
}

export async function upsertCardMoney(tx: Tx, userId: string, cardToman: bigint): Promise<void> {
  await sql`
    INSERT INTO card_money (user_id, card_toman) VALUES (${userId}, ${cardToman})
    ON CONFLICT (user_id) DO UPDATE SET card_toman = excluded.card_toman
  `.execute(tx);
}

export async function insertCardPurchase(tx: Tx, periodId: string, cardToman: bigint): Promise<void> {
  await sql`INSERT INTO card_purchase (period_id, card_toman) VALUES (${periodId}, ${cardToman})`.execute(tx);
}

export async function selectCardPurchases(db: Executor, periodIds: readonly string[]): Promise<Map<string, bigint>> {
  const result = await sql<{ period_id: string; card_toman: bigint }>`
    SELECT period_id, card_toman FROM card_purchase WHERE period_id = ANY (${periodIds}::uuid[])
  `.execute(db);
  return new Map(result.rows.map((row) => [row.period_id, row.card_toman]));
}
