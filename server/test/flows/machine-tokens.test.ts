import { rolePermissions, type StaffRole } from '@raha/contract/admin/roles.ts';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { scopeOf, type TokenScope, tokenScopes } from '@raha/contract/admin/tokens.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { createToken } from '../../src/modules/staff/tokens.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { createMinuteLimit } from '../../src/platform/minute-limit.ts';
import { dumpEverything, findCanaries } from '../canaries.ts';
import { openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';
import { sendCall, type WireRequest } from './every-request.ts';
import { type AdminCall, type StaffRequests, staffRequests } from './staff-requests.ts';
import { openStaffScene, type StaffScene } from './staff-scene.ts';

/** Tokens by which programs of the operator make calls of the console. */

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let scene: StaffScene;
let requests: StaffRequests;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: createMinuteLimit(clock) } });
  scene = await openStaffScene(world, ['super_admin', 'support']);
  requests = staffRequests(scene);
});
afterAll(() => world.close());

const memberOf = (role: StaffRole) => scene.colleagues.get(role)?.member.userId ?? '';
const make = (scopes: readonly TokenScope[], role: StaffRole = 'super_admin', days = 30) =>
  createToken(world.deps, { actor, userId: memberOf(role), name: 'a script', scopes, days });

const prepared = new Map<AdminCall, WireRequest>();
async function send(token: string, name: AdminCall): Promise<Response> {
  const { method, path } = adminEndpoints[name];
  // What is refused needs nothing to act on, and what is let in can be sent again.
  const request = prepared.get(name) ?? (await requests[name](undefined, 'no factor'));
  prepared.set(name, request);
  return await sendCall(world.origin, method, API_BASE + path, request, token);
}
async function statusOf(token: string, name: AdminCall): Promise<number> {
  const response = await send(token, name);
  await response.body?.cancel();
  return response.status;
}
const calls = Object.keys(adminEndpoints) as AdminCall[];

test('each scope opens the calls that read with it, and no token opens one that needs a proof or moves money', async () => {
  for (const scope of tokenScopes) {
    clock.advance(61_000);
    const { token } = await make([scope]);
    for (const [index, name] of calls.entries()) {
      // There are more calls than a token may make in a minute.
      if (index % 50 === 49) clock.advance(61_000);
      const endpoint = adminEndpoints[name];
      if (endpoint.caller !== 'staff') continue;
      const isOpen = scopeOf(endpoint) === scope;
      expect([scope, name, await statusOf(token, name)]).toEqual([scope, name, isOpen ? 200 : 403]);
      if (isOpen) expect([name, endpoint.proof]).toEqual([name, 'none']);
    }
  }
  const opened = calls.filter((name) => scopeOf(adminEndpoints[name]) !== undefined);
  const changing = opened.filter((name) => adminEndpoints[name].method !== 'GET');
  expect(changing.sort()).toEqual(['acknowledgeAlert', 'searchPeople', 'silenceAlert']);
});

test('it opens nothing of a session, of a sign-in, of the panel or of nodes', async () => {
  clock.advance(61_000);
  const { token } = await make([...tokenScopes]);
  for (const name of calls.filter((known) => adminEndpoints[known].caller === 'self'))
    expect([name, await statusOf(token, name)]).toEqual([name, 403]);
  for (const path of ['/auth/me', '/user/dashboard', '/node/v2/state']) {
    const response = await fetch(world.origin + API_BASE + path, { headers: { authorization: `Bearer ${token}` } });
    expect([path, response.status >= 400]).toEqual([path, true]);
  }
});

test('it never goes beyond its member, and ends with them, with its time, or when it is revoked', async () => {
  clock.advance(61_000);
  await expect(make(['payments.read'], 'support')).rejects.toMatchObject({ code: 'token_scopes' });
  const { token } = await make(['people.read', 'configs.read'], 'support');
  expect(await statusOf(token, 'getUserFacts')).toBe(200);
  await sql`UPDATE staff_member SET role = 'finance' WHERE user_id = ${memberOf('support')}`.execute(world.deps.db);
  const facts = (await (await send(token, 'getUserFacts')).json()) as { data: { configs: unknown } };
  expect(facts.data.configs).toBeNull();
  await disableMember(world.deps, { actor, userId: memberOf('support') });
  expect(await statusOf(token, 'getUserFacts')).toBe(401);

  const short = await make(['fleet.read'], 'super_admin', 1);
  expect(await statusOf(short.token, 'listLiveNodes')).toBe(200);
  clock.advance(86_400_000);
  expect(await statusOf(short.token, 'listLiveNodes')).toBe(401);
  for (const wrong of ['raha_', `${short.token}x`, `raha_${'A'.repeat(43)}`])
    expect([wrong, await statusOf(wrong, 'listLiveNodes')]).toEqual([wrong, 401]);
});

