import type { TableRetention } from '../../platform/retention.ts';

export const meteringRetention: TableRetention = {
  meter: { ever: 'what was charged is proven from it' },
  meter_epoch: {
    ever: 'what was charged is proven from it: a row for each start of the agent while the config was used',
  },
  price_segment: { ever: 'what was charged is proven from it; one whose bytes are given back is deleted' },
  usage_hour: {
    ever: 'the statement shows it, and what was charged is proven from it; without a name once the account is deleted',
  },
  usage_sum: { ever: 'sums of the hours' },
  node_month: { ever: 'a row for each server and month' },
  meter_sweep: { ever: 'a row for each sweep' },
  tunnel: { until: 'the account is deleted' },
  connection: {
    days: 'connections',
    after: 'its end',
    schedule: 'forget old connections',
    leaves: 'the last one of a config that is still there: the next counts its bytes from it',
  },
  blocked_query_day: { days: 'blockedQueries', after: 'its day', schedule: 'forget old blocked queries' },
};
