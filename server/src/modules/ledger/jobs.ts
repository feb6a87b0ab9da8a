import { defineJob } from '../../platform/jobs.ts';

/**
 * A user's money or allowance has grown: leases may grow too. Declared here, where every module that moves money can name
 * it; billing runs it.
 */
export const fundsAdded = defineJob<{ readonly userId: string }>('service.restore');
