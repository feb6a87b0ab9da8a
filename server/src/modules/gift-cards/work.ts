import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { breakExpiredCards } from './break-cards.ts';
import { forgetOldAttempts } from './forget.ts';

export const giftCardsWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [
    { name: 'book sold cards that have expired', everyMs: 600_000, run: breakExpiredCards },
    { name: 'forget old redemptions', everyMs: 3_600_000, run: ({ db, clock }) => forgetOldAttempts(db, clock.now()) },
  ],
};
