import { afterAll, beforeAll, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { codeFor, openTestWorld, type TestWorld } from '../world.ts';

/** The trial, and the operator's settings for it. */
// From the real time, because the node signs with it.
const clock = manualClock(new Date());
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld({ clock });
  node = await enrolFakeNode(world);
  await set('trial.passwordlessDays', '14');
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const set = (key: string, value: string) => setSettingByKey(world.deps.db, key, value, clock.now());

test('14 days after the profile of a sign-in by code, 7 after a registration with a password, or as the operator sets them', async () => {
  const byCode = (await (await world.user({ usdCents: 0 })).api.me()).user;
  expect(daysOf(byCode)).toBe(14);
  const body = { name: 'نیلوفر', password: 'Correct-horse-7', password_confirmation: 'Correct-horse-7' };
  const register = (email: string) => world.client().register({ body: { ...body, email } });
  expect(daysOf((await register('seven@mail.example')).user)).toBe(7);
  await set('trial.passwordDays', '3');
  expect(daysOf((await register('three@mail.example')).user)).toBe(3);
  await set('trial.passwordDays', '0');
  expect((await register('none@mail.example')).user.trialEndsAt).toBeNull();
});

function daysOf(user: { trialEndsAt: string | null; createdAt: string }): number {
  return (Date.parse(user.trialEndsAt ?? '') - Date.parse(user.createdAt)) / 86_400_000;
}

test('a trial alone gives no configs; if the operator allows it, they are free until it ends', async () => {
  const user = await world.user({ usdCents: 0 });
  const create = (name: string) => user.api.createConfig({ body: { name, serverId: node.id } });
  await expect(create('یک')).rejects.toMatchObject({ code: 'activation_required' });
  expect((await user.api.me()).user).toMatchObject({ isActivated: false, trialNeedsActivation: true });

  await set('trial.requiresActivation', 'false');
  expect((await user.api.me()).user).toMatchObject({ isActivated: false, trialNeedsActivation: false });
  const { data } = await create('یک');
  await node.settle();
  expect(node.limitOf(data.config.id)).toBeGreaterThan(0);
  await node.report([{ config: data.config.id, down: 1_000_000 }]);
  expect((await user.api.me()).user.balance).toBe(0);
  expect((await user.api.connectionStatus()).success).toBe(true);
  // Only activated accounts can receive money.
  await expect(user.api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } })).rejects.toMatchObject({
    code: 'activation_required',
  });

  clock.advance(14 * 86_400_000 + 1000);
  const late = await freshClient(user.email);
  await expect(late.listConfigs()).rejects.toMatchObject({ code: 'activation_required' });
  await late.activateAccount({ body: { giftCardCode: await world.giftCard() } });
  expect((await late.listConfigs()).data.configs).toHaveLength(1);
});

/** A new client, because the user's session has ended in the meantime. */
async function freshClient(email: string) {
  await world.client().sendVerificationCode({ body: { email } });
  const { token } = await world.client().verifyCode({ body: { email, code: await codeFor(world, email, 2) } });
  return world.client(token);
}
