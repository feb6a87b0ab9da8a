import type { TableRetention } from '../../platform/retention.ts';

export const settlementsRetention: TableRetention = {
  settlement_coverage: { ever: 'a row for each gateway' },
  settlement_file: { ever: 'the books rest on it' },
  settlement_line: { ever: 'the books rest on it' },
  settlement_booking: { ever: 'the books name it' },
  settled_item: { ever: 'no payment is settled twice' },
  settlement_difference: { ever: 'what the operator decided, and why' },
};
