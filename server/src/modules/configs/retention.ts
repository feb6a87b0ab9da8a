import type { TableRetention } from '../../platform/retention.ts';

export const configsRetention: TableRetention = {
  config: { ever: 'usage names it; its name is erased with the account' },
  family_link: { days: 'familyLinks', after: 'its config was deleted', schedule: 'forget ended family links' },
};
