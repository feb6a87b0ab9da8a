import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { forgetEntrySlots } from './entry-tables.ts';
import { closeHours, forgetOldDays, gatherDays } from './tables.ts';

export const reachWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    {
      name: 'close the hours of reach',
      everyMs: 300_000,
      run: async ({ db, clock }) => {
        await closeHours(db, clock.now());
        await forgetEntrySlots(db, clock.now());
      },
    },
    {
      name: 'forget old days of reach',
      everyMs: 3_600_000,
      run: async ({ db, clock }) => {
        await gatherDays(db, clock.now());
        await forgetOldDays(db, clock.now());
      },
    },
  ],
};
