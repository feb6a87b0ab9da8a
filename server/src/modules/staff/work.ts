import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { deleteOldSessions } from './session-tables.ts';
import { deleteOldTokens } from './token-tables.ts';

export const staffWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    {
      name: 'forget old staff sessions',
      everyMs: 3_600_000,
      run: async ({ db, clock }) => {
        await deleteOldSessions(db, clock.now());
        await deleteOldTokens(db, clock.now());
      },
    },
  ],
};
