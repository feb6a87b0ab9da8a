import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Work } from '../../platform/jobs.ts';
import { type SendDeps, sendMessages } from './send-messages.ts';
import { deleteClosedBefore } from './tables.ts';

export const alertsWork: Work<SendDeps> = {
  schedules: [
    { name: 'send alerts', everyMs: 5_000, run: sendMessages },
    {
      name: 'forget old alerts',
      everyMs: 3_600_000,
      run: ({ db, clock }) => deleteClosedBefore(db, addDays(clock.now(), -limits.keptDays.notifications)),
    },
  ],
};
