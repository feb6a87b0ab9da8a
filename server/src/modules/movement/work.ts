import type { Work } from '../../platform/jobs.ts';
import { blockByTheRule, type RuleDeps } from './block-by-rule.ts';
import { type NotifyDeps, notifyBlocked } from './notify-blocked.ts';
import { type PublishDeps, publishNames } from './publish-names.ts';

export const movementWork: Work<PublishDeps & NotifyDeps & RuleDeps> = {
  schedules: [
    { name: 'take out blocked entries', everyMs: 60_000, run: blockByTheRule },
    {
      name: 'move blocked entries',
      everyMs: 15_000,
      run: async (deps) => {
        await publishNames(deps);
        await notifyBlocked(deps);
      },
    },
  ],
};
