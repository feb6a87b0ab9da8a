import { createNotifier } from '../modules/notifications/notifier.ts';
import { openBus } from '../platform/bus.ts';
import { openJobs } from '../platform/jobs.ts';
import type { Deps } from './deps.ts';

export type Queues = Pick<Deps, 'bus' | 'jobs' | 'notifier'>;

/** Opens change signals and jobs for one use case, in a process that otherwise needs none: the command line. */
export async function withQueues<T>(
  deps: Pick<Deps, 'config' | 'db' | 'databaseUrl' | 'clock' | 'log' | 'vault'>,
  work: (queues: Queues) => Promise<T>,
): Promise<T> {
  const { db, databaseUrl, clock, log, vault } = deps;
  const bus = await openBus(databaseUrl, db, log);
  const jobs = await openJobs(databaseUrl, { log, vault }, { supervise: false });
  try {
    const publicUrl = () => deps.config.publicUrl;
    return await work({ bus, jobs, notifier: createNotifier({ clock, bus, jobs, vault, publicUrl }) });
  } finally {
    await jobs.stop();
    await bus.close();
  }
}
