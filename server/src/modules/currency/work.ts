import type { Work } from '../../platform/jobs.ts';
import { forgetOldRates } from './forget.ts';
import { type RefreshDeps, refreshRate } from './refresh-exchange-rate.ts';

export const currencyWork: Work<RefreshDeps> = {
  schedules: [
    { name: 'read the exchange rate', everyMs: 20_000, run: refreshRate },
    { name: 'forget old exchange rates', everyMs: 3_600_000, run: ({ db, clock }) => forgetOldRates(db, clock.now()) },
  ],
};
