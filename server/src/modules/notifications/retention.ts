import type { TableRetention } from '../../platform/retention.ts';

export const notificationsRetention: TableRetention = {
  notification: {
    days: 'notifications',
    after: 'it was sent',
    schedule: 'forget old notifications',
    leaves: 'an empty row for what may not be told twice',
  },
  delivery: { days: 'deliveries', after: 'the last attempt', schedule: 'forget old deliveries' },
  low_balance_baseline: { until: 'the account is deleted' },
};
