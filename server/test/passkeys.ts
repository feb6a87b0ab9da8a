import type { AssertionOptions, PasskeyAssertion, PasskeyRegistration } from '@raha/contract/public/factors.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { expect } from 'vitest';
import { BrowserClient } from './browser-client.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';
import { PASSWORD, type TestUser, type TestWorld, withPassword } from './world.ts';

/** A passkey of a user with the password of these tests, just added. */
export async function addPasskey(
  world: TestWorld,
  { api }: Pick<TestUser, 'api'>,
  options: { counter?: number; name?: string } = {},
): Promise<{ id: string; device: SoftwareAuthenticator }> {
  const device = new SoftwareAuthenticator(world.origin, options);
  const { data } = await api.startPasskey({ body: { password: PASSWORD } });
  const body = { name: options.name ?? 'گوشی', credential: device.create(data.options) };
  return { id: (await api.addPasskey({ body })).data.passkey.id, device };
}

/** Marks a passkey as second step; the recovery codes of the account, if it got its first ones. */
export async function markSecondStep({ api }: Pick<TestUser, 'api'>, id: string): Promise<string[]> {
  const body = { enabled: true, password: PASSWORD };
  return (await api.setPasskeySecondStep({ params: { id }, body })).data.recovery_codes ?? [];
}

/** Any passkey of the user. */
export async function passkeyOf(world: TestWorld, owner: TestUser): Promise<string> {
  return (await owner.api.listFactors()).data.passkeys[0]?.id ?? (await addPasskey(world, owner)).id;
}

/** A passkey created with options that the server never gave. */
export function strayRegistration(world: TestWorld): PasskeyRegistration {
  return new SoftwareAuthenticator(world.origin).create({
    challenge: 'x'.repeat(43),
    rp: { id: 'localhost', name: 'x' },
    user: { id: 'x', name: 'x', displayName: 'x' },
    pubKeyCredParams: [],
    timeout: 1,
    attestation: 'none',
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  });
}

/** The signature with which a new user signs in by passkey. */
export async function enrolledPasskey(world: TestWorld, email: string): Promise<PasskeyAssertion> {
  const { device } = await addPasskey(world, await withPassword(await world.user({ email })));
  return device.get((await world.client().startPasskeySignIn()).data.options);
}

/** A new user whose password was right and who still owes the second step. */
export async function halfSignedIn(world: TestWorld, email: string): Promise<{ cookie: string; recoveryCode: string }> {
  const user = await withPassword(await world.user({ email }));
  const [recoveryCode = ''] = await markSecondStep(user, (await addPasskey(world, user)).id);
  const { headers } = await fetch(`${world.origin}${API_BASE}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const cookie = headers.getSetCookie().find((line) => line.startsWith('second_step=')) ?? '';
  return { cookie: cookie.split(';')[0] ?? '', recoveryCode };
}

/** A browser in which the password was right and the second step is due. */
export async function givePassword(
  world: TestWorld,
  { email }: Pick<TestUser, 'email'>,
  browser = new BrowserClient(world),
): Promise<BrowserClient> {
  const answer = await browser.post('/auth/login', { email, password: PASSWORD });
  expect(answer).toMatchObject({ status: 403, body: { code: 'second_step_required' } });
  return browser;
}

export async function complete(browser: BrowserClient, body: object): ReturnType<BrowserClient['post']> {
  return await browser.post('/auth/second-step', body);
}

export async function optionsOf(browser: BrowserClient, path: string): Promise<AssertionOptions> {
  return ((await browser.post(path, undefined)).body.data as { options: AssertionOptions }).options;
}
