import type { TableRetention } from '../../platform/retention.ts';

export const pricingRetention: TableRetention = {
  price_version: { ever: 'what a gigabyte cost and when; who decided it, by ids' },
};
