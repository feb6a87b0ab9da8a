import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { adjust, makeUser, walletOf } from '../money/bench.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestUser, type TestWorld, withPassword } from '../world.ts';

/** Audit S9: a stolen session moves no money to a stranger and no large sum, and the owner hears of every transfer. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const proof = { password: PASSWORD };
const needed = { code: 'confirmation_needed', status: 403 };
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

async function pair(): Promise<{ user: TestUser; friend: TestUser }> {
  const user = await withPassword(await world.user({ usdCents: 2_000 }));
  return { user, friend: await world.user({ usdCents: 0 }) };
}

test('the first transfer to a user needs the password; the next ones do not', async () => {
  const { user, friend } = await pair();
  const body = { to: friend.email, amount: 20_000 };
  await expect(user.api.transferMoney({ body })).rejects.toMatchObject(needed);
  await expect(user.api.transferMoney({ body: { ...body, password: 'Wr0ng!password-1' } })).rejects.toMatchObject({
    code: 'password_wrong',
  });
  expect(await walletOf(world, user.id)).toBe(1_600_000);
  await user.api.transferMoney({ body: { ...body, ...proof } });
  await user.api.transferMoney({ body });
  expect(await walletOf(world, user.id)).toBe(1_560_000);
  expect(await walletOf(world, friend.id)).toBe(40_000);
});

test('from 200,000 toman a day on every transfer needs it, in one sum or in many; the operator sets the limit', async () => {
  const { user, friend } = await pair();
  const send = (amount: number, more = {}) => user.api.transferMoney({ body: { to: friend.email, amount, ...more } });
  await send(1_000, proof);
  await expect(send(199_000)).rejects.toMatchObject(needed);
  await send(198_999);
  await expect(send(1_000)).rejects.toMatchObject(needed);
  clock.advance(86_400_001);
  const later = await world.client().login({ body: { email: user.email, password: PASSWORD } });
  const api = world.client(later.token ?? '');
  await api.transferMoney({ body: { to: friend.email, amount: 150_000 } });
  await setSettingByKey(world.deps.db, 'wallet.transferProofFrom', '500000', clock.now());
  try {
    await api.transferMoney({ body: { to: friend.email, amount: 300_000 } });
  } finally {
    await setSettingByKey(world.deps.db, 'wallet.transferProofFrom', '200000', clock.now());
  }
});

test('a user without a password confirms by a code, which works once', async () => {
  const [user, friend] = [await world.user(), await world.user({ usdCents: 0 })];
  clock.advance(120_000);
  await user.api.sendConfirmation();
  const code = await codeFor(world, user.email, 2);
  const body = { to: friend.email, amount: 20_000 };
  await expect(user.api.transferMoney({ body: { ...body, ...proof } })).rejects.toMatchObject(needed);
  await user.api.transferMoney({ body: { ...body, code } });
  const again = { to: friend.email, amount: 250_000, code };
  await expect(user.api.transferMoney({ body: again })).rejects.toMatchObject({ code: 'code_invalid' });
  expect(await walletOf(world, user.id)).toBe(380_000);
});

test('the key of a refused transfer serves for the same transfer with the proof, which moves money once', async () => {
  const { user, friend } = await pair();
  const body = { to: friend.email, amount: 20_000 };
  const key = { headers: { 'Idempotency-Key': 'one transfer' } };
  await expect(user.api.transferMoney({ body }, key)).rejects.toMatchObject(needed);
  const first = await user.api.transferMoney({ body: { ...body, ...proof } }, key);
  const repeated = await Promise.all([
    user.api.transferMoney({ body: { ...body, ...proof } }, key),
    user.api.transferMoney({ body }, key),
  ]);
  for (const { data } of repeated) expect(data.transaction_id).toBe(first.data.transaction_id);
  expect(await walletOf(world, user.id)).toBe(1_580_000);
  await expect(user.api.transferMoney({ body: { ...body, amount: 21_000, ...proof } }, key)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
});

test('the sender gets a notification and a mail about each transfer', async () => {
  const { user, friend } = await pair();
  clock.advance(1_000);
  await user.api.transferMoney({ body: { to: friend.email, amount: 20_000, ...proof } });
  const { data } = await user.api.listNotifications();
  expect(data.notifications[0]).toMatchObject({ kind: 'transfer_sent', type: 'warning' });
  expect(data.notifications[0]?.message).toContain('۲۰٬۰۰۰ تومان');
  const mail = await eventually(() =>
    world.mails.find(({ to, text }) => to === user.email && text.includes('۲۰٬۰۰۰ تومان')),
  );
  // Enough of the recipient for the sender to recognise.
  expect(mail.text).toContain(`${friend.email.slice(0, 2)}…@mail.example`);
  expect(mail.text).not.toContain(friend.email);
});

test('whatever is sent at once, without proof less than the limit leaves the wallet in a day', async () => {
  const amounts = fc.array(fc.integer({ min: 1_000, max: 199_999 }), { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(amounts, async (list) => {
      const [from, to] = [await makeUser(world), await makeUser(world)];
      await adjust(world, from.id, 2_000_000);
      const request = { fromUserId: from.id, toEmail: to.email };
      await transferMoney(world.deps, { ...request, amountToman: 1_000, confirmOwner: async () => undefined });
      const outcomes = await Promise.allSettled(
        list.map((amountToman) => transferMoney(world.deps, { ...request, amountToman })),
      );
      const moved = list.reduce((sum, amount, at) => sum + (outcomes[at]?.status === 'fulfilled' ? amount : 0), 1_000);
      expect(moved).toBeLessThan(200_000);
      expect(await walletOf(world, to.id)).toBe(moved);
      expect(await walletOf(world, from.id)).toBe(2_000_000 - moved);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'confirmation_needed' });
    }),
    { numRuns: 25 },
  );
});
