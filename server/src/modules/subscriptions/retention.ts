import type { TableRetention } from '../../platform/retention.ts';

export const subscriptionsRetention: TableRetention = {
  plan: { ever: 'what was sold names it' },
  plan_version: { ever: 'what a plan cost and gave and when; who decided it, by ids' },
  subscription: { ever: 'the books and documents name it' },
  unearned_plan: { until: 'all days of the plan are earned', schedule: 'earn the days of plans' },
  plan_sum: { ever: 'a row for each version of a plan' },
  plan_sum_change: { until: 'its moment has come and it is added up', schedule: 'add up what plans were sold' },
  earned_day: { ever: 'a row for each day of the books' },
};
