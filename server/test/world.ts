import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@raha/contract/client.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { setSettingByKey } from '../src/app/all-settings.ts';
import { buildApp } from '../src/app/build-app.ts';
import { checkLedger } from '../src/app/check-ledger.ts';
import type { Deps } from '../src/app/deps.ts';
import { openDeps } from '../src/app/open-deps.ts';
import { startHandlers } from '../src/app/work.ts';
import { moneyRunsShort } from '../src/modules/billing/jobs.ts';
import { issueGiftCards } from '../src/modules/gift-cards/issue-cards.ts';
import { fundsAdded } from '../src/modules/ledger/jobs.ts';
import { refundRequested } from '../src/modules/payments/jobs.ts';
import type { Actor } from '../src/platform/audit.ts';
import { type Clock, systemClock } from '../src/platform/clock.ts';
import { readConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import type { MinuteLimit } from '../src/platform/minute-limit.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly unsubscribeUrl?: string;
}

/**
 * The whole server in this process on a database of its own, listening on loopback; emails are collected, money is
 * simulated.
 */
export interface TestWorld {
  readonly deps: Deps;
  readonly origin: string;
  /** Whether fake nodes stay online by themselves. */
  readonly keepsNodes: boolean;
  readonly mails: SentMail[];
  client(token?: string): ReturnType<typeof clientOf>;
  /** A registered user; activated with a card of `usdCents`, unless 0. */
  user(options?: { email?: string; usdCents?: number }): Promise<TestUser>;
  giftCard(usdCents?: number): Promise<string>;
  /** Throws if an invariant of the ledger does not hold. With `since`, only rows from then on are proved, as every minute. */
  proveLedger(since?: Date): Promise<void>;
  close(): Promise<void>;
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly api: ReturnType<typeof clientOf>;
}

/** Who runs an operator's use case in tests. */
export const actor: Actor = { kind: 'command-line', systemUser: 'tests' };
/** For tests that send more in a minute than a user may. */
export const unlimited: MinuteLimit = { take: () => undefined };
export const PASSWORD = 'Correct-horse-7';
export const TEST_RATE = 80_000;
export const TEST_MASTER_KEY = 'a master key for tests, of no other use';

