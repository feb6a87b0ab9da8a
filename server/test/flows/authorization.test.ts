import { readFileSync, writeFileSync } from 'node:fs';
import { NODE_BASE, nodeEndpoints } from '@raha/contract/node/protocol.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SocialPort } from '../../src/modules/sessions/social.ts';
import { codeFor, openTestWorld, PASSWORD, type TestUser, type TestWorld } from '../world.ts';
import { type Belongings, openBelongings, requests, sendCall, type WireRequest } from './every-request.ts';

/**
 * Every call of the API, sent by everybody: docs/authorization.md is the whole answer. `WRITE_TABLE=1` writes it anew; the
 * rules below hold whatever it says.
 */
const file = new URL('../../../docs/authorization.md', import.meta.url);
const callers = ['nobody', 'unfinished', 'unverified', 'not activated', 'other', 'agent', 'admin', 'owner'] as const;
const UNFINISHED = 'unfinished@mail.example';
const NOT_ACTIVATED = 'not-activated@mail.example';
type Caller = (typeof callers)[number];
type Row = Readonly<Record<Caller, number>>;

/** As if Google had let somebody new in, whose address is the code. */
const google: SocialPort = {
  name: 'google',
  title: 'Google',
  start: async () => new URL('https://accounts.google.example/'),
  async finish(returned) {
    const email = returned.searchParams.get('code') ?? '';
    return { subject: email, email, emailVerified: true, authoritative: true, name: 'نیلوفر آزمون' };
  },
};

let world: TestWorld;
const tokens = new Map<Caller, string>();
const rows = new Map<string, Row>();

beforeAll(async () => {
  world = await openTestWorld({ overrides: { socialPorts: new Map([['google', google]]) } });
  const has = await openEverybody();
  for (const [name, endpoint] of Object.entries(publicEndpoints)) {
    const row = {} as Record<Caller, number>;
    // Whom a call before has brought further.
    await sql`
      UPDATE users SET status = 'incomplete', profile_completed = false WHERE email = ${UNFINISHED}
    `.execute(world.deps.db);
    await sql`UPDATE users SET activated_at = NULL WHERE email = ${NOT_ACTIVATED}`.execute(world.deps.db);
    // However fast or slow this goes, nobody has been sent a code lately.
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 days'`.execute(world.deps.db);
    // The owner last: what the call uses up is used up then.
    for (const caller of callers) {
      const request = (await requests[name as keyof typeof requests](has)) as WireRequest;
      // Those for the refresh cookie are asked without a token: they would end the very session.
      const token = endpoint.caller === 'refresh' ? undefined : tokens.get(caller);
      row[caller] = await statusOf(endpoint.method, API_BASE + endpoint.path, request, token);
    }
    rows.set(`${endpoint.method} ${endpoint.path}`, row);
  }
  for (const { method, path } of Object.values(nodeEndpoints)) {
    const row = {} as Record<Caller, number>;
    for (const caller of callers)
      row[caller] = await statusOf(method, NODE_BASE + path, { body: {} }, tokens.get(caller));
    rows.set(`${method} ${NODE_BASE}${path}`, row);
  }
}, 300_000);
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

test('the table in the docs is what happens', () => {
  const table = render();
  if (process.env.WRITE_TABLE) writeFileSync(file, table);
  expect(readFileSync(file, 'utf8')).toBe(table);
});

test('every way in lets whoever has what it asks for in, whoever else they are', () => {
  const ways = [
    'POST /auth/verify-code',
    'POST /auth/complete-registration',
    'POST /auth/refresh',
    'POST /auth/login',
    'POST /auth/reset-password',
    'POST /auth/google-oauth',
    'GET /auth/social/{provider}',
    'POST /giftcards/webhooks/{store}',
  ];
  for (const way of ways)
    for (const caller of callers)
      expect([way, caller, (rows.get(way)?.[caller] ?? 500) < 400]).toEqual([way, caller, true]);
});

test('nobody is answered by a call for people, no user by one for servers', () => {
  for (const { method, path, caller } of Object.values(publicEndpoints))
    if (caller === 'user') expect([path, rows.get(`${method} ${path}`)?.nobody]).toEqual([path, 401]);
  for (const { method, path, caller } of Object.values(nodeEndpoints)) {
    if (caller !== 'node') continue;
    for (const status of Object.values(rows.get(`${method} ${NODE_BASE}${path}`) as Row)) expect(status).toBe(401);
  }
});

