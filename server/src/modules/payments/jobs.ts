import { defineJob } from '../../platform/jobs.ts';

/** A refund has left the wallet and waits to be asked for at its gateway. */
export const refundRequested = defineJob<{ readonly refundId: string }>('refund.send');
