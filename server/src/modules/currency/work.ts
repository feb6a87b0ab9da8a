import type { Work } from '../../platform/jobs.ts';
import { type RefreshDeps, refreshRate } from './refresh-exchange-rate.ts';

export const currencyWork: Work<RefreshDeps> = {
  schedules: [{ name: 'read the exchange rate', everyMs: 20_000, run: refreshRate }],
};
