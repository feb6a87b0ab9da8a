import type { Work } from '../../platform/jobs.ts';
import { type NotifyDeps, notifyBlocked } from './notify-blocked.ts';
import { type PublishDeps, publishNames } from './publish-names.ts';

export const movementWork: Work<PublishDeps & NotifyDeps> = {
  schedules: [
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
