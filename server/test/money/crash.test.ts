import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@raha/contract/client.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconcilePayments } from '../../src/modules/payments/reconcile-payments.ts';
import { returnUrl } from '../../src/modules/payments/return-seal.ts';
import { reconcileRefunds } from '../../src/modules/payments/send-refund.ts';
import { freePort } from '../free-port.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';
import { compareWithBanks, payer, walletOf } from './bench.ts';
import { becomesReady, spawnServer } from './server-process.ts';
import { endProcess, inject, warnOfSkipped, whyNoTracing } from './tracing.ts';

/**
 * T-C1: the server runs in its own process and is killed (SIGKILL, injected by strace) at its first, second, third … write
 * to a socket, whether to the database, to a bank or to the client, all through charge → return → verify → credit → answer
 * and through a refund. After a restart and the client's retries every invariant holds, and everything happened once.
 */
/** In CI every tenth point, which takes the banks in turn; all of them in the long run. */
const STRIDE = Number(process.env.MONEY_SEEDS ?? 300) > 300 ? 1 : 10;
/** More than there are points. */
const POINTS = STRIDE === 1 ? 240 : 15;

describe.skipIf(warnOfSkipped('T-C1', whyNoTracing))('T-C1 SIGKILL at every write', () => {
  let world: TestWorld;
  let directory: string;
  const servers = new Set<Server>();
  const people: TestUser[] = [];

  beforeAll(async () => {
    world = await openTestWorld();
    directory = mkdtempSync(join(tmpdir(), 'raha-crash-'));
  });
  afterAll(async () => {
    await Promise.all([...servers].map((server) => server.kill()));
    await world.proveLedger();
    expect(await compareWithBanks(world)).toEqual([]);
    await world.close();
    rmSync(directory, { recursive: true, force: true });
  });

  interface Server {
    readonly origin: string;
    /** Kills the server at its n-th write from now on. */
    killAt(write: number): Promise<void>;
    readonly died: boolean;
    /** It runs, and no injection waits in it. */
    readonly isFresh: boolean;
    /** How often the injection has killed it. */
    readonly crashes: number;
    start(): Promise<void>;
    kill(): Promise<void>;
  }

  /** The product in its own process, on the database and the banks of this test. */
  async function createServerProcess(role: 'server' | 'all'): Promise<Server> {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    let child: ChildProcess | undefined;
    let tracer: ChildProcess | undefined;
    let crashes = 0;
    let mine = false;
    const server: Server = {
      origin,
      get crashes() {
        return crashes;
      },
      get died() {
        return child?.signalCode === 'SIGKILL';
      },
      get isFresh() {
        return child !== undefined && tracer === undefined && child.exitCode === null && child.signalCode === null;
      },
      async start() {
        await server.kill();
        const started = spawnServer(world, role, { port, dataDir: join(directory, String(port)) });
        child = started;
        mine = false;
        started.once('exit', (_code, signal) => {
          if (signal === 'SIGKILL' && !mine) crashes += 1;
        });
        await becomesReady(started);
      },
      async killAt(write) {
        const calls = 'write,writev,sendto,sendmsg';
        tracer = await inject([child?.pid as number], calls, `signal=SIGKILL:when=${write}`);
      },
      async kill() {
        mine = true;
        for (const process of [tracer, child]) await endProcess(process);
        tracer = undefined;
      },
    };
    servers.add(server);
    await server.start();
    return server;
  }

  /** Repeats a call until it is answered, and restarts the server when it was killed, as clients and operators do. */
  async function insist<T>(server: Server, call: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const { code } = error as { code?: string };
        const lost = code === 'network' || code === 'unknown' || error instanceof TypeError;
        if (!lost || tries > 600) throw error;
        // The process may be gone before its exit event arrives here.
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (server.died) await server.start();
      }
    }
  }

  const clientOf = (server: Server, user: TestUser) =>
    createClient(publicEndpoints, {
      baseUrl: server.origin + API_BASE,
      timeoutMs: 20_000,
      headers: () => ({ authorization: `Bearer ${user.token}` }),
    });

  async function chargeOnce(server: Server, write: number): Promise<boolean> {
    const user = people.pop() as TestUser;
    const before = await walletOf(world, user.id);
    const crashes = server.crashes;
    const gateway = (['zarinpal', 'idpay', 'nextpay'] as const)[write % 3] ?? 'zarinpal';
    const api = clientOf(server, user);
    await server.killAt(write);
    const headers = { 'Idempotency-Key': `crash-${write}` };
    const body = { amount: 50_000, payment_method: gateway };
    const charge = await insist(server, () => api.chargeWallet({ body }, { headers }));
    await fetch(`${charge.payment_url}/pay`, { method: 'POST', redirect: 'manual' });
    const back = returnUrl({ vault: world.deps.vault, publicUrl: server.origin }, gateway, charge.transaction_id);
    await insist(server, () => fetch(`${back}?Status=OK`, { redirect: 'manual' }));
    await insist(server, () => api.verifyCharge({ body: { transaction_id: charge.transaction_id } }));
    expect(await walletOf(world, user.id), `killed at write ${write}`).toBe(before + 50_000);
    const { rows } = await sql`SELECT id FROM payment WHERE user_id = ${user.id}`.execute(world.deps.db);
    expect(rows, `payments, killed at write ${write}`).toHaveLength(1);
    return server.crashes > crashes;
  }

  async function refundOnce(server: Server, write: number): Promise<boolean> {
    const user = people.pop() as TestUser;
    const before = await walletOf(world, user.id);
    const { transaction_id: id } = await user.api.chargeWallet({
      body: { amount: 50_000, payment_method: 'zarinpal' },
    });
    await payer(world, id, 'PAID');
    await user.api.verifyCharge({ body: { transaction_id: id } });
    const api = clientOf(server, user);
    const crashes = server.crashes;
    await server.killAt(write);
    const headers = { 'Idempotency-Key': `crash-refund-${write}` };
    await insist(server, () => api.refundPayment({ params: { id } }, { headers }));
    await settled(server, id, crashes);
    expect(await walletOf(world, user.id), `killed at write ${write}`).toBe(before);
    const { rows } = await sql<{ state: string }>`SELECT state FROM refund WHERE payment_id = ${id}`.execute(
      world.deps.db,
    );
    expect(
      rows.map((row) => row.state),
      `refunds, killed at write ${write}`,
    ).toEqual(['confirmed']);
    const bank = await sql<{ state: string }>`
      SELECT state FROM test_bank_session WHERE order_id = ${id}
    `.execute(world.deps.db);
    expect(bank.rows[0]?.state).toBe('REVERSED');
    return server.crashes > crashes;
  }

  /** The worker sends it. If the worker was killed while sending, the reconciler takes over when its time comes. */
  async function settled(server: Server, paymentId: string, crashes: number): Promise<void> {
    await until(async () => {
      const { rows } = await sql<{ state: string }>`
        SELECT state FROM refund WHERE payment_id = ${paymentId}
      `.execute(world.deps.db);
      if (rows[0]?.state === 'confirmed') return true;
      if (server.crashes > crashes) {
        await sql`UPDATE refund SET next_check_at = ${new Date()} WHERE payment_id = ${paymentId}`.execute(
          world.deps.db,
        );
        await reconcileRefunds(world.deps);
      }
      return false;
    });
    if (server.died) await server.start();
  }

  /** Kills at points 1, 2, 3 … until the flow ends unharmed twice in a row: then there are no writes left. */
  async function everyPoint(
    role: 'server' | 'all',
    lanes: number,
    flow: (server: Server, write: number) => Promise<boolean>,
  ) {
    // Created beforehand, because a worker of the servers under test would take the emails with the codes.
    for (let made = 0; made < POINTS; made += 1) people.push(await world.user({ usdCents: 1 }));
    let next = 1;
    let unharmed = 0;
    let kills = 0;
    const lane = async () => {
      const server = await createServerProcess(role);
      while (unharmed < 2) {
        const write = next;
        next += STRIDE;
        if (!server.isFresh) await server.start();
        if (await flow(server, write)) kills += 1;
        else unharmed += 1;
      }
      await server.kill();
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await reconcilePayments(world.deps);
    await world.proveLedger();
    return kills;
  }

  test('charge → return → verify → credit → answer', { timeout: 24 * 3_600_000 }, async () => {
    expect(await everyPoint('server', 2, chargeOnce)).toBeGreaterThan(3);
  });

  test('a refund, from the request to the bank', { timeout: 24 * 3_600_000 }, async () => {
    expect(await everyPoint('all', 1, refundOnce)).toBeGreaterThan(3);
  });
});

async function until(look: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
