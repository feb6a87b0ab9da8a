import { fromKysely, PgBoss } from 'pg-boss';
import type { Tx } from './database.ts';
import type { Log } from './log.ts';

/**
 * Work that must happen after a commit: enqueued in the same transaction, run at least once by some worker, tried again
 * with back-off. Handlers are idempotent. The name is that of its queue.
 */
export interface Job<D> {
  readonly name: string;
  /** Of the type only. */
  readonly data?: D;
}

export function defineJob<D>(name: string): Job<D> {
  return { name };
}

export interface Jobs {
  send<D>(tx: Tx, job: Job<D>, data: D): Promise<void>;
}

export interface Worker extends Jobs {
  work<D>(job: Job<D>, handler: (data: D) => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** What a module does without a request; each declares its own in `work.ts`, and `app/work.ts` runs them all. */
export interface Work<Deps> {
  readonly handlers?: readonly JobHandler<Deps>[];
  readonly schedules?: readonly Schedule<Deps>[];
}

export interface JobHandler<Deps> {
  readonly job: Job<unknown>;
  run(deps: Deps, data: unknown): Promise<unknown>;
}

export interface Schedule<Deps> {
  /** For the log. */
  readonly name: string;
  readonly everyMs: number;
  run(deps: Deps): Promise<unknown>;
}

export function handle<D, Deps>(job: Job<D>, run: (deps: Deps, data: D) => Promise<unknown>): JobHandler<Deps> {
  return { job, run: (deps, data) => run(deps, data as D) };
}

/** Several at a time, each with its own outcome; while they come in full batches nothing is waited for. */
const pace = {
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 5,
  batchSize: 10,
  burstWhenBatchFull: true,
  perJobResults: true,
} as const;

/** Installs the queue's own schema; part of migrating. */
export async function installJobs(url: string, jobs: readonly Job<unknown>[]): Promise<void> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  for (const { name } of jobs) {
    await boss.createQueue(name, {
      notify: true,
      retryLimit: 20,
      retryDelay: 2,
      retryBackoff: true,
      retryDelayMax: 600,
    });
  }
  await boss.stop({ graceful: false });
}

export async function openJobs(url: string, log: Log, options: { supervise: boolean }): Promise<Worker> {
  const boss = new PgBoss({
    connectionString: url,
    migrate: false,
    supervise: options.supervise,
    schedule: false,
    useListenNotify: options.supervise,
    max: 4,
    application_name: 'raha jobs',
  });
  boss.on('error', (err) => log.warn({ err }, 'job queue'));
  await boss.start();
  return {
    async send(tx, { name }, data) {
      await boss.send(name, data as object, { db: fromKysely(tx as never) });
    },
    async work({ name }, handler) {
      await boss.work(name, pace, (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data }) => {
            try {
              await handler(data as never);
              return { id, status: 'completed' as const };
            } catch (err) {
              log.error({ err, job: name, id }, 'a job failed and will be tried again');
              return { id, status: 'failed' as const };
            }
          }),
        ),
      );
    },
    async stop() {
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}
