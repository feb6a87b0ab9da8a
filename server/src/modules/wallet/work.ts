import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { forgetUnknownRecipients } from './transfer-money.ts';

export const walletWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    {
      name: 'forget unknown recipients',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetUnknownRecipients(db, clock.now()),
    },
  ],
};
