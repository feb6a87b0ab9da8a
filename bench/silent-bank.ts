import { sql } from 'kysely';
import type { TestUser } from '../e2e/world/user.ts';
import { checkLedger } from '../server/src/app/check-ledger.ts';
import { startWork } from '../server/src/app/work.ts';
import { openProduct, type Product, signUp } from './charges.ts';
import { type Figure, medianFigure, type Say } from './run.ts';
import { freshDatabase } from './transfers.ts';

const HANGING = 1_000;
const PAYERS = 9;

/**
 * (i) A thousand payments of one bank are due and it answers none of them. Payers of another bank close the tab after they
 * paid: from the payment to the money in the wallet, with the product's own schedules, whose first check of a payment is 15 s
 * after its start.
 */
export async function measureSilentBank(clusterUrl: string, say: Say): Promise<Figure[]> {
  const product = await openProduct(await freshDatabase(clusterUrl, 'bench_silent_bank'));
  const { deps } = product;
  try {
    const people = await Promise.all(Array.from({ length: PAYERS + 1 }, (_, index) => signUp(product, index)));
    await addHangingPayments(product, people[PAYERS] as TestUser);
    deps.bankFaults.plan('zarinpal', 'verify', 'hang', 100_000);
    deps.bankFaults.plan('zarinpal', 'list', 'hang', 100_000);
    const work = await startWork(deps);
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    const times = await Promise.all(people.slice(0, PAYERS).map((user, index) => payAndLeave(product, user, index)));
    say(`  credited after ${times.map((ms) => (ms / 1_000).toFixed(1)).join(', ')} s`);
    deps.bankFaults.clear();
    await work.stop();
    const { violations } = await checkLedger(deps.db);
    if (violations.length > 0) throw new Error(`The ledger does not hold after the run: ${violations[0]?.invariant}`);
    const seconds = times.map((ms) => ms / 1_000);
    const figure = medianFigure('i', `paid → credited, ${HANGING} payments of another bank hang`, 's', seconds);
    return [{ ...figure, aim: { atMost: 20 } }];
  } finally {
    await product.close();
  }
}

async function addHangingPayments({ deps }: Product, { user }: TestUser): Promise<void> {
  await sql`
    INSERT INTO payment (id, user_id, gateway, amount_toman, state, gateway_reference, payment_url, next_check_at, created_at)
    SELECT gen_random_uuid(), ${user.id}, 'zarinpal', 20000, 'redirected', 'A' || lpad(n::text, 35, '0'), 'https://bank.example',
      now(), now()
    FROM generate_series(1, ${HANGING}) AS n
  `.execute(deps.db);
}

async function payAndLeave({ deps }: Product, { api, user }: TestUser, index: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, index * 700));
  const charge = await api.chargeWallet({ body: { amount: 30_000, payment_method: 'nextpay' } });
  await fetch(`${charge.payment_url}/pay`, { method: 'POST', redirect: 'manual' });
  const begin = performance.now();
  for (;;) {
    const { rows } = await sql<{ state: string }>`
      SELECT state FROM payment WHERE user_id = ${user.id} AND gateway = 'nextpay'
    `.execute(deps.db);
    if (rows[0]?.state === 'completed') return performance.now() - begin;
    if (performance.now() - begin > 300_000) throw new Error('the payment was not credited within five minutes');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
