import { isPermitted, type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashToken } from '../../src/modules/sessions/tokens.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { newSecret } from '../../src/platform/random.ts';
import { openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';
import { partOfPage } from './authorization-page.ts';
import { sendCall, type WireRequest } from './every-request.ts';
import { type AdminCall, type Level, levels, type StaffRequests, staffRequests } from './staff-requests.ts';
import { freshEmail, openStaffScene, type StaffScene } from './staff-scene.ts';

/**
 * Every call of the console, sent by every role without a factor, with one, and with a fresh proof; by nobody; and by a super
 * admin with a token of the panel. docs/authorization.md holds the expected statuses; the rules below hold independently.
 */
interface Row {
  readonly nobody: number;
  readonly panel: number;
  readonly roles: Readonly<Record<StaffRole, Readonly<Record<Level, number>>>>;
}

let world: TestWorld;
let scene: StaffScene;
let requests: StaffRequests;
let panelToken: string;
const rows = new Map<AdminCall, Row>();

beforeAll(async () => {
  world = await openTestWorld({ restores: false, overrides: { minuteLimit: unlimited, traceWaitMs: 200 } });
  scene = await openStaffScene(world);
  requests = staffRequests(scene);
  const user = await world.user({ usdCents: 0 });
  await addMember(world.deps, { actor, email: user.email, role: 'super_admin' });
  panelToken = user.token;
  for (const name of Object.keys(adminEndpoints) as AdminCall[]) {
    const roles = {} as Record<StaffRole, Record<Level, number>>;
    for (const role of staffRoles) {
      roles[role] = {} as Record<Level, number>;
      for (const level of levels) roles[role][level] = await statusOf(name, { role, level });
    }
    rows.set(name, { nobody: await statusOf(name), panel: await statusOf(name, 'panel'), roles });
  }
}, 120_000);
afterAll(() => world.close());

test('the table in the docs matches the console', () => {
  const table = render();
  expect(partOfPage('console', table)).toBe(table);
});

test('a call of staff opens to the roles that may, with the proof that it asks for, and to nobody else', () => {
  for (const [name, endpoint] of Object.entries(adminEndpoints) as [AdminCall, (typeof adminEndpoints)[AdminCall]][]) {
    if (endpoint.caller !== 'staff') continue;
    const row = rows.get(name) as Row;
    expect([name, row.nobody, row.panel]).toEqual([name, 401, 401]);
    for (const role of staffRoles) {
      const status = row.roles[role];
      const may = isPermitted(role, endpoint.may);
      expect([name, role, status['no factor']]).toEqual([name, role, 401]);
      if (!may) expect([name, role, status.factor, status['fresh proof']]).toEqual([name, role, 403, 403]);
      else {
        if (endpoint.proof !== 'none') expect([name, role, status.factor]).toEqual([name, role, 401]);
        else expect([name, role, status.factor < 400]).toEqual([name, role, true]);
        expect([name, role, status['fresh proof'] < 400]).toEqual([name, role, true]);
      }
    }
  }
});

test('the own session is every member’s, and nobody’s without a factor or with a token of the panel', () => {
  for (const [name, { caller }] of Object.entries(adminEndpoints) as [
    AdminCall,
    (typeof adminEndpoints)[AdminCall],
  ][]) {
    if (caller !== 'self') continue;
    const { nobody, panel, roles } = rows.get(name) as Row;
    expect([name, nobody, panel]).toEqual([name, 401, 401]);
    for (const role of staffRoles) expect([name, role, roles[role]['no factor']]).toEqual([name, role, 401]);
  }
});

test('sessions of members who were disabled, or whose account is suspended, open nothing', async () => {
  for (const end of [
    (userId: string) => sql`UPDATE staff_member SET disabled_at = now() WHERE user_id = ${userId}`,
    (userId: string) => sql`UPDATE users SET status = 'suspended' WHERE id = ${userId}`,
  ]) {
    const { userId } = await addMember(world.deps, { actor, email: freshEmail(), role: 'super_admin' });
    const cookie = await openStaffSession(world, userId);
    const send = async (name: AdminCall) => {
      const { method, path } = adminEndpoints[name];
      const request = { ...(await requests[name](undefined, 'no factor')), headers: { 'x-raha-console': '1', cookie } };
      const response = await sendCall(world.origin, method, API_BASE + path, request as WireRequest, undefined);
      await response.body?.cancel();
      return response.status;
    };
    expect(await send('getStaffSelf')).toBe(200);
    await end(userId).execute(world.deps.db);
    for (const [name, { caller }] of Object.entries(adminEndpoints) as [
      AdminCall,
      (typeof adminEndpoints)[AdminCall],
    ][])
      if (caller === 'staff' || caller === 'self') expect([name, await send(name)]).toEqual([name, 401]);
  }
});

test('what completes a sign-in needs the mailed code first', () => {
  for (const [name, { caller }] of Object.entries(adminEndpoints) as [
    AdminCall,
    (typeof adminEndpoints)[AdminCall],
  ][]) {
    if (caller !== 'pending') continue;
    const { nobody, panel, roles } = rows.get(name) as Row;
    expect([name, nobody, panel, roles.support.factor]).toEqual([name, 400, 400, 400]);
  }
});

async function statusOf(name: AdminCall, who?: 'panel' | { role: StaffRole; level: Level }): Promise<number> {
  const { method, path } = adminEndpoints[name];
  const asked = who === undefined || who === 'panel' ? undefined : who;
  const request = await requests[name](asked?.role, asked?.level ?? 'no factor');
  const cookie = asked && (await openCookie(asked.role, asked.level));
  const headers = { 'x-raha-console': '1', ...(cookie ? { cookie } : {}) };
  const sent = { ...request, headers } as WireRequest;
  const token = who === 'panel' ? panelToken : undefined;
  const response = await sendCall(world.origin, method, API_BASE + path, sent, token);
  await response.body?.cancel();
  return response.status;
}

/** A session of its own for each request, because some end it. */
async function openCookie(role: StaffRole, level: Level): Promise<string> {
  const userId = scene.colleagues.get(role)?.member.userId ?? '';
  const now = world.deps.clock.now();
  if (level !== 'no factor')
    return await openStaffSession(world, userId, level === 'factor' ? addSeconds(now, -16 * 60) : now);
  const token = newSecret();
  await sql`
    INSERT INTO staff_sign_in (token_hash, user_id, created_at, expires_at)
    VALUES (${hashToken(token)}, ${userId}, ${now}, ${addSeconds(now, 600)})
  `.execute(world.deps.db);
  return `staff_sign_in=${token}`;
}

function render(): string {
  const cell = (status: Readonly<Record<Level, number>>) => levels.map((level) => status[level]).join(' · ');
  const lines = [...rows].map(([name, { nobody, panel, roles }]) => {
    const { method, path } = adminEndpoints[name];
    return `| ${method} ${path} | ${nobody} | ${panel} | ${staffRoles.map((role) => cell(roles[role])).join(' | ')} |`;
  });
  return `${[
    '',
    'Made and checked by `server/test/flows/staff-authorization.test.ts`. Per role three figures: after the mailed code but *without a',
    'factor*, *with a factor* shown more than 15 minutes ago, and *with a fresh proof*. 401: sign in, or show a factor again; 403: the',
    'role may not; 400: no sign-in waits for a factor in this browser, or the code is a wrong one; 409: the member has a factor already.',
    '',
    '*nobody*: no cookie. *panel*: a super admin with a token of the panel, which opens nothing here.',
    '',
    `| call | nobody | panel | ${staffRoles.join(' | ')} |`,
    `|---|---|---|${staffRoles.map(() => '---').join('|')}|`,
    ...lines,
  ].join('\n')}\n`;
}
