import type { TableRetention } from '../../platform/retention.ts';

export const factorsRetention: TableRetention = {
  passkey: { until: 'its owner removes it, or the account is deleted' },
  passkey_challenge: { until: 'it is answered or over', schedule: 'forget old passkey challenges' },
  totp_secret: { until: 'its owner removes it, or the account is deleted' },
  recovery_code: { until: 'new ones are made, or the account is deleted' },
};
