import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@raha/contract/client.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bookAndWarn } from '../../src/modules/billing/book-usage.ts';
import { reclaimIdleLeases } from '../../src/modules/billing/restore-service.ts';
import { reconcilePayments, sweepUnverified } from '../../src/modules/payments/reconcile-payments.ts';
import { reconcileRefunds } from '../../src/modules/payments/send-refund.ts';
import { warnOfEndingPlans } from '../../src/modules/plan-sales/warn-ending.ts';
import { startSession } from '../../src/modules/sessions/start-session.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { freePort } from '../free-port.ts';
import { codeFor, eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';
import { payer } from './bench.ts';
import { becomesReady, spawnServer } from './server-process.ts';
import { endProcess, warnOfSkipped } from './tracing.ts';

/**
 * T-C6: the wall clock of a running server jumps ahead by a day and by ten years, jumps back by an hour, and stands still
 * (libfaketime reading a file; the monotonic clock is left alone). Expired things are refused, anything issued under a wrong
 * clock is worthless once the clock is right, no answer contains a negative time, and the passing of time costs nobody
 * money.
 */
const library = ['/usr/lib', '/lib', '/usr/lib64']
  .flatMap((base) => (existsSync(base) ? [base, ...readdirSync(base).map((name) => join(base, name))] : []))
  .map((directory) => join(directory, 'faketime/libfaketimeMT.so.1'))
  .find((path) => existsSync(path));
const whyNot =
  library === undefined
    ? 'libfaketime is not installed'
    : spawnSync('/bin/true', { env: { LD_PRELOAD: library } }).status === 0
      ? undefined
      : 'nothing can be preloaded here';

const DAY = 86_400;
const HOUR = 3600;

describe.skipIf(warnOfSkipped('T-C6', whyNot))('T-C6 the clock jumps', () => {
  let world: TestWorld;
  let server: ChildProcess | undefined;
  let origin: string;
  let directory: string;
  let user: TestUser;
  let before: number;
  /**
   * The current time for both sides: the server reads it from its file, and the worker's rounds, which the test runs itself,
   * from here.
   */
  let now = () => new Date();

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'raha-clock-'));
    world = await openTestWorld({ clock: { now: () => now() } });
    user = await world.user();
    const node = await enrolFakeNode(world);
    const { data } = await user.api.createConfig({ body: { name: 'phone', serverId: node.id, keepKey: true } });
    await node.settle();
    await node.report([{ config: data.config.id, down: 7_000_000 }]);
    before = (await user.api.getWallet()).data.balance;
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    setClock('+0', now);
    server = spawnServer(
      world,
      'server',
      { port, dataDir: join(directory, 'data') },
      {
        TZ: 'UTC',
        LD_PRELOAD: library as string,
        FAKETIME_TIMESTAMP_FILE: join(directory, 'clock'),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        NO_FAKE_STAT: '1',
      },
    );
    await becomesReady(server);
  });
  afterAll(async () => {
    await endProcess(server);
    await world?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function setClock(text: string, is: () => Date): void {
    // Replaced atomically, because the server may read it at any moment.
    writeFileSync(join(directory, 'clock.new'), `${text}\n`);
    renameSync(join(directory, 'clock.new'), join(directory, 'clock'));
    now = is;
  }

  /** Sets the clock off by so many seconds, and waits until the server uses the new time. */
  async function shift(seconds: number): Promise<void> {
    setClock(seconds < 0 ? `${seconds}` : `+${seconds}`, () => new Date(Date.now() + seconds * 1000));
    await serverAgrees();
  }

  async function serverAgrees(): Promise<void> {
    await eventually(async () => {
      const answer = await fetch(`${origin}/readyz`);
      return answer.ok && Math.abs(Date.parse(answer.headers.get('date') ?? '') - now().getTime()) < 10_000;
    });
  }

  const clientWith = (token?: string) =>
    createClient(publicEndpoints, {
      baseUrl: origin + API_BASE,
      timeoutMs: 30_000,
      headers: (): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {}),
    });

  /** A new session of the user that begins at the current time of the clock. */
  async function freshToken(): Promise<string> {
    const options = { days: 7, method: 'code', device: { cookie: 'of the tests', label: 'test' } } as const;
    const { sessionId } = await inTransaction(world.deps.db, (tx) =>
      startSession(tx, world.deps, user, options, world.deps.clock.now()),
    );
    return await world.deps.tokens.issue({ userId: user.id, sessionId });
  }

  let addresses = 0;
  const newAddress = () => {
    addresses += 1;
    return `clock${addresses}@mail.example`;
  };

  async function sendCode(email: string, count = 1): Promise<string> {
    const { retry_after: wait } = (await clientWith().sendVerificationCode({ body: { email } })) as never as {
      retry_after?: number;
    };
    if (wait !== undefined) expect(wait).toBeGreaterThanOrEqual(0);
    return await codeFor(world, email, count);
  }

  const signIn = (email: string, verificationCode: string) =>
    clientWith().completeRegistration({ body: { email, fullName: 'نیلوفر آزمون', verificationCode } });

  /** Every call of the user's screens answers without a negative time, and the money is unchanged. */
  async function expectCalm(extra = 0): Promise<void> {
    for (const round of [bookAndWarn, reclaimIdleLeases, reconcilePayments, reconcileRefunds, sweepUnverified])
      await round(world.deps);
    await warnOfEndingPlans(world.deps);
    const api = clientWith(await freshToken());
    const answers = await Promise.all([
      api.getWallet(),
      api.getDashboard(),
      api.listConfigs(),
      api.listPayments(),
      api.listSessions(),
      api.listSubscriptions(),
      api.listNotifications(),
      api.getUsdRate(),
      api.getNetworkStatus(),
      api.me(),
    ]);
    expect(negativeTimes(answers)).toEqual([]);
    expect(answers[0].data.balance).toBe(before + extra);
    await world.proveLedger();
  }

  test('T-C6 a day ahead: expired things are refused, late payments are credited', async () => {
    const email = newAddress();
    const code = await sendCode(email);
    const token = await freshToken();
    const { transaction_id: id } = await clientWith(token).chargeWallet({
      body: { amount: 50_000, payment_method: 'zarinpal' },
    });
    await shift(DAY);
    await expect(signIn(email, code)).rejects.toMatchObject({ code: 'code_invalid', message: /\S/ });
    await expect(clientWith(token).getWallet()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    await expectCalm();
    const later = clientWith(await freshToken());
    await expect(later.verifyCharge({ body: { transaction_id: id } })).rejects.toMatchObject({ message: /\S/ });
    await payer(world, id, 'PAID');
    await later.verifyCharge({ body: { transaction_id: id } });
    await later.verifyCharge({ body: { transaction_id: id } });
    before += 50_000;
    await expectCalm();
    await signIn(email, await sendCode(email, 2));
  });

  test('T-C6 an hour back: codes, sessions and payments go on', async () => {
    await shift(0);
    const email = newAddress();
    const code = await sendCode(email);
    const token = await freshToken();
    await shift(-HOUR);
    await expectCalm();
    // Neither lives an hour longer than it should.
    await expect(signIn(email, code)).rejects.toMatchObject({ code: 'code_invalid' });
    await expect(clientWith(token).getWallet()).rejects.toMatchObject({ code: 'unauthenticated' });
    await signIn(email, await sendCode(email, 2));
    const api = clientWith(await freshToken());
    const { transaction_id: id } = await api.chargeWallet({ body: { amount: 30_000, payment_method: 'idpay' } });
    await payer(world, id, 'PAID');
    await api.verifyCharge({ body: { transaction_id: id } });
    before += 30_000;
    await expectCalm();
  });

  test('T-C6 ten years ahead and back: nothing issued then stays valid, nothing waits for ever', async () => {
    await shift(3650 * DAY);
    await expectCalm();
    const [email, other] = [newAddress(), newAddress()];
    const code = await sendCode(email);
    const { token: future } = await signIn(other, await sendCode(other));
    expect((await clientWith(future).me()).user.email).toBe(other);
    await shift(0);
    await expectCalm();
    await expect(clientWith(future).me()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(signIn(email, code)).rejects.toMatchObject({ code: 'code_invalid' });
    await signIn(email, await sendCode(email, 2));
    await signIn(other, await sendCode(other, 2));
  });

  test('T-C6 standing still: calls are answered, codes work', async () => {
    const second = new Date(Math.floor(Date.now() / 1000) * 1000);
    setClock(second.toISOString().slice(0, 19).replace('T', ' '), () => second);
    await serverAgrees();
    await expectCalm();
    const email = newAddress();
    const code = await sendCode(email);
    await expect(clientWith().sendVerificationCode({ body: { email } })).rejects.toMatchObject({
      code: 'code_too_soon',
      retryAfterSeconds: 60,
    });
    await signIn(email, code);
    await expectCalm();
    await shift(0);
    await expectCalm();
  });
});

/** Where an answer holds a negative number that is not an amount of money. */
function negativeTimes(value: unknown, path = ''): string[] {
  if (typeof value === 'number')
    return value < 0 && !/(amount|change|trend|percent)$/i.test(path) ? [`${path}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => negativeTimes(inner, `${path}.${key}`));
}
