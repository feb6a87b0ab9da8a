import type { TableRetention } from '../../platform/retention.ts';

export const dashboardRetention: TableRetention = {
  traffic_window: { ever: 'a row for each account' },
};
