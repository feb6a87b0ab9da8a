import { defineJob } from '../../platform/jobs.ts';

/**
 * A user's money or allowance has grown, so leases may grow too. Declared here, where every module that moves money can
 * send it; billing handles it.
 */
export const fundsAdded = defineJob<{ readonly userId: string }>('service.restore');
