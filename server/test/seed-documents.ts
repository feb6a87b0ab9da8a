import { sql } from 'kysely';
import type { Executor } from '../src/platform/database.ts';

/** Numbers payments and refunds that were written past their use cases, as those would have done. */
export async function seedDocuments(db: Executor): Promise<void> {
  await number(
    db,
    sql`SELECT 'receipt' AS kind, id, user_id, amount_toman, gateway, settled_at, NULL::uuid AS payment_id FROM payment WHERE state = 'completed'`,
  );
  await number(
    db,
    sql`SELECT 'refund' AS kind, id, user_id, amount_toman, gateway, settled_at, payment_id FROM refund WHERE state = 'confirmed'`,
  );
}

async function number(db: Executor, facts: ReturnType<typeof sql>): Promise<void> {
  await sql`
    WITH fact AS MATERIALIZED (
      SELECT f.*, r.id AS receipt, row_number() OVER (ORDER BY f.settled_at, f.id) AS place FROM (${facts}) f
      LEFT JOIN invoice i ON i.kind = f.kind AND i.source_id = f.id::text
      LEFT JOIN invoice r ON r.kind = 'receipt' AND r.source_id = f.payment_id::text
      WHERE i.id IS NULL
    ), counter AS (
      INSERT INTO invoice_year AS y (year, last_number) SELECT 1405, count(*) FROM fact HAVING count(*) > 0
      ON CONFLICT (year) DO UPDATE SET last_number = y.last_number + excluded.last_number RETURNING last_number
    )
    INSERT INTO invoice (id, year, number, kind, source_id, user_id, amount_toman, corrects, subject, issued_at)
    SELECT gen_random_uuid(), 1405, last_number - (SELECT count(*) FROM fact) + place, kind, id::text, user_id, amount_toman, receipt,
      jsonb_build_object('gateway', gateway), settled_at
    FROM fact, counter
  `.execute(db);
}
