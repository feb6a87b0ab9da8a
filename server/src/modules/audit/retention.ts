import type { TableRetention } from '../../platform/retention.ts';

export const auditRetention: TableRetention = {
  audit_entry: { ever: 'what operators did, by ids; removing an entry would break the chain' },
};
