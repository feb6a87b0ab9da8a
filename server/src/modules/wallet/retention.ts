import type { TableRetention } from '../../platform/retention.ts';

export const walletRetention: TableRetention = {
  wallet_transfer: { ever: 'the books name it' },
  wallet_correction: { ever: 'the books name it' },
  correction_proposal: { ever: 'corrections name it; who proposed and who decided, by ids' },
  unknown_recipient: { days: 'attempts', after: 'the attempt', schedule: 'forget unknown recipients' },
  wallet_movement: { ever: 'shown in the wallet, and proven from the books' },
  wallet_sum: { ever: 'shown in the wallet, and proven from the books' },
};
