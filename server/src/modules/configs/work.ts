import type { Work } from '../../platform/jobs.ts';
import { type LeaveDeps, leaveServers } from './leave-servers.ts';

export const configsWork: Work<LeaveDeps> = {
  schedules: [{ name: 'leave servers', everyMs: 15_000, run: leaveServers }],
};
