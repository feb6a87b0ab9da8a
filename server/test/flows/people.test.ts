import type { TimelineEvent, UserFacts, UserLine } from '@raha/contract/admin/people.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { payAndVerify } from '../bank.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { confirmed } from '../money/bench.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';

/** Finding users and reading about them, as staff do it. */

const clock = manualClock(new Date());
let world: TestWorld;
let node: FakeNode;
let support: Colleague;
let niloufar: TestUser;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  node = await enrolFakeNode(world);
  support = await openColleague(world, 'support');
  niloufar = await world.user({ email: 'niloufar.rahimi@mail.example', usdCents: 1 });
  await sql`UPDATE users SET phone = '09123454410' WHERE id = ${niloufar.id}`.execute(world.deps.db);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function search(text: string, before?: string) {
  const answer = await support.browser.post('/admin/people/search', { text, ...(before ? { before } : {}) });
  expect(answer.status).toBe(200);
  return answer.body.data as { people: UserLine[]; next: string | null };
}
const foundBy = async (text: string) => (await search(text)).people.map(({ id, found_by }) => [id, found_by]);
async function read(id: string, { browser } = support): Promise<UserFacts> {
  const answer = await browser.call('GET', `/admin/people/${id}`);
  expect(answer.status).toBe(200);
  return answer.body.data as UserFacts;
}
async function timeline(id: string, query = '', { browser } = support) {
  const answer = await browser.call('GET', `/admin/people/${id}/timeline${query}`);
  expect(answer.status).toBe(200);
  return answer.body.data as { events: TimelineEvent[]; more: boolean };
}
async function newConfig(user: TestUser, name: string): Promise<string> {
  await node.report([]);
  const { data } = await user.api.createConfig({ body: { name, serverId: node.id } });
  await node.settle();
  return data.config.id;
}
async function useUp(config: string): Promise<void> {
  for (let used = -1; used < node.limitOf(config); ) {
    used = node.limitOf(config);
    await node.report([{ config, down: used }]);
  }
  await node.report([{ config, down: node.limitOf(config) }]);
}

describe('the search', () => {
  test('finds by any part of the address or number, typed in either digits', async () => {
    for (const text of ['rahimi', 'NILOUFAR.RAHIMI@mail.example', '۴۴۱۰', '0912 345', '+98 912 345 4410', '345441'])
      expect([text, await foundBy(text)]).toEqual([text, [[niloufar.id, 'part']]]);
    expect(await foundBy('ni')).toEqual([]);
    expect(await foundBy('nobody-has-this')).toEqual([]);
    // A wildcard is a character.
    expect(await foundBy('niloufar%')).toEqual([]);
    expect(await foundBy('niloufar_rahimi')).toEqual([]);
  });

  test('masks what it finds, and has what is in the wallet', async () => {
    const { people } = await search('rahimi');
    expect(people).toMatchObject([
      { email: 'n•••i@mail.example', phone: '0912•••4410', status: 'active', balance: 800 },
    ]);
  });

  test('finds by an id or its beginning, of the account, a config, a payment, a transfer, and by the bank’s reference', async () => {
    const user = await world.user({ usdCents: 100 });
    const other = await world.user({ usdCents: 0 });
    const config = await newConfig(user, 'لپ‌تاپ');
    const payment = await payAndVerify(user, 'zarinpal');
    const order = { fromUserId: user.id, toEmail: other.email, amountToman: 1_000, ...confirmed };
    const { transferId } = await transferMoney(world.deps, order);
    const { rows } = await sql<{ ref_id: string }>`SELECT ref_id FROM payment WHERE id = ${payment}`.execute(
      world.deps.db,
    );
    expect(await foundBy(user.id)).toEqual([[user.id, 'id']]);
    expect(await foundBy(user.id.slice(0, 18).toUpperCase())).toContainEqual([user.id, 'id']);
    expect(await foundBy(config)).toEqual([[user.id, 'config']]);
    expect(await foundBy(payment)).toEqual([[user.id, 'payment']]);
    expect(await foundBy(rows[0]?.ref_id ?? '')).toContainEqual([user.id, 'payment']);
    expect(new Set(await foundBy(transferId))).toEqual(new Set([user.id, other.id].map((id) => [id, 'transfer'])));
  });

  test('pages through all, newest first, without gaps or repeats', async () => {
    await sql`
      INSERT INTO users (id, email, status, created_at)
      SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'crowd' || n || '@many.example', 'active', now()
      FROM generate_series(1, 60) n
    `.execute(world.deps.db);
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await search('@many.example', before);
      seen.push(...page.people.map(({ id }) => id));
      if (page.next === null) break;
      before = page.next;
    }
    expect(seen).toHaveLength(60);
    expect(seen).toEqual([...seen].sort().reverse());
  });
});

