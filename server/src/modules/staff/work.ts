import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { deleteOldSessions } from './session-tables.ts';

export const staffWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    {
      name: 'forget old staff sessions',
      everyMs: 3_600_000,
      run: ({ db, clock }) => deleteOldSessions(db, clock.now()),
    },
  ],
};
