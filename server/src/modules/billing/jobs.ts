import { defineJob } from '../../platform/jobs.ts';

/** The wallet of a user is empty and leases of idle configs hold money that the config in use will need. */
export const moneyRunsShort = defineJob<{ readonly userId: string }>('service.reclaim');
