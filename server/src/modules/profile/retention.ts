import type { TableRetention } from '../../platform/retention.ts';

export const profileRetention: TableRetention = {
  phone_challenge: { days: 'attempts', after: 'it was sent', schedule: 'forget old phone codes' },
};