describe('a user’s page', () => {
  test('says why each config is cut, as the panel does', async () => {
    const first = await newConfig(niloufar, 'گوشی');
    expect((await read(niloufar.id)).configs).toMatchObject([{ name: 'گوشی', protocol: 'wireguard', cut: null }]);
    await useUp(first);
    const cut = await read(niloufar.id);
    expect(cut).toMatchObject({ service: { state: 'cut', cause: 'money' }, configs: [{ cut: 'no_balance' }] });
    const [shown] = (await niloufar.api.listConfigs()).data.configs;
    expect(shown?.service).toBe('no_balance');
    await suspendAccount(world.deps, { actor, email: niloufar.email });
    expect((await read(niloufar.id)).configs).toMatchObject([{ cut: 'account_suspended' }]);
    await sql`UPDATE users SET status = 'active' WHERE id = ${niloufar.id}`.execute(world.deps.db);
    // Suspended, it was switched off.
    expect((await read(niloufar.id)).configs).toMatchObject([{ cut: 'switched_off' }]);
  });

  test('shows no configs to those who may not see them', async () => {
    const finance = await openColleague(world, 'finance');
    expect(await read(niloufar.id, finance)).toMatchObject({ configs: null, connections: null });
    const kinds = (await timeline(niloufar.id, '', finance)).events.map(({ kind }) => kind);
    expect(kinds).not.toContain('config');
    expect(kinds).toContain('money');
  });

  test('is kept in the audit once an hour for each member, and the user sees that, without a name', async () => {
    const user = await world.user({ usdCents: 0 });
    const looks = () =>
      listEntries(world.deps.db, { action: 'accounts.look', target: { kind: 'user', id: user.id } }, 10);
    await read(user.id);
    await read(user.id);
    await timeline(user.id);
    expect(await looks()).toMatchObject([{ actor_kind: 'staff', actor: support.userId }]);
    await read(user.id, await openColleague(world, 'auditor'));
    expect(await looks()).toHaveLength(2);
    const { actions } = (await user.api.listOperatorActions()).data;
    expect(actions.map(({ kind }) => kind)).toEqual(['looked', 'looked']);
    expect(JSON.stringify(actions)).not.toContain(support.userId);
  });

  test('shows the whole address and number for a reason, which the user sees', async () => {
    const user = await world.user({ email: 'whole@mail.example', usdCents: 0 });
    await sql`UPDATE users SET phone = '09121112233' WHERE id = ${user.id}`.execute(world.deps.db);
    const path = `/admin/people/${user.id}/contact`;
    expect((await support.browser.post(path, { reason: ' ' })).status).toBe(422);
    const shown = await support.browser.post(path, { reason: 'to call back' });
    expect(shown.body.data).toEqual({ email: user.email, phone: '09121112233' });
    const target = { kind: 'user', id: user.id };
    expect(await listEntries(world.deps.db, { action: 'accounts.show-contact', target }, 2)).toMatchObject([
      { actor: support.userId, reason: 'to call back' },
    ]);
    const { actions } = (await user.api.listOperatorActions()).data;
    expect(actions[0]?.kind).toBe('contact_shown');
  });

  test('of nobody is not found', async () => {
    const id = '00000000-0000-7000-8000-ffffffffffff';
    expect((await support.browser.call('GET', `/admin/people/${id}`)).status).toBe(404);
    expect((await support.browser.post(`/admin/people/${id}/contact`, { reason: 'none' })).status).toBe(404);
  });
});

describe('the timeline', () => {
  test('has money, configs, sign-ins, notices and what operators did, page by page without gaps or repeats', async () => {
    const user = await world.user({ usdCents: 100 });
    await newConfig(user, 'تلویزیون');
    await read(user.id);
    for (let n = 0; n < 45; n += 1) {
      clock.advance(1_000);
      await sql`
        INSERT INTO notification (id, user_id, kind, cause, data, created_at)
        VALUES (gen_random_uuid(), ${user.id}, 'balance_adjusted', ${`n${n}`}, '{"amountToman": 1}', ${clock.now()})
      `.execute(world.deps.db);
    }
    const all: TimelineEvent[] = [];
    for (let query = ''; ; query = `?before=${all.at(-1)?.at}`) {
      const page = await timeline(user.id, query);
      all.push(...page.events);
      if (!page.more) break;
    }
    expect(new Set(all.map(({ kind }) => kind))).toEqual(
      new Set(['money', 'config', 'sign_in', 'notification', 'operator']),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    expect(all.filter(({ kind }) => kind === 'notification').length).toBeGreaterThanOrEqual(45);
    const { events } = await timeline(user.id, '?kind=config');
    expect(events.map(({ kind }) => kind)).toEqual(['config']);
  });
});

test('canary: no key, secret, code, whole address or number is in any answer', async () => {
  const user = await world.user({ email: 'canary.bird@mail.example', usdCents: 100 });
  await sql`UPDATE users SET phone = '09351112233' WHERE id = ${user.id}`.execute(world.deps.db);
  const config = await newConfig(user, 'قناری');
  await read(user.id);
  const order = { toman: 600_000, reason: 'the bank was late' };
  expect((await support.browser.post(`/admin/people/${user.id}/adjust`, order)).status).toBe(200);
  const { rows } = await sql<{ secret: string }>`
    SELECT unnest(ARRAY[credential, client_secret_sealed, coalesce(private_key_sealed, credential)]) AS secret FROM config WHERE id = ${config}
    UNION ALL SELECT token_hash::text FROM staff_session
    UNION ALL SELECT unnest(ARRAY[email, phone]) FROM users WHERE id = ${user.id}
  `.execute(world.deps.db);
  expect(rows.length).toBeGreaterThan(5);
  for (const role of ['super_admin', 'admin', 'support', 'finance', 'auditor'] as const) {
    const member = await openColleague(world, role);
    const answers = JSON.stringify([
      (await member.browser.post('/admin/people/search', { text: 'canary' })).body,
      await read(user.id, member),
      await timeline(user.id, '', member),
      (await member.browser.call('GET', '/admin/audit?count=100')).body,
      (await member.browser.call('GET', '/admin/proposals')).body,
    ]);
    expect(answers).toContain(user.id);
    for (const { secret } of rows) expect([role, answers.includes(secret)]).toEqual([role, false]);
  }
});
