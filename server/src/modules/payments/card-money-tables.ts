import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Origin } from './rules.ts';

/** The only file that names `card_money` and `card_purchase`. */
interface Row {
  readonly card_toman: bigint;
  readonly bound_toman: bigint;
}
const originOf = (row: Row | undefined): Origin => ({
  cardToman: row?.card_toman ?? 0n,
  boundToman: row?.bound_toman ?? 0n,
});

export async function selectCardMoney(db: Executor, userId: string): Promise<Origin> {
  const result = await sql<Row>`SELECT card_toman, bound_toman FROM card_money WHERE user_id = ${userId}`.execute(db);
  return originOf(result.rows[0]);
}

export async function upsertCardMoney(tx: Tx, userId: string, { cardToman, boundToman }: Origin): Promise<void> {
  await sql`
    INSERT INTO card_money (user_id, card_toman, bound_toman) VALUES (${userId}, ${cardToman}, ${boundToman})
    ON CONFLICT (user_id) DO UPDATE SET card_toman = excluded.card_toman, bound_toman = excluded.bound_toman
  `.execute(tx);
}

export async function insertCardPurchase(tx: Tx, periodId: string, { cardToman, boundToman }: Origin): Promise<void> {
  await sql`
    INSERT INTO card_purchase (period_id, card_toman, bound_toman) VALUES (${periodId}, ${cardToman}, ${boundToman})
  `.execute(tx);
}

export async function selectCardPurchases(db: Executor, periodIds: readonly string[]): Promise<Map<string, Origin>> {
  const result = await sql<Row & { period_id: string }>`
    SELECT period_id, card_toman, bound_toman FROM card_purchase WHERE period_id = ANY (${periodIds}::uuid[])
  `.execute(db);
  return new Map(result.rows.map((row) => [row.period_id, originOf(row)]));
}
