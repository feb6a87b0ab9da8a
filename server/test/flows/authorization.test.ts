import { NODE_BASE, nodeEndpoints } from '@raha/contract/node/protocol.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SocialPort } from '../../src/modules/sessions/social.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { confirmed } from '../money/bench.ts';
import { codeFor, openTestWorld, PASSWORD, type TestUser, type TestWorld, unlimited } from '../world.ts';
import { partOfPage } from './authorization-page.ts';
import { type Belongings, openBelongings, requests, sendCall, type WireRequest } from './every-request.ts';

/**
 * Every call of the API, sent by every kind of caller; docs/authorization.md holds the expected statuses. `WRITE_TABLE=1`
 * rewrites it. The rules below hold independently of that file.
 */
const callers = ['nobody', 'unfinished', 'unverified', 'not activated', 'other', 'agent', 'admin', 'owner'] as const;
const UNFINISHED = 'unfinished@mail.example';
const NOT_ACTIVATED = 'not-activated@mail.example';
type Caller = (typeof callers)[number];
type Row = Readonly<Record<Caller, number>>;

/** Lets a new user in as Google would; the address is the code. */
const google: SocialPort = {
  name: 'google',
  test: false,
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
  world = await openTestWorld({ overrides: { socialPorts: new Map([['google', google]]), minuteLimit: unlimited } });
  const has = await openEverybody();
  for (const [name, endpoint] of Object.entries(publicEndpoints)) {
    const row = {} as Record<Caller, number>;
    // Resets what an earlier call has completed.
    await sql`
      UPDATE users SET status = 'incomplete', profile_completed = false WHERE email = ${UNFINISHED}
    `.execute(world.deps.db);
    await sql`UPDATE users SET activated_at = NULL WHERE email = ${NOT_ACTIVATED}`.execute(world.deps.db);
    // Codes sent earlier are made older, so that no rate limit depends on how fast this runs.
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 days'`.execute(world.deps.db);
    // The owner comes last, because the call may use something up.
    for (const caller of callers) {
      const request = (await requests[name as keyof typeof requests](has)) as WireRequest;
      // Calls with the refresh cookie are sent without a token: they would end the caller's session.
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

test('the table in the docs matches the API', () => {
  const table = render();
  expect(partOfPage('product', table)).toBe(table);
});

test('every way to sign in accepts any caller with the right credentials, whatever other account they use', () => {
  const ways = [
    'POST /auth/verify-code',
    'POST /auth/complete-registration',
    'POST /auth/refresh',
    'POST /auth/login',
    'POST /auth/reset-password',
    'POST /auth/passkey',
    'POST /auth/second-step',
    'POST /auth/google-oauth',
    'GET /auth/social/{provider}',
    'POST /giftcards/webhooks/{store}',
  ];
  for (const way of ways)
    for (const caller of callers)
      expect([way, caller, (rows.get(way)?.[caller] ?? 500) < 400]).toEqual([way, caller, true]);
});

test('calls for users refuse anonymous callers, calls for nodes refuse users', () => {
  for (const { method, path, caller } of Object.values(publicEndpoints))
    if (caller === 'user') expect([path, rows.get(`${method} ${path}`)?.nobody]).toEqual([path, 401]);
  for (const { method, path, caller } of Object.values(nodeEndpoints)) {
    if (caller !== 'node') continue;
    for (const status of Object.values(rows.get(`${method} ${NODE_BASE}${path}`) as Row)) expect(status).toBe(401);
  }
});

test('what belongs to one user is not found for another, whatever the role', () => {
  const named = Object.values(publicEndpoints).filter(
    ({ path, caller, method }) =>
      caller === 'user' &&
      // Servers are visible to every user.
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

test('a user with an incomplete profile, an unproved address or no activation creates no config and moves no money', () => {
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

/** One user of each kind; everything that requests can name belongs to the owner. */
async function openEverybody(): Promise<Belongings> {
  const has = await openBelongings(world);
  const others: Record<'other' | 'agent' | 'admin', TestUser> = {
    other: await world.user({ usdCents: 50_000 }),
    agent: await world.user({ usdCents: 50_000 }),
    admin: await world.user({ usdCents: 50_000 }),
  };
  for (const role of ['agent', 'admin'] as const)
    await sql`UPDATE users SET role = ${role} WHERE id = ${others[role].id}`.execute(world.deps.db);
  const taker = { toEmail: 'taker@mail.example', amountToman: 1_000, ...confirmed };
  for (const [caller, user] of Object.entries({ owner: has.owner, ...others })) {
    tokens.set(caller as Caller, user.token);
    // The first transfer to a user needs a proof.
    await transferMoney(world.deps, { ...taker, fromUserId: user.id });
  }
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
    'in for Google, a store’s signature), and admit its holder; a session beside it counts for nothing.',
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
