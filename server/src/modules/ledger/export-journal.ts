import type { Database } from '../../platform/database.ts';
import { selectOpening } from './month-tables.ts';
import { type Days, type JournalRow, selectJournal } from './reports.ts';

const BATCH = 2_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Writes the whole ledger, or some days of it after an entry with the balances before them, as an hledger journal (hledger.org, "journal format"), from one snapshot of the database.
 * Amounts are toman; accounts keep their names, whose parts become hledger's levels. Returns the number of transfers.
 */
export async function exportJournal(
  db: Database,
  write: (text: string) => Promise<void>,
  days?: Days,
): Promise<number> {
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await write('; The ledger of Raha. Amounts are toman; a minus is money that left an account.\n');
      if (days) await write(openingOf(days.from, await selectOpening(tx, days.from)));
      let count = 0;
      for (let after = FIRST; ; ) {
        const rows = await selectJournal(tx, after, BATCH, days);
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
  const late = row.fact_day === null ? [] : ['of', row.fact_day];
  const what = [row.kind, row.source_type, row.source_id, row.purpose, ...late].map(plain).join(' ');
  return `\n${row.day} * (${row.id}) ${what}\n${linesOf(row.lines)}`;
}

function openingOf(day: string, lines: JournalRow['lines']): string {
  return lines.length === 0 ? '' : `\n${day} * opening balances\n${linesOf(lines)}`;
}

function linesOf(lines: JournalRow['lines']): string {
  return lines.map(({ code, amount }) => `    ${plain(code)}  ${amount} toman\n`).join('');
}

/** Removes hledger's syntax: a semicolon begins a comment, a line break an entry, two spaces an amount. */
function plain(text: string): string {
  return text.replace(/[;\s|]+/g, '-');
}
