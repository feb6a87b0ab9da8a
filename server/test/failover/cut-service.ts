import pg from 'pg';
import { isDatabaseUnavailable } from '../../src/platform/database.ts';
import { bankSession, payAtBank } from '../bank.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { eventually, type TestWorld } from '../world.ts';

/** Users whose wallet is empty and whose service is cut, on a node that asks and reports as an agent does, also after refusals. */
export interface CutService {
  /** A user without money whose service is cut, and then pays at the bank; the payment is not verified yet. */
  cutUser(): Promise<CutUser>;
  stop(): Promise<void>;
}

export interface CutUser {
  readonly id: string;
  /** Asks again until the payment is acknowledged. */
  verify(): Promise<void>;
  /** Whether the node has been handed a lease beyond the one that is used up. */
  isServed(): boolean;
}

const POLL_SECONDS = 10;
const REPORT_MS = 4_000;
/** What an agent waits after a failed call, doubling: node-agent/src/platform/back-off.ts. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

export async function openCutService(world: TestWorld): Promise<CutService> {
  const node = await enrolFakeNode(world);
  const loops = [
    repeat(node.gone, () => node.sync(POLL_SECONDS)),
    repeat(node.gone, async () => {
      await node.report([]);
      await sleep(REPORT_MS);
    }),
  ];

  async function useUp(config: string): Promise<number> {
    for (let used = -1; used < node.limitOf(config); ) {
      used = node.limitOf(config);
      await node.report([{ config, down: used }]);
    }
    await node.report([{ config, down: node.limitOf(config) }]);
    return node.limitOf(config);
  }

  return {
    // As with any client, a call may find the database away for a moment on a busy machine; then with a new user.
    cutUser: () => untilAnswered(makeCutUser),
    async stop() {
      node.leave();
      await Promise.all(loops);
    },
  };

  async function makeCutUser(): Promise<CutUser> {
    const user = await world.user({ usdCents: 1 });
    const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } });
    const { id: config } = data.config;
    await eventually(() => node.limitOf(config) > 0 || undefined, 60_000);
    const used = await useUp(config);
    const { service } = (await user.api.me()).user;
    if (service?.state !== 'cut') throw new Error(`not cut: ${JSON.stringify(service)}`);
    const paymentId = await payAtBank(user, 'zarinpal');
    const bank = await bankSession(world, paymentId);
    if (bank?.state !== 'PAID')
      throw Object.assign(new Error('The bank’s page was not answered.'), { code: 'unavailable' });
    return {
      id: user.id,
      verify: () => untilAnswered(async () => void (await user.api.verifyPayment({ params: { id: paymentId } }))),
      isServed: () => node.limitOf(config) > used,
    };
  }
}

/**
 * Keeps the job that brings a user's service back from ending: another session holds the user's meters. Resolves once
 * `pay` is acknowledged and the job waits for them, so that a failover meets it in the middle. The session ends with its primary.
 */
export async function holdRestore(databaseUrl: string, userId: string, pay: () => Promise<void>): Promise<void> {
  const holder = new pg.Client(databaseUrl);
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM meter WHERE user_id = $1 FOR UPDATE', [userId]);
  await pay();
  await eventually(async () => {
    const { rows } = await holder.query(
      'SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))',
    );
    return rows.length > 0 || undefined;
  }, 60_000);
}

/** As a client that is told to come back, or that the bank has not answered yet. */
async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!['unavailable', 'network', 'payment_pending'].includes(code) && !isDatabaseUnavailable(error)) throw error;
      await sleep(50);
    }
  }
}

async function repeat(gone: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  for (let retryMs = FIRST_RETRY_MS; !gone.aborted; ) {
    try {
      await work();
      retryMs = FIRST_RETRY_MS;
    } catch {
      await sleep(retryMs);
      retryMs = Math.min(LAST_RETRY_MS, 2 * retryMs);
    }
  }
}

async function sleep(ms: number): Promise<void> {
  await new Promise((done) => setTimeout(done, ms));
}
