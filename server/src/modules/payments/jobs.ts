import { defineJob } from '../../platform/jobs.ts';

/** A refund has left the wallet and is to be requested from its gateway. */
export const refundRequested = defineJob<{ readonly refundId: string }>('refund.send');
