import type { Locale } from '@raha/contract/locale.ts';
import type { InvoiceRecord } from '@raha/contract/public/invoices.ts';
import type { Executor } from '../../platform/database.ts';
import { describeDocument } from './describe-document.ts';
import { selectDocuments } from './tables.ts';

/** All documents of a user, newest first, for the export of the account. */
export async function listAllDocuments(db: Executor, userId: string, locale: Locale): Promise<InvoiceRecord[]> {
  const documents = await selectDocuments(db, userId, undefined, 1_000_000);
  return documents.map((document) => describeDocument(document, locale));
}
