import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../e2e/world/processes.ts';
import { apiClient, type TestUser } from '../e2e/world/user.ts';
import { buildApp } from '../server/src/app/build-app.ts';
import { checkLedger } from '../server/src/app/check-ledger.ts';
import { migrate } from '../server/src/app/migrate.ts';
import { openDeps } from '../server/src/app/open-deps.ts';
import { issueGiftCards } from '../server/src/modules/gift-cards/issue-cards.ts';
import { house } from '../server/src/modules/ledger/house.ts';
import { postTransfer } from '../server/src/modules/ledger/post-transfer.ts';
import { getUserAccounts } from '../server/src/modules/ledger/user-accounts.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { sendEmail } from '../server/src/platform/email.ts';
import { createLog } from '../server/src/platform/log.ts';
import { newId } from '../server/src/platform/random.ts';
import { CLIENTS } from './pgbench.ts';
import { type Figure, medianFigure, rateOf, ratioFigure, type Say } from './run.ts';
import { median, percentile } from './statistics.ts';
import { freshDatabase } from './transfers.ts';

const ROUNDS = 5;
const SECONDS = 4;
const RACES = 40;
const RACERS = 100;

export const MASTER_KEY = 'a master key for the bench, of no other use';

export type Product = Awaited<ReturnType<typeof openProduct>>;

/**
 * (e) Charge → credited: the charge, the payer at the test bank and the verification, all over HTTP, with the banks' own
 * records in the same database; alternating with the bare ledger transfer that credits. Also a gift card that a hundred
 * requests redeem at once.
 */
export async function measureCharges(clusterUrl: string, say: Say): Promise<Figure[]> {
  const product = await openProduct(await freshDatabase(clusterUrl, 'bench_charges'));
  try {
    const people = await Promise.all(Array.from({ length: 2 * CLIENTS }, (_, index) => signUp(product, index)));
    const charges = await measureCharging(product, people, say);
    const races = await measureRaces(product, people, say);
    const { violations } = await checkLedger(product.deps.db);
    if (violations.length > 0) throw new Error(`The ledger does not hold after the run: ${violations[0]?.invariant}`);
    return [...charges, ...races];
  } finally {
    await product.close();
  }
}

async function measureCharging(product: Product, people: readonly TestUser[], say: Say): Promise<Figure[]> {
  const times: number[] = [];
  for (let warm = 0; warm < 20; warm += 1) await chargeOnce(people[warm % CLIENTS] as TestUser);
  for (let count = 0; count < 200; count += 1) {
    const begin = performance.now();
    await chargeOnce(people[count % CLIENTS] as TestUser);
    times.push(performance.now() - begin);
  }
  const runs = { bare: [] as number[], charges: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    runs.bare.push(await rateOf(CLIENTS, SECONDS, (client) => creditOnly(product, people[client] as TestUser)));
    runs.charges.push(await rateOf(CLIENTS, SECONDS, (client) => chargeOnce(people[client] as TestUser)));
    const [bare, charges] = [runs.bare, runs.charges].map((values) => values.at(-1)?.toFixed(0));
    say(`  round ${round + 1}: bare transfers ${bare}/s, charges credited ${charges}/s`);
  }
  return [
    { part: 'e', what: 'charge → paid → credited, p50', value: median(times), unit: 'ms', runs: times },
    { part: 'e', what: 'charge → paid → credited, p99', value: percentile(times, 99), unit: 'ms' },
    medianFigure('e', 'bare ledger transfers', 'tx/s', runs.bare),
    medianFigure('e', 'charges credited, three HTTP calls each', 'charges/s', runs.charges),
    ratioFigure('e', 'charges credited to bare transfers', runs.charges, runs.bare, { atLeast: 0.03 }),
  ];
}

async function measureRaces(product: Product, people: readonly TestUser[], say: Say): Promise<Figure[]> {
  const times: number[] = [];
  let wins = 0;
  for (let race = 0; race < RACES; race += 1) {
    const { codes } = await issueGiftCards(product.deps, { count: 1, usdCents: 100 });
    const body = { gift_card_code: codes?.[0] as string };
    const begin = performance.now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: RACERS }, (_, index) =>
        (people[index % people.length] as TestUser).api.processGiftCard({ body }),
      ),
    );
    times.push(performance.now() - begin);
    wins += outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
    // Failed attempts are counted per user; the next race starts from zero.
    await product.forgetTries();
  }
  if (wins !== RACES) throw new Error(`${wins} wins in ${RACES} races`);
  say(`  ${RACES} races of ${RACERS} requests for one card: one winner each, median ${median(times).toFixed(0)} ms`);
  return [
    { part: 'e', what: `one card, ${RACERS} requests at once: all answered, p50`, value: median(times), unit: 'ms' },
    { part: 'e', what: 'winners per race', value: wins / RACES, unit: '', aim: { atMost: 1 } },
  ];
}

async function chargeOnce({ api }: TestUser): Promise<number> {
  const charge = await api.chargeWallet({ body: { amount: 10_000, payment_method: 'zarinpal' } });
  await fetch(`${charge.payment_url}/pay`, { method: 'POST', redirect: 'manual' });
  await api.verifyCharge({ body: { transaction_id: charge.transaction_id } });
  return 1;
}

async function creditOnly({ deps }: Product, { user }: TestUser): Promise<number> {
  const { walletId } = await getUserAccounts(deps.db, user.id);
  const movements = [
    { accountId: house.adjustment, amountToman: -10_000n },
    { accountId: walletId, amountToman: 10_000n },
  ];
  const now = systemClock.now();
  const cause = { kind: 'adjustment', sourceType: 'bench', sourceId: newId(now), purpose: 'bench' } as const;
  await postTransfer(deps.db, { ...cause, movements }, now);
  return 1;
}

/** The server in this process with its own database; only email delivery is replaced. */
export async function openProduct(databaseUrl: string) {
  await migrate(databaseUrl);
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-bench-charges-'));
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: dataDir,
    LOCAL_NODE: 'off',
    USD_RATE_TOMAN: '100000',
  });
  const codes = new Map<string, string>();
  const deps = await openDeps({
    config,
    databaseUrl,
    masterKey: MASTER_KEY,
    log: createLog('silent'),
    worker: true,
    overrides: {
      // A hundred charges a second come from a few users; the limit per user and minute is not what is measured.
      minuteLimit: { take: () => undefined },
      mailer: { send: async (mail) => void codes.set(mail.to, /^\d{6}$/m.exec(mail.text)?.[0] ?? '') },
    },
  });
  const { app } = await buildApp(deps);
  deps.address.origin = await app.listen({ host: '127.0.0.1', port: 0 });
  await deps.jobs.work(sendEmail, (mail) => deps.mailer.send(mail));
  const { sql } = await import('kysely');
  return {
    deps,
    codes,
    forgetTries: () => sql`DELETE FROM failed_redemption`.execute(deps.db),
    async close() {
      await app.close();
      await deps.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function signUp({ deps, codes }: Product, index: number): Promise<TestUser> {
  const email = `bench${index}@mail.example`;
  const session = { token: '' };
  const api = apiClient(deps.address.origin, () => session.token);
  await api.sendVerificationCode({ body: { email } });
  const verificationCode = await until('the code', async () => codes.get(email));
  const { token, user } = await api.completeRegistration({ body: { email, fullName: 'سنجش', verificationCode } });
  session.token = token;
  const card = await issueGiftCards(deps, { count: 1, usdCents: 100 });
  await api.activateAccount({ body: { giftCardCode: card.codes?.[0] as string } });
  return { email, api, user, token: () => session.token };
}
