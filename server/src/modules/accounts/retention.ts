import type { TableRetention } from '../../platform/retention.ts';

export const accountsRetention: TableRetention = {
  users: { ever: 'the books name the id; name, address, number and picture are erased with the account' },
  avatar: { until: 'the account is deleted, or the picture is replaced' },
  preference: { until: 'the account is deleted' },
  trial: { until: 'its owner loses an address that was never verified' },
  service_stop: { until: 'the account is deleted; a row for each user, of the latest stop' },
  trial_mark: { ever: 'one trial for each mailbox and number; after the account is deleted it names nobody' },
};
