import type { Work } from '../../platform/jobs.ts';
import { type RunDeps, runBulks } from './run-bulks.ts';

export const bulkWork: Work<RunDeps> = {
  schedules: [{ name: 'go on with bulks', everyMs: 1_000, run: runBulks }],
};
