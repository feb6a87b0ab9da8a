import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { NODE_BASE } from '@raha/contract/node/protocol.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { consoleBrowser, openColleague } from '../staff.ts';
import { eventually, openTestWorld, PASSWORD, type TestWorld, withPassword } from '../world.ts';

interface Line {
  readonly security?: string;
  readonly call?: string;
  readonly code?: string;
  readonly user?: string;
}

const lines: string[] = [];
let world: TestWorld;

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(...chunk.toString().trim().split('\n'));
      done();
    },
  });
  world = await openTestWorld({ log: createLog('info', destination) });
});
afterAll(() => world.close());

const events = () => lines.map((line) => JSON.parse(line) as Line).filter(({ security }) => security !== undefined);
const expectEvent = async (wanted: Line) =>
  await eventually(() =>
    events().find((line) => Object.entries(wanted).every(([key, value]) => line[key as keyof Line] === value)),
  );

describe('the security log', () => {
  test('has the console, too: factors set up, wrong codes, and what a role may not do', async () => {
    const { userId, email, browser } = await openColleague(world, 'support');
    await expectEvent({ security: 'factor-changed', call: 'addFirstPasskey', user: userId });
    await consoleBrowser(world).post('/admin/sign-in', { email, code: '123456' });
    await expectEvent({ security: 'sign-in-refused', call: 'enterStaffCode', code: 'code_invalid' });
    await browser.call('GET', '/admin/staff');
    await expectEvent({ security: 'access-refused', call: 'listStaff', code: 'forbidden', user: userId });
    await browser.post('/admin/sign-out', {});
    await expectEvent({ security: 'session-ended', call: 'signOutStaff', user: userId });
  });

  test('names sign-ins, wrong ones, throttles, wrong proofs, sessions, passwords and closed accounts, by user id', async () => {
    const user = await withPassword(await world.user());
    const { id } = user;
    await expectEvent({ security: 'signed-in', user: id });
    await expectEvent({ security: 'password-changed', call: 'changePassword', user: id });
    const guest = world.client();
    await guest.login({ body: { email: user.email, password: PASSWORD } });
    await expectEvent({ security: 'signed-in', call: 'login', user: id });
    for (let attempt = 0; attempt < 11; attempt += 1)
      await guest.login({ body: { email: user.email, password: 'Wrong-horse-7' } }).catch(() => undefined);
    await expectEvent({ security: 'sign-in-refused', call: 'login' });
    await expectEvent({ security: 'throttled', call: 'login', code: 'login_throttled' });
    await user.api.deactivateAccount({ body: { password: 'Wrong-horse-7' } }).catch(() => undefined);
    await expectEvent({ security: 'proof-refused', call: 'deactivateAccount', user: id });
    await user.api.endOtherSessions();
    await expectEvent({ security: 'session-ended', call: 'endOtherSessions', user: id });
    await user.api.deactivateAccount({ body: { password: PASSWORD } });
    await expectEvent({ security: 'account-closed', call: 'deactivateAccount', user: id });
    await user.api.getWallet().catch(() => undefined);
    const text = lines.join('\n');
    expect(text).not.toContain(user.email);
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain('127.0.0.1');
  });

  test('names what the caller may not do, objects of others, and nodes and stores without a signature', async () => {
    const { id, api } = await world.user({ usdCents: 0 });
    await api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } }).catch(() => undefined);
    await expectEvent({ security: 'access-refused', call: 'chargeWallet', code: 'activation_required', user: id });
    await api.endSession({ params: { id: randomUUID() } }).catch(() => undefined);
    await expectEvent({ security: 'access-refused', call: 'endSession', code: 'not_found', user: id });
    await fetch(`${world.origin}${NODE_BASE}/desired-state?after=0&epoch=${'0'.repeat(32)}&wait=0`);
    await expectEvent({ security: 'access-refused', code: 'node_unauthenticated' });
    await world
      .client('not a token')
      .me()
      .catch(() => undefined);
    expect(events().filter(({ code }) => code === 'unauthenticated')).toEqual([]);
  });

  test('names input that a call refuses, with the call and the user, and nothing of the input', async () => {
    const { id, token } = await world.user({ usdCents: 0 });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send = (body: string) => fetch(`${world.origin}${API_BASE}/user/settings`, { method: 'PUT', headers, body });
    await send('{"role":"canary-input"}');
    await expectEvent({ security: 'input-refused', call: 'updateSettings', code: 'invalid_input', user: id });
    await send('{"language":"canary-input');
    await expectEvent({ security: 'input-refused', call: 'updateSettings', code: 'malformed_body' });
    expect(lines.join('\n')).not.toContain('canary-input');
  });
});