export async function openTestWorld(
  options: {
    clock?: Clock;
    rate?: number | undefined;
    /** False: after money came in or ran short, leases change only if the test does it. */
    restores?: boolean;
    /** False: the test keeps its fake nodes online itself, so that nothing is written while it counts. */
    keepsNodes?: boolean;
    /** One: code that takes a second connection in the middle of a transaction waits for ever, so the test finds it. */
    connections?: number;
    overrides?: Parameters<typeof openDeps>[0]['overrides'];
    /** Used instead of a fresh database on the PostgreSQL of this run. */
    database?: TestDatabase;
    /** True: the settings of that database stay as they are. */
    keepSettings?: boolean;
    log?: ReturnType<typeof createLog>;
    /** One key per line, the newest first. */
    masterKey?: string;
  } = {},
): Promise<TestWorld> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-world-'));
  const mails: SentMail[] = [];
  const clock = options.clock ?? systemClock;
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: dataDir,
    LOCAL_NODE: 'off',
    // A busy machine is no database that is away. Tests that take it away have one of their own.
    ...(options.database ? {} : { DATABASE_SILENT_SECONDS: '30', DATABASE_CONNECT_SECONDS: '30' }),
    // Tests write whole populations in one statement.
    DATABASE_STATEMENT_SECONDS: '0',
    USD_RATE_TOMAN: String(options.rate ?? TEST_RATE),
  });
  const deps = await openDeps({
    config,
    databaseUrl: database.url,
    masterKey: options.masterKey ?? TEST_MASTER_KEY,
    log: options.log ?? createLog('silent'),
    worker: true,
    clock,
    connections: options.connections,
    // Nothing that tests send leaves this machine.
    pushServices: /^http:\/\/127\.0\.0\.1:\d+\/push\//,
    overrides: {
      mailer: { send: async (mail) => void (mail.isWanted !== false && mails.push(mail)) },
      ...options.overrides,
    },
  });
  const { app } = await buildApp(deps);
  deps.address.origin = await app.listen({ host: '127.0.0.1', port: 0 });
  // Tests send refunds themselves.
  await startHandlers(
    deps,
    options.restores === false ? [refundRequested, fundsAdded, moneyRunsShort] : [refundRequested],
  );
  // Usage is free inside a trial; most tests are about usage that costs money.
  if (!options.keepSettings) {
    await setSettingByKey(deps.db, 'trial.passwordlessDays', '0', clock.now());
    // So that users who were activated by one card can pay each other.
    await setSettingByKey(deps.db, 'accounts.activationTransferable', 'true', clock.now());
  }
  const world: TestWorld = {
    deps,
    origin: deps.address.origin,
    keepsNodes: options.keepsNodes ?? true,
    mails,
    client: (token) => clientOf(deps.address.origin, token),
    giftCard: async (usdCents = 500) => (await issueGiftCards(deps, { count: 1, usdCents })).codes[0] as string,
    user: (options = {}) => signUp(world, options),
    async proveLedger(since) {
      const { violations } = await checkLedger(deps.db, { since: since ?? new Date(0) });
      // Without `since` also the other form of each query, over everything: both kinds must agree.
      if (!since) violations.push(...(await checkLedger(deps.db)).violations);
      if (violations.length > 0) throw new Error(`broken: ${JSON.stringify(violations, bigints, 1)}`);
    },
    async close() {
      await app.close();
      await deps.close();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return world;
}

function clientOf(origin: string, token?: string) {
  return createClient(publicEndpoints, {
    baseUrl: origin + API_BASE,
    timeoutMs: 30_000,
    headers: (): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {}),
  });
}

let people = 0;

async function signUp(world: TestWorld, options: { email?: string; usdCents?: number }): Promise<TestUser> {
  people += 1;
  const email = options.email ?? `user${people}@mail.example`;
  const anonymous = world.client();
  await anonymous.sendVerificationCode({ body: { email } });
  const verificationCode = await codeFor(world, email);
  const { token, user } = await anonymous.completeRegistration({
    body: { email, fullName: 'نیلوفر آزمون', verificationCode },
  });
  const api = world.client(token);
  if (options.usdCents !== 0)
    await api.activateAccount({ body: { giftCardCode: await world.giftCard(options.usdCents ?? 500) } });
  return { id: user.id, email, token, api };
}

/** Gives a user who signed in by code the password of these tests, and returns the user. */
export async function withPassword(user: TestUser): Promise<TestUser> {
  await user.api.changePassword({ body: { password: PASSWORD, password_confirmation: PASSWORD } });
  return user;
}

/** The code of the newest email to an address, once it has arrived. */
export async function codeFor(world: Pick<TestWorld, 'mails'>, email: string, count = 1): Promise<string> {
  const mail = await eventually(() => {
    const mine = world.mails.filter((candidate) => candidate.to === email && CODE.test(candidate.text));
    return mine.length >= count ? mine.at(-1) : undefined;
  });
  return CODE.exec(mail.text)?.[0] as string;
}

const CODE = /^\d{6,8}$/m;

/** The newest text message to a number, once there are `count`; the simulator keeps them as files. */
export async function textTo(world: Pick<TestWorld, 'deps'>, phone: string, count = 1): Promise<string> {
  const directory = join(world.deps.config.dataDir, 'outbox');
  return await eventually(() => {
    const files = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.sms')) : [];
    const texts = files.sort().map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')));
    const mine = texts.filter(({ to }: { to: string }) => to === phone);
    return mine.length >= count ? (mine.at(-1).text as string) : undefined;
  });
}

/** Waits until something is there; a deadline, not a measure of speed. */
export async function eventually<T>(
  look: () => T | undefined | Promise<T | undefined>,
  timeoutMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false && found !== null) return found;
    if (performance.now() > deadline) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
