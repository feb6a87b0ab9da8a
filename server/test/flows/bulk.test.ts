import type { BulkFacts } from '@raha/contract/admin/bulk.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reopenAccount } from '../../src/modules/accounts/reopen-account.ts';
import { getUser } from '../../src/modules/accounts/users.ts';
import { checkChain, listEntries } from '../../src/modules/audit/audit.ts';
import { findBulk, listItems } from '../../src/modules/bulk/list-bulks.ts';
import { orderBulk, undoBulk } from '../../src/modules/bulk/order-bulk.ts';
import { runBulks } from '../../src/modules/bulk/run-bulks.ts';
import { steerBulk } from '../../src/modules/bulk/steer-bulk.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { withBreak } from '../break-connection.ts';
import { makeUser } from '../money/bench.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** One act on many users: begun after two minutes, each once, steered and undone, in the name of the member who ordered it. */

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let admin: Colleague;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, keepsNodes: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  admin = await openColleague(world, 'admin');
});
afterAll(() => world.close());

const reason = 'an attack';
const by = ({ userId }: Colleague) => ({ kind: 'staff', userId }) as const;
const runAll = () => runBulks(world.deps);
const afterTwoMinutes = () => clock.advance(121_000);
const statusOf = async (id: string) => (await getUser(world.deps.db, id)).status;
const statusesOf = (ids: readonly string[]) => Promise.all(ids.map(statusOf));

async function people(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push((await makeUser(world)).id);
  return made;
}

async function order(ids: string[], act: 'suspend' | 'reopen' | 'end_sessions' = 'suspend', who = admin) {
  return (await orderBulk(world.deps, { actor: by(who), act, whom: { ids }, reason })).id;
}

async function bulkOf(id: string) {
  const bulk = await findBulk(world.deps.db, id);
  if (!bulk) throw new Error('the bulk is missing');
  return bulk;
}

/** Each user once, in the counts, in the states, and in the audit. */
async function expectOnce(id: string, ids: readonly string[], action = 'accounts.suspend'): Promise<void> {
  const { people: all, done, failed, state } = await bulkOf(id);
  expect([state, all, done, failed]).toEqual(['done', ids.length, ids.length, 0]);
  for (const userId of ids) {
    const entries = await listEntries(world.deps.db, { action, target: { kind: 'user', id: userId } }, 10);
    expect(entries.filter(({ details }) => (details as { bulk?: string }).bulk === id)).toHaveLength(1);
  }
  expect((await checkChain(world.deps.db, world.deps.vault)).broken).toEqual([]);
}

describe('ordering', () => {
  test('nothing happens for two minutes; then each is suspended once, with an entry in the name of who ordered it', async () => {
    const ids = await people(3);
    const id = await order(ids);
    await runAll();
    expect(await statusesOf(ids)).toEqual(['active', 'active', 'active']);
    afterTwoMinutes();
    await runAll();
    expect(await statusesOf(ids)).toEqual(['suspended', 'suspended', 'suspended']);
    await expectOnce(id, ids);
    const [entry] = await listEntries(world.deps.db, { target: { kind: 'user', id: ids[0] } }, 1);
    expect(entry).toMatchObject({ actor_kind: 'staff', actor: admin.userId, reason, details: { bulk: id } });
    await runAll();
    await expectOnce(id, ids);
  });

  test('cancelled before it begins, it never does', async () => {
    const ids = await people(1);
    const id = await order(ids);
    await steerBulk(world.deps, { actor: by(boss), id, step: 'stop' });
    afterTwoMinutes();
    await runAll();
    expect(await bulkOf(id)).toMatchObject({ state: 'cancelled', done: 0 });
    expect(await statusesOf(ids)).toEqual(['active']);
  });

  test('users given twice are one; one that is not there refuses all', async () => {
    const [one = ''] = await people(1);
    const id = await order([one, one], 'end_sessions');
    expect((await bulkOf(id)).people).toBe(1);
    await steerBulk(world.deps, { actor, id, step: 'stop' });
    const stray = '00000000-0000-7000-8000-000000000000';
    await expect(order([one, stray])).rejects.toMatchObject({ code: 'not_found' });
  });

  test('by filter: who fits now, unless that is more than was shown and one in a hundred', async () => {
    const ids = await people(2);
    for (const id of ids) await sql`UPDATE users SET status = 'deactivated' WHERE id = ${id}`.execute(world.deps.db);
    const counted = await admin.browser.call('GET', '/admin/people/count?state=deactivated');
    expect(counted.body.data).toEqual({ count: 2, more: false });
    const ask = (count: number) =>
      admin.browser.post('/admin/bulks/end-sessions', { whom: { filter: { state: 'deactivated' }, count }, reason });
    expect(await ask(1)).toMatchObject({
      status: 409,
      body: { code: 'bulk_count', message: expect.stringMatching('۲') },
    });
    const ordered = await ask(2);
    expect(ordered).toMatchObject({ status: 200, body: { data: { people: 2 } } });
    const { id } = ordered.body.data as { id: string };
    expect((await bulkOf(id)).filter).toEqual({ state: 'deactivated' });
    await steerBulk(world.deps, { actor, id, step: 'stop' });
    const none = await admin.browser.post('/admin/bulks/end-sessions', { whom: { filter: {}, count: 1 }, reason });
    expect(none.status).toBe(422);
  });

  test('the same request twice is one bulk', async () => {
    const ids = await people(1);
    const idempotent = { userId: admin.userId, key: 'once', requestHash: 'x' };
    const send = () => orderBulk(world.deps, { actor: by(admin), act: 'suspend', whom: { ids }, reason, idempotent });
    const [one, two] = await Promise.all([send(), send()]);
    expect(one).toEqual(two);
    await steerBulk(world.deps, { actor, id: one.id, step: 'stop' });
  });

  test('roles order what they may do for one', async () => {
    const support = await openColleague(world, 'support');
    const [id = ''] = await people(1);
    const suspend = { act: 'suspend', whom: { ids: [id] }, reason };
    expect((await support.browser.post('/admin/bulks/suspend', suspend)).status).toBe(403);
    const bulk = await order([id]);
    expect((await support.browser.post(`/admin/bulks/${bulk}/stop`, {})).status).toBe(403);
    const { body } = await support.browser.call('GET', `/admin/bulks/${bulk}`);
    expect(body.data as BulkFacts).toMatchObject({ may_steer: false, may_undo: false, by: admin.email });
    await steerBulk(world.deps, { actor, id: bulk, step: 'stop' });
  });
});

