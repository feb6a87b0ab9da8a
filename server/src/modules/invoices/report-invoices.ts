import { tehranDay } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { daysOfMonth } from '../ledger/jalali-month.ts';
import { isCredit, numberOf } from './rules.ts';
import { selectDocumentsOfDays } from './tables.ts';

/** A line of the operator's list; amounts in toman, negative where something goes back to the buyer. */
export interface InvoiceLine {
  readonly number: string;
  /** Tehran, in the Gregorian calendar. */
  readonly day: string;
  readonly kind: string;
  readonly account: string;
  readonly toman: bigint;
  readonly vatPercent: number;
  readonly vatToman: bigint;
  readonly corrects: string;
  readonly source: string;
}

/** The documents that were written in a Jalali month, by number. No names: an account's id is all that the books keep. */
export async function reportInvoices(db: Database, month: string): Promise<InvoiceLine[]> {
  const days = daysOfMonth(month);
  if (!days) throw new OperatorMistake('invalid', 'takes a Jalali month such as 1405-08.', 'jalali');
  return (await selectDocumentsOfDays(db, days)).map((document) => {
    const { kind, userId, amountToman, vatToman, vatPercent, corrects, sourceId, issuedAt } = document;
    const sign = isCredit(kind) ? -1n : 1n;
    return {
      number: numberOf(document),
      day: tehranDay(issuedAt),
      kind,
      account: userId,
      toman: sign * amountToman,
      vatPercent,
      vatToman: sign * vatToman,
      corrects: corrects ? numberOf(corrects) : '',
      source: sourceId,
    };
  });
}
