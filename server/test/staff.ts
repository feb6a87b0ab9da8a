import { randomUUID } from 'node:crypto';
import type { StaffRole } from '@raha/contract/admin/roles.ts';
import type { AssertionOptions, RegistrationOptions } from '@raha/contract/public/factors.ts';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { hashToken } from '../src/modules/sessions/tokens.ts';
import { addMember } from '../src/modules/staff/add-member.ts';
import { addSeconds } from '../src/platform/clock.ts';
import { newSecret } from '../src/platform/random.ts';
import { BrowserClient } from './browser-client.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';
import { actor, codeFor, type TestWorld } from './world.ts';

/** A browser at the console: every change carries its header. */
export function consoleBrowser(world: Pick<TestWorld, 'origin'>): BrowserClient {
  return new BrowserClient(world, { 'x-raha-console': '1' });
}

export interface Colleague {
  readonly userId: string;
  readonly email: string;
  readonly browser: BrowserClient;
  readonly device: SoftwareAuthenticator;
  readonly recoveryCodes: readonly string[];
}

let count = 0;

/** A new member, signed in to the console with a passkey just set up. */
export async function openColleague(world: TestWorld, role: StaffRole): Promise<Colleague> {
  count += 1;
  const email = `colleague${count}@staff.example`;
  const { userId } = await addMember(world.deps, { actor, email, role });
  const browser = consoleBrowser(world);
  await enterMailedCode(world, browser, email);
  const device = new SoftwareAuthenticator(world.origin);
  const added = await addFirstPasskey(browser, device);
  expect(added.status).toBe(201);
  const { recovery_codes } = added.body.data as { recovery_codes: string[] };
  return { userId, email, browser, device, recoveryCodes: recovery_codes };
}

/** The cookie of a new session, as if this member had signed in and shown a factor then. */
export async function openStaffSession(
  { deps }: TestWorld,
  userId: string,
  provedAt = deps.clock.now(),
): Promise<string> {
  const token = newSecret();
  const now = deps.clock.now();
  await sql`
    INSERT INTO staff_session (id, token_hash, user_id, created_at, last_used_at, proved_at, expires_at)
    VALUES (${randomUUID()}, ${hashToken(token)}, ${userId}, ${now}, ${now}, ${provedAt}, ${addSeconds(now, 600)})
  `.execute(deps.db);
  return `staff_session=${token}`;
}

/** The first half of a sign-in: the mailed code. */
export async function enterMailedCode(world: TestWorld, browser: BrowserClient, email: string) {
  const code = await codeAfter(world, email, async () => {
    expect(await browser.post('/admin/sign-in/code', { email })).toMatchObject({ status: 200 });
  });
  return await browser.post('/admin/sign-in', { email, code });
}

/** The code that a call mails. */
export async function codeAfter(world: TestWorld, email: string, call: () => Promise<unknown>): Promise<string> {
  const before = world.mails.filter(({ to, text }) => to === email && /^\d{6,8}$/m.test(text)).length;
  await call();
  return await codeFor(world, email, before + 1);
}

export async function addFirstPasskey(browser: BrowserClient, device: SoftwareAuthenticator) {
  const started = await browser.post('/admin/sign-in/first-passkey/options', undefined);
  if (started.status !== 200) return started;
  const { options } = started.body.data as { options: RegistrationOptions };
  return await browser.post('/admin/sign-in/first-passkey', { name: 'گوشی', credential: device.create(options) });
}

/** Of `path`, which answers with options of a passkey, the signature. */
export async function signatureFor(browser: BrowserClient, device: SoftwareAuthenticator, path: string) {
  const { body } = await browser.post(path, undefined);
  return device.get((body.data as { options: AssertionOptions }).options);
}

/** Signs with a passkey for `path`, whose options stand at `from`. */
export async function signFor(browser: BrowserClient, device: SoftwareAuthenticator, from: string, path: string) {
  return await browser.post(path, { credential: await signatureFor(browser, device, from) });
}
