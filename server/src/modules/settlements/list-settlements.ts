import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/database.ts';
import {
  countOpenDifferences,
  type DifferenceRow,
  selectDifferences,
  type WhichDifferences,
} from './difference-tables.ts';
import { reconcileSettlements } from './reconcile.ts';
import type { DifferenceKind } from './rules.ts';
import { selectLines, selectPayouts, selectSettledItems, selectSettledSums } from './tables.ts';

export const listPayouts = selectPayouts;
export { countOpenDifferences };

/** For staff: where payments, refunds and reversals stand in the files of the banks. */
export const listSettledItems = selectSettledItems;

/** What is settled of each gateway, for the reports. */
export const sumSettled = selectSettledSums;

export interface Difference extends DifferenceRow {
  /** Where the line stands, if it is one. */
  readonly line: { readonly file: string; readonly number: number; readonly reference: string | null } | undefined;
  /** A sentence for the operator. */
  readonly sentence: string;
}

const sentences: Readonly<Record<DifferenceKind, string>> = {
  unreadable: 'The line cannot be read: it',
  doubled: 'The same line stands in its file before.',
  'fee-above-amount': 'The fee is larger than the amount.',
  'unknown-payment': 'No credited payment has this reference.',
  'unknown-return': 'Money went back to a payer, and nothing of this payment was refunded or reversed here.',
  'other-amount': 'The payment, refund or reversal of this reference has another amount.',
  'already-settled': 'Another line has settled this before.',
  missing: 'The files cover the day of this payment and do not contain it.',
  'not-taken-back': 'The bank settled the payment in full, though it was refunded or reversed here.',
};

/** Differences between files and books as they are now, oldest first; with `all` the closed ones too. */
export async function listSettlementDifferences(
  deps: { readonly db: Database; readonly clock: Clock },
  which: WhichDifferences,
): Promise<Difference[]> {
  await reconcileSettlements(deps);
  const found = await readDifferences(deps.db, which);
  // Those of one import in the order of the file.
  const numberOf = (row: Difference) => row.line?.number ?? 0;
  return found.sort((a, b) => a.opened_at.getTime() - b.opened_at.getTime() || numberOf(a) - numberOf(b));
}

/** Differences as the last import, or the hourly comparison, found them. */
export async function readDifferences(db: Executor, which: WhichDifferences): Promise<Difference[]> {
  const rows = await selectDifferences(db, which);
  const lines = await selectLines(
    db,
    rows.flatMap(({ line_id }) => line_id ?? []),
  );
  return rows.map((row) => {
    const line = lines.get(row.line_id ?? '');
    const sentence = line?.unreadable ? `${sentences.unreadable} ${line.unreadable}.` : sentences[row.kind];
    return {
      ...row,
      sentence,
      line: line && { file: line.name, number: line.line_number, reference: line.reference },
    };
  });
}
