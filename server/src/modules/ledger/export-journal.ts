import type { Database } from '../../platform/database.ts';
import { type JournalRow, selectJournal } from './reports.ts';

const BATCH = 2_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Writes the whole ledger as an hledger journal (hledger.org, "journal format"), from one snapshot of the database.
 * Amounts are toman; accounts keep their names, whose parts become hledger's levels. Returns the number of transfers.
 */
export async function exportJournal(db: Database, write: (text: string) => Promise<void>): Promise<number> {
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await write('; The ledger of Raha. Amounts are toman; a minus is money that left an account.\n');
      let count = 0;
      for (let after = FIRST; ; ) {
        const rows = await selectJournal(tx, after, BATCH);
        const last = rows.at(-1);
        if (!last) return count;
        await write(rows.map(entryOf).join(''));
        count += rows.length;
        after = last.id;
      }
    });
}

/** One transfer. The description contains only ids and our own texts, so no character in it can end it early. */
export function entryOf(row: JournalRow): string {
  const what = [row.kind, row.source_type, row.source_id, row.purpose].map(plain).join(' ');
  const lines = row.lines.map(({ code, amount }) => `    ${plain(code)}  ${amount} toman\n`);
  return `\n${row.at.toISOString().slice(0, 10)} * (${row.id}) ${what}\n${lines.join('')}`;
}

/** Removes hledger's syntax: a semicolon begins a comment, a line break an entry, two spaces an amount. */
function plain(text: string): string {
  return text.replace(/[;\s|]+/g, '-');
}
