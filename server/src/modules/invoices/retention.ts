import type { TableRetention } from '../../platform/retention.ts';

export const invoicesRetention: TableRetention = {
  invoice: { ever: 'documents are numbered without gaps' },
  invoice_year: { ever: 'a row for each year' },
  invoiced_month: { ever: 'a row for each month' },
};
