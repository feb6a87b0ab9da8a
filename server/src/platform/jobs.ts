import { fromKysely, PgBoss } from 'pg-boss';
import type { Tx } from './database.ts';
import type { Log } from './log.ts';
import type { SmsPurpose } from './sms.ts';

/**
 * Work that must happen after a commit: enqueued in the same transaction, run at least once by some worker, tried again
 * with back-off. Handlers are idempotent.
 */
export interface JobData {
  /** `isWanted: false` is work for the sake of its time: it is dropped where it would be sent. */
  'mail.send': {
    to: string;
    subject: string;
    text: string;
    html: string;
    /** Where one press takes the reader off this kind of mail (RFC 8058). */
    unsubscribeUrl?: string;
    isWanted?: false;
  };
  /** `until`: what is older than that is not sent any more. */
  'sms.send': { to: string; purpose: SmsPurpose; token: string; until?: string };
  'service.restore': { userId: string };
  'password.forgot': { email: string };
  'refund.send': { refundId: string };
}
export type JobName = keyof JobData;

export interface Jobs {
  send<N extends JobName>(tx: Tx, name: N, data: JobData[N]): Promise<void>;
}

export interface Worker extends Jobs {
  work<N extends JobName>(name: N, handler: (data: JobData[N]) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

const names: readonly JobName[] = ['mail.send', 'sms.send', 'service.restore', 'password.forgot', 'refund.send'];

/** Several at a time, each with its own outcome; while they come in full batches nothing is waited for. */
const pace = {
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 5,
  batchSize: 10,
  burstWhenBatchFull: true,
  perJobResults: true,
} as const;

/** Installs the queue's own schema; part of migrating. */
export async function installJobs(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  for (const name of names) {
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
    async send(tx, name, data) {
      await boss.send(name, data, { db: fromKysely(tx as never) });
    },
    async work(name, handler) {
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
