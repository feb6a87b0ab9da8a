import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { deleteOldChallenges } from './tables.ts';

export const factorsWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    {
      name: 'forget old passkey challenges',
      everyMs: 600_000,
      run: ({ db, clock }) => deleteOldChallenges(db, clock.now()),
    },
  ],
};
