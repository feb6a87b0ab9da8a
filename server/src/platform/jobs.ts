import { sql } from 'kysely';
import pg from 'pg';
import { fromKysely, PgBoss } from 'pg-boss';
import type { Executor, Tx } from './database.ts';
import { breakWhenAway, type DatabaseWatch } from './database-watch.ts';
import type { Log } from './log.ts';
import type { Vault } from './sealed.ts';

/**
 * Work that must happen after a commit: enqueued in the same transaction, run at least once by a worker, retried with
 * back-off. Handlers are idempotent. `name` is the queue's name.
 *
 * Data is sealed at rest, because emails carry codes and links that open accounts. A job is deleted when it is done.
 */
export interface Job<D> {
  readonly name: string;
  /** The email address or phone number that the data is about, by which `forget` finds it. */
  subjectOf?(data: D): string;
}

export function defineJob<D>(name: string, subjectOf?: (data: D) => string): Job<D> {
  return subjectOf ? { name, subjectOf } : { name };
}

export interface Jobs {
  send<D>(tx: Tx, job: Job<D>, data: D): Promise<void>;
  /** Deletes the waiting jobs of an email address or phone number. */
  forget(tx: Tx, subject: string): Promise<void>;
}

/** A job's data in the queue's table. Rows of earlier releases hold the plain data. */
interface StoredData {
  readonly sealed: string;
  /** An HMAC of the subject; absent if the job has none. */
  readonly subject?: string;
}

const DAY_SECONDS = 86_400;
/**
 * A worker shows every ten seconds that it still has a job. One that is silent for this long is gone, or its database was: the job is run
 * again, within a minute of the failure.
 */
const HEARTBEAT_SECONDS = 30;
/** How often the workers look for such jobs. */
const SUPERVISE_SECONDS = 10;

/** Of a job that is being done: which one, and how often it was tried, this time included. */
export interface Attempt {
  readonly jobId: string;
  readonly number: number;
  /** When it fails this time, it is not tried again. */
  readonly isLast: boolean;
}

export interface Worker extends Jobs {
  work<D>(job: Job<D>, handler: (data: D, attempt: Attempt) => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** The background work of a module. Each declares its own in `work.ts`, and `app/work.ts` runs them all. */
export interface Work<Deps> {
  readonly handlers?: readonly JobHandler<Deps>[];
  readonly schedules?: readonly Schedule<Deps>[];
}

export interface JobHandler<Deps> {
  readonly job: Job<unknown>;
  run(deps: Deps, data: unknown, attempt: Attempt): Promise<unknown>;
}

export interface Schedule<Deps> {
  /** For the log, and for the alert when it does not run. */
  readonly name: string;
  readonly everyMs: number;
  run(deps: Deps): Promise<unknown>;
}

export function handle<D, Deps>(
  job: Job<D>,
  run: (deps: Deps, data: D, attempt: Attempt) => Promise<unknown>,
): JobHandler<Deps> {
  return { job, run: (deps, data, attempt) => run(deps, data as D, attempt) };
}

/** Several jobs at a time, each with its own outcome; after a full batch the next one follows without a pause. */
const pace = {
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 5,
  batchSize: 10,
  burstWhenBatchFull: true,
  perJobResults: true,
  includeMetadata: true,
  heartbeatRefreshSeconds: HEARTBEAT_SECONDS / 3,
} as const;

/** Installs the queue's own schema; part of migrating. */
export async function installJobs(url: string, jobs: readonly Job<unknown>[]): Promise<void> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  for (const { name } of jobs) {
    const options = {
      notify: true,
      retryLimit: 20,
      retryDelay: 2,
      retryBackoff: true,
      retryDelayMax: 600,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      // Jobs that failed for good stay for the operator for a day.
      deleteAfterSeconds: DAY_SECONDS,
      retentionSeconds: 2 * DAY_SECONDS,
    };
    await boss.createQueue(name, options);
    // createQueue leaves the options of an existing queue unchanged.
    await boss.updateQueue(name, options);
  }
  await boss.stop({ graceful: false });
}

export async function openJobs(
  url: string,
  { log, vault, watch }: { readonly log: Log; readonly vault: Vault; readonly watch?: DatabaseWatch },
  options: { supervise: boolean },
): Promise<Worker> {
  const subject = (text: string) => vault.hmac('job-subject', text).toString('base64url');
  const boss = new PgBoss({
    connectionString: url,
    migrate: false,
    supervise: options.supervise,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS / 2,
    schedule: false,
    useListenNotify: options.supervise,
    max: 4,
    application_name: 'raha jobs',
    ...(watch ? clientsOf(watch) : {}),
  });
  boss.on('error', (err) => log.warn({ err }, 'job queue'));
  await boss.start();
  return {
    async send(tx, { name, subjectOf }, data) {
      const stored: StoredData = {
        sealed: vault.seal(JSON.stringify(data), contextOf(name)),
        ...(subjectOf ? { subject: subject(subjectOf(data)) } : {}),
      };
      await boss.send(name, stored, { db: fromKysely(tx as never) });
    },
    async forget(tx, text) {
      const remove = () => sql`DELETE FROM pgboss.job WHERE data ->> 'subject' = ${subject(text)}`.execute(tx);
      // A job that fails just now is deleted and inserted again by the queue: the first statement waits for that and cannot see
      // the new row, the second one can.
      await remove();
      await remove();
    },
    async work({ name }, handler) {
      await boss.work(name, pace, (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data, retryCount, retryLimit }) => {
            const attempt = { jobId: id, number: retryCount + 1, isLast: retryCount >= retryLimit };
            try {
              await handler(open(vault, name, data as object) as never, attempt);
              await boss.deleteJob(name, id);
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

/** The queue opens its own connections; an option for them that its types do not name. */
function clientsOf(watch: DatabaseWatch): object {
  class WatchedClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      breakWhenAway(this, watch);
    }
  }
  return { Client: WatchedClient };
}

/** Of all jobs: how long the oldest has waited for its turn, and how many failed for good. */
export async function readJobFigures(
  db: Executor,
): Promise<{ readonly oldestSeconds: number; readonly failed: number }> {
  const { rows } = await sql<{ oldest: number | null; failed: number }>`
    SELECT extract(epoch FROM now() - min(start_after) FILTER (WHERE state IN ('created', 'retry')))::float8 AS oldest,
      count(*) FILTER (WHERE state = 'failed')::integer AS failed
    FROM pgboss.job WHERE (state IN ('created', 'retry') AND start_after <= now()) OR state = 'failed'
  `.execute(db);
  return { oldestSeconds: Math.max(0, rows[0]?.oldest ?? 0), failed: rows[0]?.failed ?? 0 };
}

/** Of each queue, how many jobs of the last day failed for good. */
export async function readFailedJobs(db: Executor): Promise<{ readonly name: string; readonly count: number }[]> {
  const { rows } = await sql<{ name: string; count: number }>`
    SELECT name, count(*)::integer AS count FROM pgboss.job WHERE state = 'failed' GROUP BY name ORDER BY name
  `.execute(db);
  return rows;
}

/** How many jobs that are not done hold data under another key than the sealing one. */
export async function countSealedJobs(db: Executor, vault: Vault): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM pgboss.job
    WHERE state < 'completed' AND NOT starts_with(data ->> 'sealed', ${vault.keys.prefix})
  `.execute(db);
  return rows[0]?.count ?? 0;
}

function open(vault: Vault, name: string, data: object): unknown {
  return 'sealed' in data ? JSON.parse(vault.open((data as StoredData).sealed, contextOf(name))) : data;
}

function contextOf(name: string): string {
  return `job ${name}`;
}
