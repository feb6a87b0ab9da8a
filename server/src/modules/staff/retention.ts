import type { TableRetention } from '../../platform/retention.ts';

export const staffRetention: TableRetention = {
  staff_member: { ever: 'who worked here, by ids; the audit names them' },
  staff_session: { until: 'it ends, after 12 hours at most', schedule: 'forget old staff sessions' },
  staff_token: { until: 'it ends, after 366 days at most', schedule: 'forget old staff sessions' },
  approval: { ever: 'what one member proposed and another decided, by ids; batches of cards name it' },
  staff_sign_in: { until: 'it is finished or over', schedule: 'forget old staff sessions' },
};
