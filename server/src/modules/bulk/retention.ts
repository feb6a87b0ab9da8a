import type { TableRetention } from '../../platform/retention.ts';

export const bulkRetention: TableRetention = {
  bulk: { ever: 'what a member ordered for many accounts; the audit names it' },
  bulk_item: { ever: 'which accounts it changed or paid; undoing and the proof of the ledger rest on it' },
};
