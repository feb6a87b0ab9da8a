import type { AuditEntry } from '@raha/contract/admin/audit.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { adjustBalance } from '../../src/modules/wallet/correct-books.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { type Colleague, openColleague, signFor } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** Adding and disabling members, and reading the audit, as the console does it. */

let world: TestWorld;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ restores: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const readPage = async (query = '', { browser } = boss) => {
  const { status, body } = await browser.call('GET', `/admin/audit${query}`);
  expect(status).toBe(200);
  return body.data as { entries: AuditEntry[]; more: boolean };
};
const makeOld = (userId: string) =>
  sql`UPDATE staff_session SET proved_at = proved_at - interval '16 minutes' WHERE user_id = ${userId}`.execute(
    world.deps.db,
  );

describe('members', () => {
  test('are added and disabled, with the member’s own name and the reason in the audit', async () => {
    const added = await boss.browser.post('/admin/staff', { email: 'Sara@staff.example', role: 'support' });
    expect(added.status).toBe(201);
    const { id } = added.body.data as { id: string };
    const noReason = await boss.browser.post(`/admin/staff/${id}/disable`, { reason: ' ' });
    expect(noReason).toMatchObject({ status: 422, body: { errors: { reason: expect.any(String) } } });
    expect((await boss.browser.post(`/admin/staff/${id}/disable`, { reason: 'She left.' })).status).toBe(200);
    const { members } = (await boss.browser.call('GET', '/admin/staff')).body.data as { members: object[] };
    expect(members).toContainEqual(
      expect.objectContaining({ id, email: 'sara@staff.example', role: 'support', active: false }),
    );
    const { entries } = await readPage('?target=sara@staff.example');
    expect(entries).toMatchObject([
      {
        ...{ action: 'staff.disable', reason: 'She left.', actor_kind: 'staff', actor_email: boss.email },
        target_email: 'sara@staff.example',
      },
      { action: 'staff.add', changed: { role: [null, 'support'] }, actor: boss.userId },
    ]);
  });

  test('after a quarter of an hour are changed only with a factor shown again', async () => {
    await makeOld(boss.userId);
    const add = () => boss.browser.post('/admin/staff', { email: 'later@staff.example', role: 'support' });
    expect(await add()).toMatchObject({ status: 401, body: { code: 'proof_needed' } });
    const proved = await signFor(boss.browser, boss.device, '/admin/proof/passkey', '/admin/proof');
    expect(proved.status).toBe(200);
    expect((await add()).status).toBe(201);
  });

  test('a proof of one member is none in the session of another', async () => {
    const other = await openColleague(world, 'super_admin');
    await makeOld(other.userId);
    const answer = await signFor(other.browser, boss.device, '/admin/proof/passkey', '/admin/proof');
    expect(answer).toMatchObject({ status: 400, body: { code: 'passkey_refused' } });
  });

  test('an act that waits while its member is disabled does not happen', async () => {
    const { userId, browser } = await openColleague(world, 'super_admin');
    let answer: Promise<{ status: number }> | undefined;
    await inTransaction(world.deps.db, async (tx) => {
      // As a change of staff does. The act is let in, and then waits for its turn.
      await sql`SELECT pg_advisory_xact_lock(hashtext('staff_member'))`.execute(tx);
      answer = browser.post('/admin/staff', { email: 'never@staff.example', role: 'super_admin' });
      for (;;) {
        const { rows } = await sql<{ waiting: boolean }>`
          SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS waiting
        `.execute(tx);
        if (rows[0]?.waiting) break;
      }
      await sql`UPDATE staff_member SET disabled_at = now() WHERE user_id = ${userId}`.execute(tx);
    });
    expect(await answer).toMatchObject({ status: 403 });
    const { rows } = await sql`SELECT 1 FROM users WHERE email = 'never@staff.example'`.execute(world.deps.db);
    expect(rows).toEqual([]);
  });
});

describe('the audit', () => {
  test('is read page by page, newest first, without gaps or repeats', async () => {
    const { db, clock } = world.deps;
    for (let price = 2; price < 9; price += 1)
      await inTransaction(db, (tx) =>
        world.deps.audit.record(tx, actor, { action: 'settings.set', target: { kind: 'setting', id: `${price}` } }),
      );
    await setSettingByKey(db, 'price.usdCentsPerGb', '3', clock.now());
    const all = (await readPage('?count=100')).entries.map(({ number }) => number);
    expect(all).toEqual([...all].sort((a, b) => b - a));
    const paged: number[] = [];
    for (let before = ''; ; before = `&before=${paged.at(-1)}`) {
      const page = await readPage(`?count=3${before}`);
      paged.push(...page.entries.map(({ number }) => number));
      if (!page.more) break;
    }
    expect(paged).toEqual(all);
  });

  test('is filtered by member, by action and by target', async () => {
    const user = await world.user({ usdCents: 0 });
    await suspendAccount(world.deps, { actor, email: user.email });
    const actionsOf = async (query: string) => (await readPage(query)).entries.map(({ action }) => action);
    expect(new Set(await actionsOf('?action=settings.set'))).toEqual(new Set(['settings.set']));
    expect(await actionsOf(`?target_kind=user&target=${user.id}`)).toEqual(['accounts.suspend']);
    const own = (await readPage(`?actor=${boss.email}`)).entries;
    expect(own.length).toBeGreaterThan(2);
    expect(new Set(own.map(({ actor: who }) => who))).toEqual(new Set([boss.userId]));
    expect((await readPage('?actor=tests&action=accounts.suspend')).entries).toMatchObject([
      { actor_kind: 'command-line', actor: 'tests', actor_email: null, target_id: user.id },
    ]);
    expect(await actionsOf('?actor=nobody')).toEqual([]);
    expect((await boss.browser.call('GET', '/admin/audit?before=0')).status).toBe(422);
  });

  test('shows each role its part: all, all but staff, money, or what the member did', async () => {
    const user = await world.user({ usdCents: 0 });
    await adjustBalance(world.deps, { actor, operator: 'M', reason: 'test', email: user.email, amountToman: 5n });
    const kinds = async (role: Parameters<typeof openColleague>[1]) => {
      const { entries } = await readPage('?count=100', await openColleague(world, role));
      return [...new Set(entries.map(({ action }) => action.split('.')[0]))].sort();
    };
    expect(await kinds('auditor')).toEqual(['accounts', 'settings', 'staff']);
    expect(await kinds('admin')).toEqual(['accounts', 'settings']);
    expect(await kinds('finance')).toEqual(['accounts']);
    expect(await kinds('support')).toEqual([]);
  });

  test('names no user by address', async () => {
    const text = JSON.stringify((await readPage('?count=100')).entries);
    expect(text).not.toContain('@mail.example');
  });
});