test('a scope shows only its part of an answer', async () => {
  clock.advance(61_000);
  const { token } = await make(['today.read', 'people.read']);
  const { data } = (await (await send(token, 'getToday')).json()) as { data: Record<string, unknown> };
  expect(data).toMatchObject({ money: null, ledger: null, nodes: null, alerts: [], counts: { payments: 0 } });
  const facts = (await (await send(token, 'getUserFacts')).json()) as { data: { configs: unknown } };
  expect(facts.data.configs).toBeNull();
});

test('is made and revoked in the console, shown once, and kept as a hash', async () => {
  const boss = await openColleague(world, 'super_admin');
  const body = { name: 'the books', scopes: ['payments.read'], days: 7 };
  const made = await boss.browser.post('/admin/tokens', body);
  expect(made.status).toBe(201);
  const { id, token } = made.body.data as { id: string; token: string };
  expect(token).toMatch(/^raha_[\w-]{43}$/);
  expect(await statusOf(token, 'listAllPayments')).toBe(200);
  const listed = await boss.browser.call('GET', '/admin/tokens');
  const lines = (listed.body.data as { tokens: Record<string, unknown>[] }).tokens;
  expect(lines.find((line) => line.id === id)).toMatchObject({
    ...{ name: 'the books', member: boss.email, scopes: ['payments.read'], revoked_at: null },
    last_used_at: clock.now().toISOString(),
  });
  expect(JSON.stringify(lines)).not.toContain(token);
  expect((await boss.browser.post(`/admin/tokens/${id}/revoke`, { reason: 'it leaked' })).status).toBe(200);
  expect(await statusOf(token, 'listAllPayments')).toBe(401);
  const again = await boss.browser.post(`/admin/tokens/${id}/revoke`, { reason: 'it leaked' });
  expect(again).toMatchObject({ status: 409, body: { code: 'token_over' } });
  for (const wrong of [
    { ...body, days: 367 },
    { ...body, scopes: [] },
    { ...body, scopes: ['wallet.adjust'] },
  ])
    expect((await boss.browser.post('/admin/tokens', wrong)).status).toBe(422);
  expect(findCanaries(await dumpEverything(world), [{ what: 'token', value: token }])).toEqual([]);
});

test('each call is in the audit once an hour by the token that made it, and what it changes each time', async () => {
  clock.advance(61_000);
  const { id, token } = await make(['alerts.read', 'alerts.act']);
  for (let n = 0; n < 2; n += 1) {
    expect(await statusOf(token, 'listAlerts')).toBe(200);
    expect(await statusOf(token, 'acknowledgeAlert')).toBe(200);
  }
  const member = { actor_kind: 'staff', actor: memberOf('super_admin') };
  const uses = await listEntries(world.deps.db, { target: { kind: 'token', id }, action: 'tokens.use' }, 10);
  expect(uses.map(({ details }) => details)).toEqual([
    { token: id, call: 'POST /admin/alerts/{id}/acknowledge' },
    { token: id, call: 'GET /admin/alerts' },
  ]);
  expect(uses[0]).toMatchObject(member);
  const acts = await listEntries(world.deps.db, { action: 'alerts.acknowledge' }, 2);
  for (const act of acts) expect(act).toMatchObject({ ...member, details: { token: id } });
  clock.advance(3_600_000);
  expect(await statusOf(token, 'listAlerts')).toBe(200);
  expect(await listEntries(world.deps.db, { target: { kind: 'token', id }, action: 'tokens.use' }, 10)).toHaveLength(3);
});

test('sixty calls a minute, of each token', async () => {
  clock.advance(61_000);
  const { token } = await make(['fleet.read']);
  for (let n = 0; n < 60; n += 1) expect(await statusOf(token, 'listLiveNodes')).toBe(200);
  expect(await statusOf(token, 'listLiveNodes')).toBe(429);
  expect(await statusOf((await make(['fleet.read'])).token, 'listLiveNodes')).toBe(200);
});

test('the document has the calls that tokens open, with their scopes, and no other', async () => {
  clock.advance(61_000);
  const { token } = await make(['today.read']);
  const document = (await (await send(token, 'describeCalls')).json()) as {
    paths: Record<string, Record<string, { operationId: string; security: { program: string[] }[] }>>;
  };
  const listed = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const open = calls.filter((name) => scopeOf(adminEndpoints[name]) !== undefined);
  expect(listed.map(({ operationId }) => operationId).sort()).toEqual([...open].sort());
  for (const { operationId, security } of listed)
    expect(security).toEqual([{ program: [scopeOf(adminEndpoints[operationId as AdminCall])] }]);
});

test('a scope is a permission of some role, and nothing that proves, moves money or shows a contact', () => {
  const never = [
    'people.contact',
    'wallet.adjust',
    'corrections.decide',
    'refunds.request',
    'payments.settle',
    'fleet.manage',
  ];
  expect(tokenScopes.filter((scope) => (never as string[]).includes(scope))).toEqual([]);
  expect(tokenScopes.filter((scope) => !rolePermissions.super_admin.includes(scope))).toEqual([]);
});
