import type { TableRetention } from '../../platform/retention.ts';

export const dnsFilteringRetention: TableRetention = {
  dns_filtering: { until: 'it is switched off, or the account is deleted' },
};
