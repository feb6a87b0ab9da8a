import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { forgetOldBlockedQueries } from './blocked-queries.ts';
import { forgetOldConnections } from './connections.ts';
import { watchCaps } from './watch-caps.ts';

export const meteringWork: Work<{ readonly db: Database; readonly clock: Clock; readonly log: Log }> = {
  schedules: [
    { name: 'watch the traffic of nodes', everyMs: 60_000, run: watchCaps },
    {
      name: 'forget old connections',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldConnections(db, clock.now()),
    },
    {
      name: 'forget old blocked queries',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldBlockedQueries(db, clock.now()),
    },
  ],
};
