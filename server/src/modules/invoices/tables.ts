import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { DocumentKind } from './rules.ts';
import type { Seller } from './settings.ts';

/** invoice, invoice_year and invoiced_month: numbered documents, and the months whose usage has its invoices. */

/** What a document is about, as it was then. */
export type Subject =
  | { readonly gateway: string }
  | { readonly nameFa: string; readonly nameEn: string }
  | { readonly month: string }
  | Record<string, never>;

export interface DocumentRow {
  readonly id: string;
  readonly year: number;
  readonly number: number;
  readonly kind: DocumentKind;
  readonly sourceId: string;
  readonly userId: string;
  readonly amountToman: bigint;
  readonly vatPercent: number;
  readonly vatToman: bigint;
  readonly corrects: { readonly year: number; readonly number: number } | null;
  readonly subject: Subject;
  readonly seller: Seller | null;
  readonly issuedAt: Date;
}

export interface NewDocument {
  readonly id: string;
  readonly kind: DocumentKind;
  readonly sourceId: string;
  readonly userId: string;
  readonly amountToman: bigint;
  readonly vatPercent: number;
  readonly vatToman: bigint;
  readonly corrects: string | null;
  readonly subject: Subject;
}

const columns = sql.raw(`i.id, i.year, i.number, i.kind, i.source_id AS "sourceId", i.user_id AS "userId",
  i.amount_toman AS "amountToman", i.vat_percent AS "vatPercent", i.vat_toman AS "vatToman", i.subject, i.seller, i.issued_at AS "issuedAt",
  (SELECT json_build_object('year', o.year, 'number', o.number) FROM invoice o WHERE o.id = i.corrects) AS corrects`);

/**
 * Gives the next numbers of a year to documents, in their order. The row of the year is locked until the transaction ends,
 * so numbers have no gap, whatever else is numbered and rolled back meanwhile. A second document of a fact violates a key.
 */
export async function insertDocuments(
  tx: Tx,
  year: number,
  documents: readonly NewDocument[],
  { seller, now }: { readonly seller: Seller | null; readonly now: Date },
): Promise<void> {
  const column = <K extends keyof NewDocument>(key: K) => documents.map((document) => document[key]);
  const subjects = documents.map(({ subject }) => JSON.stringify(subject));
  await sql`
    WITH counter AS (
      INSERT INTO invoice_year AS y (year, last_number) VALUES (${year}, ${documents.length})
      ON CONFLICT (year) DO UPDATE SET last_number = y.last_number + excluded.last_number RETURNING last_number
    )
    INSERT INTO invoice (id, year, number, kind, source_id, user_id, amount_toman, vat_percent, vat_toman, corrects, subject, seller, issued_at)
    SELECT d.id, ${year}, c.last_number - ${documents.length}::int + d.at, d.kind, d.source_id, d.user_id, d.amount, d.percent, d.vat,
      d.corrects, d.subject, ${seller === null ? null : JSON.stringify(seller)}::jsonb, ${now}
    FROM counter c, unnest(${column('id')}::uuid[], ${column('kind')}::text[], ${column('sourceId')}::text[], ${column('userId')}::uuid[],
      ${column('amountToman')}::bigint[], ${column('vatPercent')}::smallint[], ${column('vatToman')}::bigint[], ${column('corrects')}::uuid[],
      ${subjects}::jsonb[]) WITH ORDINALITY AS d (id, kind, source_id, user_id, amount, percent, vat, corrects, subject, at)
  `.execute(tx);
}

/** The document of a fact. */
export async function selectDocument(
  db: Executor,
  kind: DocumentKind,
  sourceId: string,
): Promise<DocumentRow | undefined> {
  const result = await sql<DocumentRow>`
    SELECT ${columns} FROM invoice i WHERE i.kind = ${kind} AND i.source_id = ${sourceId}
  `.execute(db);
  return result.rows[0];
}

export async function selectOwnDocument(db: Executor, userId: string, id: string): Promise<DocumentRow | undefined> {
  const result = await sql<DocumentRow>`
    SELECT ${columns} FROM invoice i WHERE i.id = ${id} AND i.user_id = ${userId}
  `.execute(db);
  return result.rows[0];
}

/** A user's documents before a number, the newest first. */
export async function selectDocuments(
  db: Executor,
  userId: string,
  before: { readonly year: number; readonly number: number } | undefined,
  limit: number,
): Promise<DocumentRow[]> {
  const older = before ? sql`AND (i.year, i.number) < (${before.year}, ${before.number})` : sql``;
  const result = await sql<DocumentRow>`
    SELECT ${columns} FROM invoice i WHERE i.user_id = ${userId} ${older} ORDER BY i.year DESC, i.number DESC LIMIT ${limit}
  `.execute(db);
  return result.rows;
}

/** All documents of some Tehran days, by number. */
export async function selectDocumentsOfDays(
  db: Executor,
  days: { readonly from: string; readonly to: string },
): Promise<DocumentRow[]> {
  const result = await sql<DocumentRow>`
    SELECT ${columns} FROM invoice i
    WHERE i.issued_at >= ${days.from}::date::timestamp AT TIME ZONE 'Asia/Tehran'
      AND i.issued_at < (${days.to}::date + 1)::timestamp AT TIME ZONE 'Asia/Tehran'
    ORDER BY i.year, i.number
  `.execute(db);
  return result.rows;
}

/** The last month whose usage has its invoices. */
export async function selectLastInvoicedMonth(db: Executor): Promise<string | undefined> {
  const result = await sql<{ month: string | null }>`SELECT max(month) AS month FROM invoiced_month`.execute(db);
  return result.rows[0]?.month ?? undefined;
}

/** False if the month has its invoices already; waits for a transaction that is writing them. */
export async function insertInvoicedMonth(tx: Tx, month: string, vatToman: bigint, now: Date): Promise<boolean> {
  const result = await sql`
    INSERT INTO invoiced_month (month, vat_toman, invoiced_at) VALUES (${month}, ${vatToman}, ${now}) ON CONFLICT DO NOTHING
  `.execute(tx);
  return (result.numAffectedRows ?? 0n) > 0n;
}

/** What usage of a month and later ones has been invoiced to each user. */
export async function sumInvoicedUsage(db: Executor, sinceMonth: string): Promise<Map<string, bigint>> {
  const result = await sql<{ userId: string; toman: bigint }>`
    SELECT user_id AS "userId", sum(amount_toman)::bigint AS toman FROM invoice
    WHERE kind = 'usage' AND subject->>'month' >= ${sinceMonth} GROUP BY 1
  `.execute(db);
  return new Map(result.rows.map(({ userId, toman }) => [userId, toman]));
}
