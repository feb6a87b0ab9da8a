import { afterAll, beforeAll, expect, test } from 'vitest';
import { house } from '../../src/modules/ledger/house.ts';
import { postTransfer } from '../../src/modules/ledger/post-transfer.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** A hundred simultaneous requests on the real PostgreSQL: one winner each. */
const MANY = 100;
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function codes(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(calls)) {
    const code =
      outcome.status === 'fulfilled' ? 'won' : ((outcome.reason as { code?: string }).code ?? String(outcome.reason));
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

test('T-G1 one paid payment, confirmed a hundred times: credited once, the same answer each time', async () => {
  const user = await world.user();
  const before = (await user.api.getWallet()).data.balance;
  const charge = await user.api.chargeWallet({ body: { amount: 70_000, payment_method: 'zarinpal' } });
  const returned = await fetch(`${charge.payment_url}/pay`, { method: 'POST', redirect: 'manual' });
  const back = returned.headers.get('location') as string;
  const calls = Array.from({ length: MANY }, (_, index) => {
    // 25 by the user: more than 30 a minute are refused while the bank has not answered.
    if (index % 4 === 0) return user.api.verifyCharge({ body: { transaction_id: charge.transaction_id } });
    if (index % 4 === 1) return fetch(back, { redirect: 'manual' });
    return confirmPayment(world.deps, charge.transaction_id);
  });
  expect(await codes(calls)).toEqual({ won: MANY });
  expect((await user.api.getWallet()).data.balance).toBe(before + 70_000);
  await world.proveLedger();
});

test('one balance, spent a hundred times: it is spent once and never below zero', async () => {
  const user = await world.user({ usdCents: 100 });
  const accounts = await getUserAccounts(world.deps.db, user.id);
  const spend = (index: number) =>
    postTransfer(
      world.deps.db,
      {
        kind: 'adjustment',
        sourceType: 'race',
        sourceId: `${user.id}-${index}`,
        purpose: 'spend',
        movements: [
          { accountId: accounts.walletId, amountToman: -80_000n },
          { accountId: house.adjustment, amountToman: 80_000n },
        ],
      },
      world.deps.clock.now(),
    );
  expect(await codes(Array.from({ length: MANY }, (_, index) => spend(index)))).toEqual({
    won: 1,
    insufficient_balance: MANY - 1,
  });
  expect((await getUserAccounts(world.deps.db, user.id)).walletToman).toBe(0n);
  expect(new Refusal('insufficient_balance').code).toBe('insufficient_balance');
});

test('one cause, booked a hundred times: one transfer', async () => {
  const user = await world.user({ usdCents: 100 });
  const accounts = await getUserAccounts(world.deps.db, user.id);
  const credit = () =>
    postTransfer(
      world.deps.db,
      {
        kind: 'adjustment',
        sourceType: 'race',
        sourceId: user.id,
        purpose: 'credit',
        movements: [
          { accountId: house.adjustment, amountToman: -5n },
          { accountId: accounts.walletId, amountToman: 5n },
        ],
      },
      world.deps.clock.now(),
    );
  const counts = await codes(Array.from({ length: MANY }, credit));
  expect(counts.won).toBe(1);
  expect((await getUserAccounts(world.deps.db, user.id)).walletToman).toBe(80_005n);
});

test('the last tunnel address of a node, requested by a hundred configs: one gets it', async () => {
  const node = await enrolFakeNode(world, { addressLimit: 1 });
  const people: TestUser[] = [];
  for (let index = 0; index < 10; index += 1) people.push(await world.user());
  const calls = Array.from({ length: MANY }, (_, index) => {
    const user = people[index % people.length] as TestUser;
    return user.api.createConfig({ body: { name: `c${index}`, serverId: node.id } });
  });
  expect(await codes(calls)).toEqual({ won: 1, server_full: MANY - 1 });
});

test('a hundred configs at once get a hundred different addresses', async () => {
  const node = await enrolFakeNode(world);
  const people: TestUser[] = [];
  for (let index = 0; index < 10; index += 1) people.push(await world.user());
  const calls = Array.from({ length: MANY }, (_, index) =>
    (people[index % people.length] as TestUser).api.createConfig({ body: { name: `c${index}`, serverId: node.id } }),
  );
  expect(await codes(calls)).toEqual({ won: MANY });
  await node.settle();
  const peers = [...node.peers.values()];
  expect(new Set(peers.map((peer) => peer.address4)).size).toBe(MANY);
  expect(new Set(peers.map((peer) => peer.address6)).size).toBe(MANY);
});

test('T-I1 one Idempotency-Key, sent twenty times at once: one effect, one answer; with another body it is refused', async () => {
  const user = await world.user();
  const card = await world.giftCard(100);
  const headers = { 'idempotency-key': 'one-and-the-same' };
  const before = (await user.api.getWallet()).data.balance;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => user.api.processGiftCard({ body: { gift_card_code: card } }, { headers })),
  );
  expect(new Set(answers.map((answer) => JSON.stringify({ ...answer.data, user: 0, balance: 0 }))).size).toBe(1);
  expect((await user.api.getWallet()).data.balance).toBe(before + 80_000);
  await expect(
    user.api.processGiftCard({ body: { gift_card_code: await world.giftCard(100) } }, { headers }),
  ).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 422 });
  const charges = await Promise.all(
    Array.from({ length: 20 }, () =>
      user.api.chargeWallet(
        { body: { amount: 60_000, payment_method: 'zarinpal' } },
        { headers: { 'idempotency-key': 'charge' } },
      ),
    ),
  );
  expect(new Set(charges.map((charge) => charge.transaction_id)).size).toBe(1);
});
