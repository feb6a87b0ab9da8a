import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualClock } from '../../src/platform/clock.ts';
import { BrowserClient } from '../browser-client.ts';
import { addPasskey, complete, givePassword, markSecondStep, optionsOf } from '../passkeys.ts';
import { SoftwareAuthenticator } from '../software-authenticator.ts';
import { openTestWorld, PASSWORD, type TestWorld, withPassword } from '../world.ts';

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

const owner = async () => await withPassword(await world.user({ usdCents: 0 }));

test('a passkey signs in alone, without password, code or second step', async () => {
  const user = await owner();
  const { id, device } = await addPasskey(world, user);
  await markSecondStep(user, id);
  const browser = new BrowserClient(world);
  const options = await optionsOf(browser, '/auth/passkey/options');
  expect(options).toMatchObject({ rpId: 'localhost', allowCredentials: [], userVerification: 'required' });
  const answer = await browser.post('/auth/passkey', { credential: device.get(options) });
  expect(answer).toMatchObject({ status: 200, body: { user: { email: user.email } } });
  const { data } = await user.api.listSessions();
  expect(data.sessions.map(({ method }) => method)).toContain('passkey');
  expect((await user.api.listFactors()).data.passkeys[0]?.last_used_at).not.toBeNull();
});

test('a passkey is refused with a used, foreign, old or invented challenge', async () => {
  const user = await owner();
  const { device } = await addPasskey(world, user);
  const browser = new BrowserClient(world);
  const enter = (credential: object) => browser.post('/auth/passkey', { credential });
  const fresh = () => optionsOf(browser, '/auth/passkey/options');
  const used = device.get(await fresh());
  expect(await enter(used)).toMatchObject({ status: 200 });
  const foreign = device.get(await optionsOf(new BrowserClient(world), '/auth/passkey/options'));
  const invented = device.get(await fresh(), { challenge: 'x'.repeat(43) });
  for (const credential of [used, foreign, invented]) {
    expect((await enter(credential)).body).toMatchObject({ code: 'passkey_refused' });
  }
  const old = device.get(await fresh());
  clock.advance(301_000);
  expect((await enter(old)).body).toMatchObject({ code: 'passkey_refused' });
});

test('a passkey is refused from another origin, for another user, or without user verification', async () => {
  const [user, other] = [await owner(), await owner()];
  const { device } = await addPasskey(world, user);
  const browser = new BrowserClient(world);
  const enter = async (more: Parameters<typeof device.get>[1] = {}) => {
    const credential = device.get(await optionsOf(browser, '/auth/passkey/options'), more);
    return (await browser.post('/auth/passkey', { credential })).body;
  };
  expect(await enter({ origin: 'https://raha.example' })).toMatchObject({ code: 'passkey_refused' });
  const userHandle = Buffer.from(other.id).toString('base64url');
  expect(await enter({ userHandle })).toMatchObject({ code: 'passkey_refused' });
  device.verifiesUser = false;
  expect(await enter()).toMatchObject({ code: 'passkey_refused' });
  device.verifiesUser = true;
  expect(await enter()).toMatchObject({ success: true });
});

test('a passkey is refused when its counter went back: somebody copied the key', async () => {
  const user = await owner();
  const { device } = await addPasskey(world, user, { counter: 10 });
  const browser = new BrowserClient(world);
  const enter = async () => {
    const credential = device.get(await optionsOf(browser, '/auth/passkey/options'));
    return (await browser.post('/auth/passkey', { credential })).body;
  };
  expect(await enter()).toMatchObject({ success: true });
  device.counter = 5;
  expect(await enter()).toMatchObject({ code: 'passkey_refused' });
  device.counter = 20;
  expect(await enter()).toMatchObject({ success: true });
});

test('a passkey without a counter works as often as it likes', async () => {
  const user = await owner();
  const { device } = await addPasskey(world, user, { counter: 0 });
  for (let time = 1; time <= 2; time += 1) {
    const browser = new BrowserClient(world);
    const credential = device.get(await optionsOf(browser, '/auth/passkey/options'));
    expect(await browser.post('/auth/passkey', { credential })).toMatchObject({ status: 200 });
  }
});

test('a passkey is not created with another user’s challenge, and not in another session of the same user', async () => {
  const [user, other] = [await owner(), await owner()];
  const { data } = await other.api.startPasskey({ body: { password: PASSWORD } });
  const device = new SoftwareAuthenticator(world.origin);
  const body = { name: 'گوشی', credential: device.create(data.options) };
  await expect(user.api.addPasskey({ body })).rejects.toMatchObject({ code: 'passkey_refused' });
  const { token } = await world.client().login({ body: { email: other.email, password: PASSWORD } });
  const second = world.client(token as string).addPasskey({ body });
  await expect(second).rejects.toMatchObject({ code: 'passkey_refused' });
  expect((await other.api.addPasskey({ body })).data.passkey.name).toBe('گوشی');
});

test('a passkey of another user does not complete a second step', async () => {
  const [user, other] = [await owner(), await owner()];
  await markSecondStep(user, (await addPasskey(world, user)).id);
  const { device } = await addPasskey(world, other);
  const browser = await givePassword(world, user);
  const credential = device.get(await optionsOf(browser, '/auth/second-step/passkey'));
  expect((await complete(browser, { credential })).body).toMatchObject({ code: 'passkey_refused' });
});

test('an account has at most ten, and one key only once', async () => {
  const user = await owner();
  const { data } = await user.api.startPasskey({ body: { password: PASSWORD } });
  const device = new SoftwareAuthenticator(world.origin);
  await user.api.addPasskey({ body: { name: '۱', credential: device.create(data.options) } });
  const again = await user.api.startPasskey({ body: { password: PASSWORD } });
  expect(again.data.options.excludeCredentials).toHaveLength(1);
  const twice = user.api.addPasskey({ body: { name: '۲', credential: device.create(again.data.options) } });
  await expect(twice).rejects.toMatchObject({ code: 'passkey_taken' });
  for (let made = 2; made <= 10; made += 1) await addPasskey(world, user);
  const eleventh = user.api.startPasskey({ body: { password: PASSWORD } });
  await expect(eleventh).rejects.toMatchObject({ code: 'passkey_limit' });
});
