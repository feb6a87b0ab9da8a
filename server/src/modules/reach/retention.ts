import type { TableRetention } from '../../platform/retention.ts';

export const reachRetention: TableRetention = {
  reach_open: { until: 'its hour is over', schedule: 'close the hours of reach' },
  entry_reach: { until: 'two hours later', schedule: 'close the hours of reach' },
  reach_cell: {
    days: 'reach',
    after: 'its hour; after two weeks only the sum of each day',
    schedule: 'forget old days of reach',
  },
};
