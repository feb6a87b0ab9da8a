import type { TableRetention } from '../../platform/retention.ts';

export const movementRetention: TableRetention = {
  entry_suspect: { until: 'the rule looks again, a minute later' },
};
