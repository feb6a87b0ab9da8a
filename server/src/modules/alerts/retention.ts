import type { TableRetention } from '../../platform/retention.ts';

export const alertsRetention: TableRetention = {
  alert: {
    days: 'notifications',
    after: 'it closed',
    schedule: 'forget old alerts',
    leaves: 'those that are open',
  },
  alert_message: { until: 'its alert is deleted' },
};
