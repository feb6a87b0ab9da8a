import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { forgetOldPhoneCodes } from './forget.ts';

export const profileWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    {
      name: 'forget old phone codes',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldPhoneCodes(db, clock.now()),
    },
  ],
};
