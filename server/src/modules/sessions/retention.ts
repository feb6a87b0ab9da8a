import type { TableRetention } from '../../platform/retention.ts';

export const sessionsRetention: TableRetention = {
  session: { days: 'sessions', after: 'its end', schedule: 'forget old sessions' },
  refresh_token: { days: 'sessions', after: 'the end of its session', schedule: 'forget old sessions' },
  push_subscription: { until: 'its session is over', schedule: 'forget old sessions' },
  email_challenge: { days: 'attempts', after: 'it was sent', schedule: 'forget old sessions' },
  known_device: { days: 'devices', after: 'the last sign-in with it', schedule: 'forget old sessions' },
  password_reset: { days: 'attempts', after: 'it was sent', schedule: 'forget old sessions' },
  social_identity: { until: 'the account is deleted' },
  failed_login: { days: 'attempts', after: 'the attempt', schedule: 'forget old sessions' },
  email_change_request: { days: 'attempts', after: 'the request', schedule: 'forget old sessions' },
  pending_sign_in: { until: 'it is finished or over', schedule: 'forget old sessions' },
};
