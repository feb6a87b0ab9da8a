import { handle, type Work } from '../../platform/jobs.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { bookAndWarn } from './book-usage.ts';
import { moneyRunsShort } from './jobs.ts';
import { type CapDeps, keepCaps } from './keep-caps.ts';
import { type RestoreDeps, reclaimForOthers, reclaimIdleLeases, restoreService } from './restore-service.ts';
import { markTrials, type TrialDeps, tellTrials } from './tell-trials.ts';

export const billingWork: Work<RestoreDeps & TrialDeps & CapDeps> = {
  handlers: [
    handle(fundsAdded, (deps: RestoreDeps, { userId }) => restoreService(deps, userId)),
    handle(moneyRunsShort, (deps: RestoreDeps, { userId }) => reclaimForOthers(deps, userId)),
  ],
  schedules: [
    { name: 'book the usage of past hours', everyMs: 5_000, run: bookAndWarn },
    { name: 'tell used-up trials', everyMs: 5_000, run: tellTrials },
    { name: 'mark earlier trials', everyMs: 60_000, run: markTrials },
    { name: 'keep monthly caps', everyMs: 60_000, run: keepCaps },
    { name: 'reclaim idle leases', everyMs: 60_000, run: reclaimIdleLeases },
  ],
};