describe('running', () => {
  test('who cannot be suspended is left alone, with why', async () => {
    const [closed = '', shut = '', fine = ''] = await people(3);
    await sql`UPDATE users SET status = 'deactivated' WHERE id = ${closed}`.execute(world.deps.db);
    await sql`UPDATE users SET status = 'suspended' WHERE id = ${shut}`.execute(world.deps.db);
    const id = await order([closed, shut, fine, boss.userId]);
    afterTwoMinutes();
    await runAll();
    expect(await bulkOf(id)).toMatchObject({ state: 'done', done: 1, failed: 3 });
    const whys = new Map((await listItems(world.deps.db, id, { limit: 10 })).map(({ user_id, why }) => [user_id, why]));
    expect([closed, shut, fine, boss.userId].map((user) => whys.get(user))).toEqual([
      ...['not_active', 'not_active', null, 'staff'],
    ]);
    const csv = await fetch(`${world.origin}${API_BASE}/admin/bulks/${id}/outcome.csv`, {
      headers: { cookie: admin.browser.cookies() },
    });
    const lines = (await csv.text()).trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines.find((line) => line.startsWith(closed))).toMatch(`${closed},suspend,failed,not_active,2026-11-20T`);
  });

  test('paused, it goes on where it was', async () => {
    const ids = await people(4);
    const id = await order(ids);
    afterTwoMinutes();
    await sql`UPDATE bulk SET state = 'running' WHERE id = ${id}`.execute(world.deps.db);
    await admin.browser.post(`/admin/bulks/${id}/pause`, {});
    await runAll();
    expect(await bulkOf(id)).toMatchObject({ state: 'paused', done: 0 });
    await steerBulk(world.deps, { actor: by(admin), id, step: 'continue' });
    await runAll();
    await expectOnce(id, ids);
    await expect(steerBulk(world.deps, { actor: by(admin), id, step: 'stop' })).rejects.toMatchObject({
      code: 'bulk_state',
    });
  });

  test('two workers at once, and a pause in the middle: each once', async () => {
    const ids = await people(12);
    const id = await order(ids);
    afterTwoMinutes();
    const pause = steerBulk(world.deps, { actor: by(boss), id, step: 'pause' }).catch(() => undefined);
    await Promise.all([runAll(), runAll(), runAll(), pause]);
    if ((await bulkOf(id)).state === 'paused') {
      const { done } = await bulkOf(id);
      const suspended = (await statusesOf(ids)).filter((status) => status === 'suspended');
      expect(suspended).toHaveLength(done);
      await steerBulk(world.deps, { actor: by(boss), id, step: 'continue' });
    }
    await Promise.all([runAll(), runAll()]);
    await expectOnce(id, ids);
  });

  test('killed at each statement, and after each commit, a user is done once or not at all', async () => {
    const ids = await people(3);
    const id = await order(ids);
    afterTwoMinutes();
    for (let statement = 1; ; statement += 1) {
      const broken = await withBreak({ statement }, () => runAll().catch(() => undefined));
      const { done } = await bulkOf(id);
      const suspended = (await statusesOf(ids)).filter((status) => status === 'suspended');
      expect(suspended).toHaveLength(done);
      if (broken === undefined) break;
      // Users who were done before the break stay done, so that the next round breaks one statement later of the same user.
      expect(statement).toBeLessThan(500);
    }
    await runAll();
    await expectOnce(id, ids);

    const more = await people(3);
    const next = await order(more);
    afterTwoMinutes();
    for (
      let commit = 1;
      (await withBreak({ commit }, () => runAll().catch(() => undefined))) !== undefined;
      commit += 1
    );
    await runAll();
    await expectOnce(next, more);
  });

  test('a user with whom something goes wrong is tried three times, and the others are done meanwhile', async () => {
    const ids = await people(2);
    const id = await order(ids);
    afterTwoMinutes();
    await sql`
      CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$
    `.execute(world.deps.db);
    await sql`
      CREATE TRIGGER refuse_one BEFORE UPDATE ON users FOR EACH ROW WHEN (OLD.id = ${sql.lit(ids[0] as string)}::uuid) EXECUTE FUNCTION refuse_one()
    `.execute(world.deps.db);
    for (let turn = 0; turn < 4; turn += 1) await runAll();
    await sql`DROP FUNCTION refuse_one CASCADE`.execute(world.deps.db);
    expect(await bulkOf(id)).toMatchObject({ state: 'done', done: 1, failed: 1 });
    expect(await listItems(world.deps.db, id, { state: 'failed', limit: 5 })).toMatchObject([
      { user_id: ids[0], why: 'error' },
    ]);
  });

  test('who ordered it leaves: nothing more is done in their name', async () => {
    const leaver = await openColleague(world, 'admin');
    const ids = await people(2);
    const id = await order(ids, 'suspend', leaver);
    await disableMember(world.deps, { actor: by(boss), userId: leaver.userId, reason: 'left us' });
    afterTwoMinutes();
    await runAll();
    expect(await bulkOf(id)).toMatchObject({ state: 'stopped', lost_permission: true, done: 0 });
    expect(await statusesOf(ids)).toEqual(['active', 'active']);
  });

  test('signing out ends every session, and the user is told', async () => {
    const user = await world.user();
    const id = await order([user.id], 'end_sessions');
    afterTwoMinutes();
    await runAll();
    await expectOnce(id, [user.id], 'accounts.end-sessions');
    const { rows } = await sql`SELECT FROM session WHERE user_id = ${user.id} AND ended_at IS NULL`.execute(
      world.deps.db,
    );
    expect(rows).toEqual([]);
  });
});

