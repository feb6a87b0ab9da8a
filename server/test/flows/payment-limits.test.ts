import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../src/modules/payments/gateway.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Audit S10: a signed-in user cannot make us flood the banks, neither with new payments nor with questions. */
const { startsPerMinute, checksPerMinute, checksPerAccountPerMinute } = limits.payment;
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const refused = { code: 'too_many_requests', status: 429 };
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

const charge = (user: TestUser, key?: string) =>
  user.api.chargeWallet(
    { body: { amount: 30_000, payment_method: 'zarinpal' } },
    key ? { headers: { 'Idempotency-Key': key } } : {},
  );

async function paymentsOf({ id }: TestUser): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM payment WHERE user_id = ${id} AND gateway = 'zarinpal'
  `.execute(world.deps.db);
  return Number(rows[0]?.count);
}

test('of many charges at once, so many a minute are started; repeating one is no new one', async () => {
  const [user, other] = [await world.user(), await world.user()];
  const first = await charge(user, 'first');
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => charge(user)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(startsPerMinute - 1);
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(refused);
  expect(await paymentsOf(user)).toBe(startsPerMinute);
  await expect(user.api.createPayment({ body: { amount: 30_000, gateway: 'zarinpal' } })).rejects.toMatchObject(
    refused,
  );
  expect(await charge(user, 'first')).toEqual(first);
  await charge(other);
  clock.advance(60_000);
  await charge(user);
});

test('the bank is asked about a payment, and for an account, so many times a minute', async () => {
  const user = await world.user();
  const ids = [
    (await charge(user)).transaction_id,
    (await charge(user)).transaction_id,
    (await charge(user)).transaction_id,
  ];
  const real = world.deps.gateways.get('zarinpal') as Gateway;
  const verify = (id: string | undefined) => user.api.verifyCharge({ body: { transaction_id: id as string } });
  let asked = 0;
  (world.deps.gateways as Map<string, Gateway>).set('zarinpal', {
    ...real,
    name: 'zarinpal',
    verify: async () => {
      asked += 1;
      return { kind: 'unknown', reason: 'busy' };
    },
  });
  try {
    for (let times = 0; times < checksPerMinute; times++)
      await expect(verify(ids[0])).rejects.toMatchObject({ code: 'payment_pending' });
    expect(asked).toBeGreaterThan(0);
    const before = asked;
    await expect(verify(ids[0])).rejects.toMatchObject(refused);
    await expect(user.api.verifyPayment({ params: { id: ids[0] as string } })).rejects.toMatchObject(refused);
    expect(asked).toBe(before);
    for (let times = checksPerMinute; times < checksPerAccountPerMinute; times++)
      await expect(verify(ids[times % 2 ? 1 : 2])).rejects.toMatchObject({ code: 'payment_pending' });
    await expect(verify(ids[1])).rejects.toMatchObject(refused);
    clock.advance(60_000);
    await expect(verify(ids[0])).rejects.toMatchObject({ code: 'payment_pending' });
  } finally {
    (world.deps.gateways as Map<string, Gateway>).set('zarinpal', real);
  }
});

test('files that take work to write: so many a minute for an account, all kinds together', async () => {
  const [user, other] = [await world.user(), await world.user()];
  const half = limits.http.filesPerMinute / 2;
  for (let count = 0; count < half; count += 1) {
    await user.api.exportStatement();
    await user.api.exportAccount();
  }
  await expect(user.api.exportStatement()).rejects.toMatchObject(refused);
  await expect(user.api.exportAccount()).rejects.toMatchObject(refused);
  await other.api.exportStatement();
  clock.advance(60_000);
  await user.api.exportStatement();
});
