import type { TableRetention } from '../../platform/retention.ts';

export const staffRetention: TableRetention = {
  staff_member: { ever: 'who worked here, by ids; the audit names them' },
};