describe('undoing', () => {
  async function suspended(ids: string[]) {
    const id = await order(ids);
    afterTwoMinutes();
    await runAll();
    return id;
  }
  const undo = (id: string) => undoBulk(world.deps, { actor: by(boss), id, reason: 'a mistake' });

  test('exactly those whom it suspended are open again, at once', async () => {
    const [before = ''] = await people(1);
    const ids = await people(2);
    await sql`UPDATE users SET status = 'suspended' WHERE id = ${before}`.execute(world.deps.db);
    const { id } = await undo(await suspended([before, ...ids]));
    await runAll();
    await expectOnce(id, ids, 'accounts.reopen');
    expect(await statusesOf([before, ...ids])).toEqual(['suspended', 'active', 'active']);
  });

  test('who was suspended anew since stays so', async () => {
    const { id: userId, email } = await makeUser(world);
    const first = await suspended([userId]);
    await reopenAccount(world.deps, { actor, email });
    await suspendAccount(world.deps, { actor, email });
    const { id } = await undo(first);
    await runAll();
    expect(await listItems(world.deps.db, id, { limit: 5 })).toMatchObject([{ state: 'failed', why: 'changed' }]);
    expect(await statusOf(userId)).toBe('suspended');
  });

  test('once, by any member; not before the end, nor of what has no way back', async () => {
    const ids = await people(2);
    const id = await suspended(ids);
    const asked = await Promise.allSettled([undo(id), undo(id), undo(id)]);
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(undo(id)).rejects.toMatchObject({ code: 'bulk_undone' });
    await runAll();
    const planned = await order(ids);
    await expect(undo(planned)).rejects.toMatchObject({ code: 'bulk_state' });
    await steerBulk(world.deps, { actor, id: planned, step: 'stop' });
    await expect(undo(planned)).rejects.toMatchObject({ code: 'bulk_nobody' });
    const final = await order(ids, 'end_sessions');
    await expect(undo(final)).rejects.toMatchObject({ code: 'bulk_final' });
    await steerBulk(world.deps, { actor, id: final, step: 'stop' });
  });
});

test('users of a server: those with a config there, in pages', async () => {
  const { body } = await admin.browser.post('/admin/people/search', { state: 'active', text: 'money' });
  const { people: found } = body.data as { people: { status: string }[] };
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['active']));
  const server = '00000000-0000-7000-8000-000000000001';
  const empty = await admin.browser.post('/admin/people/search', { server });
  expect(empty.body.data).toEqual({ people: [], next: null });
});