test('what belongs to one user is not there for another, whatever the role', () => {
  const named = Object.values(publicEndpoints).filter(
    ({ path, caller, method }) =>
      caller === 'user' &&
      // Servers are everybody's.
      !path.startsWith('/servers/') &&
      (/\{id\}/.test(path) || (method === 'POST' && /connection\/(dis)?connect$/.test(path))),
  );
  expect(named.length).toBeGreaterThan(15);
  for (const { method, path } of named) {
    const row = rows.get(`${method} ${path}`) as Row;
    expect([path, row.owner < 400]).toEqual([path, true]);
    for (const caller of ['other', 'agent', 'admin'] as const) expect([path, row[caller]]).toEqual([path, 404]);
  }
});

test('whoever has not finished, proved the address or activated makes no config and moves no money', () => {
  const closed = [
    'POST /user/configs',
    'POST /connection/connect',
    'POST /user/wallet/charge',
    'POST /payments/create',
    'POST /wallet/transfer',
    'POST /user/subscriptions/purchase',
  ];
  for (const call of closed)
    for (const caller of ['unfinished', 'unverified', 'not activated'] as const)
      expect([call, caller, rows.get(call)?.[caller]]).toEqual([call, caller, 403]);
});

/** Somebody of each kind; what there is to name is the owner's. */
async function openEverybody(): Promise<Belongings> {
  const has = await openBelongings(world);
  const others: Record<'other' | 'agent' | 'admin', TestUser> = {
    other: await world.user({ usdCents: 50_000 }),
    agent: await world.user({ usdCents: 50_000 }),
    admin: await world.user({ usdCents: 50_000 }),
  };
  for (const role of ['agent', 'admin'] as const)
    await sql`UPDATE users SET role = ${role} WHERE id = ${others[role].id}`.execute(world.deps.db);
  for (const [caller, user] of Object.entries({ owner: has.owner, ...others }))
    tokens.set(caller as Caller, user.token);
  tokens.set('not activated', (await world.user({ email: NOT_ACTIVATED, usdCents: 0 })).token);
  tokens.set('unfinished', await unfinished(UNFINISHED));
  const registered = await world.client().register({
    body: {
      name: 'نیلوفر آزمون',
      email: 'unverified@mail.example',
      password: PASSWORD,
      password_confirmation: PASSWORD,
    },
  });
  tokens.set('unverified', registered.token as string);
  return has;
}

async function unfinished(email: string): Promise<string> {
  const visitor = world.client();
  await visitor.sendVerificationCode({ body: { email } });
  const answer = await visitor.verifyCode({ body: { email, code: await codeFor(world, email) } });
  return answer.token as string;
}

async function statusOf(method: string, path: string, request: WireRequest, token?: string): Promise<number> {
  const response = await sendCall(world.origin, method, path, request, token);
  await response.body?.cancel();
  return response.status;
}

function render(): string {
  const lines = [...rows].map(([call, row]) => `| ${call} | ${callers.map((caller) => row[caller]).join(' | ')} |`);
  return `${[
    '# Who may call what',
    '',
    'Made and checked by `server/test/flows/authorization.test.ts`: one valid request for each call, sent by everybody. Where it',
    'names something (`{id}`, a config to connect), that is the owner’s. 401: sign in; 403: finish the profile, prove the',
    'address or activate first; 404: not yours, or not there. Other figures are what the call itself says to the request.',
    '',
    'Ways in carry what they ask for (a code, password, link or refresh token of somebody new, the word of a provider that stands',
    'in for Google, a store’s signature), and let in whoever has it; who is signed in besides counts for nothing.',
    '',
    '*nobody*: no token. *unfinished*: proved address, no profile. *unverified*: registered with a password, address not',
    'proved. *not activated*: no gift card yet. *other*, *agent*, *admin*: activated people of that role. *owner*: the same,',
    'with what the request names.',
    '',
    `| call | ${callers.join(' | ')} |`,
    `|---|${callers.map(() => '---').join('|')}|`,
    ...lines,
  ].join('\n')}\n`;
}
