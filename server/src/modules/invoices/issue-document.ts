import type { Executor, Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { getSetting } from '../../platform/settings.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { yearOf } from './document-year.ts';
import { type DocumentKind, isCredit, isTaxed, vatOf, vatOfCredit } from './rules.ts';
import { sellerIdentity, vatPercent } from './settings.ts';
import { type DocumentRow, insertDocuments, type NewDocument, type Subject, selectDocument } from './tables.ts';

export type { DocumentRow };

/** A fact that gets a document. */
export interface Fact {
  readonly kind: DocumentKind;
  /** The payment, refund or subscription; a fact gets one document of a kind, for ever. */
  readonly sourceId: string;
  readonly userId: string;
  readonly amountToman: bigint;
  /** Without it that of the document which it corrects. */
  readonly subject?: Subject;
  /** The document of which this takes something back. */
  readonly corrects?: { readonly kind: DocumentKind; readonly sourceId: string };
}

/**
 * Writes the documents of facts, in the transaction of the facts and as the last thing in it: it locks the year's number until
 * the end, and nothing may be locked after that. Books the VAT of invoices and takes back that of credits. An amount of zero
 * has no document. A second document of a fact fails the transaction.
 */
export async function issueDocuments(tx: Tx, facts: readonly Fact[], now: Date): Promise<void> {
  const documents: NewDocument[] = [];
  const given = facts.filter(({ amountToman }) => amountToman > 0n);
  if (given.length === 0) return;
  const percent = given.some(({ kind }) => isTaxed(kind)) ? await getSetting(tx, vatPercent) : 0;
  for (const fact of given) documents.push(await describe(tx, fact, percent, now));
  // Before the number is locked: it waits for nothing then.
  for (const document of documents) await bookVat(tx, document, now);
  await insertDocuments(tx, yearOf(now), documents, { seller: await getSetting(tx, sellerIdentity), now });
}

export async function issueDocument(tx: Tx, fact: Fact, now: Date): Promise<void> {
  await issueDocuments(tx, [fact], now);
}

/** The document of a fact; undefined while there is none. */
export async function findDocument(
  db: Executor,
  kind: DocumentKind,
  sourceId: string,
): Promise<DocumentRow | undefined> {
  return await selectDocument(db, kind, sourceId);
}

async function describe(tx: Tx, fact: Fact, percent: number, now: Date): Promise<NewDocument> {
  const { kind, sourceId, userId, amountToman } = fact;
  const original = fact.corrects && (await selectDocument(tx, fact.corrects.kind, fact.corrects.sourceId));
  const vat = original
    ? { vatPercent: original.vatPercent, vatToman: vatOfCredit(amountToman, original) }
    : isTaxed(kind) && !isCredit(kind)
      ? { vatPercent: percent, vatToman: vatOf(amountToman, percent) }
      : { vatPercent: 0, vatToman: 0n };
  const subject = fact.subject ?? original?.subject ?? {};
  return { id: newId(now), kind, sourceId, userId, amountToman, subject, corrects: original?.id ?? null, ...vat };
}

async function bookVat(tx: Tx, { id, kind, vatToman }: NewDocument, now: Date): Promise<void> {
  if (vatToman === 0n) return;
  const toman = isCredit(kind) ? -vatToman : vatToman;
  const cause = { kind: 'vat', sourceType: 'invoice', sourceId: id, purpose: 'vat' } as const;
  await postTransfer(tx, { ...cause, movements: vatMovements(toman) }, now);
}

/** Revenue is booked with VAT in it; this is how VAT leaves it. */
export function vatMovements(toman: bigint) {
  return [
    { accountId: house.vatInRevenue, amountToman: -toman },
    { accountId: house.vat, amountToman: toman },
  ];
}
