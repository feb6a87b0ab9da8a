import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Work } from '../../platform/jobs.ts';
import { deleteEndedLinks } from './family-tables.ts';
import { type LeaveDeps, leaveServers } from './leave-servers.ts';

export const configsWork: Work<LeaveDeps> = {
  schedules: [
    { name: 'leave servers', everyMs: 15_000, run: leaveServers },
    {
      name: 'forget ended family links',
      everyMs: 3_600_000,
      run: ({ db, clock }) => deleteEndedLinks(db, addDays(clock.now(), -limits.keptDays.familyLinks)),
    },
  ],
};
