import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Work } from '../../platform/jobs.ts';
import { invoiceUsage } from './invoice-usage.ts';

export const invoicesWork: Work<{ readonly db: Database; readonly clock: Clock }> = {
  schedules: [{ name: 'invoice the usage of months that are over', everyMs: 600_000, run: invoiceUsage }],
};
