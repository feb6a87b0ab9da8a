import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../src/modules/payments/gateway.ts';
import { paymentsWork } from '../../src/modules/payments/work.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { charge, makeUser, payer, walletOf } from '../money/bench.ts';
import { eventually, openTestWorld, type TestWorld } from '../world.ts';

/** A bank that accepts connections and never answers costs the customers of other banks nothing. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const HANGING = 45;
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

test('payments of a bank that hangs are due: every schedule runs once, and another bank’s payment is credited', async () => {
  const [{ id: userId }, { id: other }] = [await makeUser(world), await makeUser(world)];
  for (let count = 0; count < HANGING; count += 1) await charge(world, userId, 'zarinpal', 20_000);
  const paid = await charge(world, other, 'nextpay', 30_000);
  await payer(world, paid, 'PAID');
  clock.advance(16_000);
  const { bank, release, waiting } = hangingBank(world.deps.gateways.get('zarinpal') as Gateway);
  const deps = { ...world.deps, gateways: new Map([...world.deps.gateways, ['zarinpal', bank]] as const) };
  const rounds = (paymentsWork.schedules ?? []).map((schedule) => schedule.run(deps));
  try {
    await eventually(async () => (await walletOf(world, other)) === 30_000 || undefined);
    // The silent bank's own payments are checked several at a time, and the bank is not flooded.
    await eventually(() => waiting() === 20 || undefined);
  } finally {
    release();
    await Promise.all(rounds);
  }
  const { rows } = await sql<{ state: string; count: number }>`
    SELECT state, count(*)::integer AS count FROM payment WHERE user_id = ${userId} GROUP BY state
  `.execute(world.deps.db);
  expect(rows).toEqual([{ state: 'redirected', count: HANGING }]);
  await world.proveLedger();
});

function hangingBank(real: Gateway) {
  let release = () => {};
  let asked = 0;
  const silence = new Promise<void>((resolve) => (release = resolve));
  const bank: Gateway = {
    ...real,
    async verify() {
      asked += 1;
      await silence;
      return { kind: 'unknown', reason: 'TimeoutError' };
    },
    async listUnverified() {
      await silence;
      return [];
    },
  };
  return { bank, release: () => release(), waiting: () => asked };
}
