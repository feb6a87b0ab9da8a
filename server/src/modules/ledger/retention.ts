import type { TableRetention } from '../../platform/retention.ts';

export const ledgerRetention: TableRetention = {
  ledger_account: { ever: 'each account of the books' },
  ledger_transfer: { ever: 'the books are append-only, and every proof rests on them' },
  ledger_entry: { ever: 'the books are append-only, and every proof rests on them' },
  book_month: { ever: 'a closed month does not change' },
  book_month_sum: { ever: 'a closed month does not change' },
  ledger_proof: { ever: 'a row for each month, written again at each proof' },
};
