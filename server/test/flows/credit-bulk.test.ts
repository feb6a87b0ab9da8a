import type { BulkFacts } from '@raha/contract/admin/bulk.ts';
import type { Proposal } from '@raha/contract/admin/money.ts';
import type { Today } from '@raha/contract/admin/today.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bulkCommands } from '../../src/cli/bulk-commands.ts';
import type { Command, Context } from '../../src/cli/context.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { findBulk, listItems } from '../../src/modules/bulk/list-bulks.ts';
import { runBulks } from '../../src/modules/bulk/run-bulks.ts';
import { steerBulk } from '../../src/modules/bulk/steer-bulk.ts';
import { fundsAdded } from '../../src/modules/ledger/jobs.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { withBreak } from '../break-connection.ts';
import { makeUser, walletOf } from '../money/bench.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** The same credit for many users: one sum, ordered by one member and approved by another, each user once. */

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let support: Colleague;
let finance: Colleague;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, keepsNodes: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  finance = await openColleague(world, 'finance');
  support = await openColleague(world, 'support');
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const EACH = 20_000;
const reason = 'an outage of six hours';
const message = 'بابت قطعی دیروز؛ عذر ما را بپذیرید.';
const by = ({ userId }: Colleague) => ({ kind: 'staff', userId }) as const;
const post = (member: Colleague, path: string, body: unknown) => member.browser.post(`/admin${path}`, body);
const runAll = () => runBulks(world.deps);
const walletsOf = (ids: readonly string[]) => Promise.all(ids.map((id) => walletOf(world, id)));

async function people(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push((await makeUser(world)).id);
  return made;
}

/** Jobs that connect users again; nothing works on them here. */
async function restoresOf(): Promise<number> {
  const { rows } = await sql`SELECT FROM pgboss.job WHERE name = ${fundsAdded.name}`.execute(world.deps.db);
  return rows.length;
}

/** Days go by: as after signing in again. */
async function renew(member: Colleague): Promise<void> {
  const now = clock.now();
  await sql`
    UPDATE staff_session SET created_at = ${now}, last_used_at = ${now}, proved_at = ${now},
      expires_at = ${new Date(now.getTime() + 3_600_000)}
    WHERE user_id = ${member.userId}
  `.execute(world.deps.db);
}

const ask = (member: Colleague, ids: readonly string[], more: object = {}) =>
  post(member, '/bulks/credit', { whom: { ids }, toman: EACH, sum: EACH * ids.length, message, reason, ...more });

async function order(ids: readonly string[], member = support): Promise<{ bulk: string; proposal: string }> {
  await renew(member);
  const asked = await ask(member, ids);
  expect(asked).toMatchObject({ status: 200, body: { data: { people: ids.length, sum: EACH * ids.length } } });
  const { id: bulk } = asked.body.data as { id: string };
  const proposal = (await proposals(member)).find((known) => known.bulk?.id === bulk)?.id ?? '';
  return { bulk, proposal };
}

async function approve(proposal: string, member = finance) {
  await renew(member);
  return await post(member, `/proposals/${proposal}/approve`, {});
}

/** Ordered, approved, and due. */
async function approved(ids: readonly string[]): Promise<string> {
  const { bulk, proposal } = await order(ids);
  expect((await approve(proposal)).status).toBe(200);
  clock.advance(121_000);
  return bulk;
}

async function proposals(member = boss): Promise<Proposal[]> {
  await renew(member);
  return ((await member.browser.call('GET', '/admin/proposals')).body.data as { proposals: Proposal[] }).proposals;
}

async function bulkOf(id: string) {
  const bulk = await findBulk(world.deps.db, id);
  if (!bulk) throw new Error('the bulk is missing');
  return bulk;
}

/** Each was paid once: in the wallet, in the counts, and in the audit. */
async function expectOnce(bulk: string, ids: readonly string[]): Promise<void> {
  const { state, done, failed } = await bulkOf(bulk);
  expect([state, done, failed]).toEqual(['done', ids.length, 0]);
  expect(await walletsOf(ids)).toEqual(ids.map(() => EACH));
  for (const id of ids) {
    const entries = await listEntries(world.deps.db, { action: 'accounts.adjust', target: { kind: 'user', id } }, 10);
    expect(entries.map(({ details }) => (details as { bulk?: string }).bulk)).toEqual([bulk]);
  }
  await world.proveLedger();
}

describe('ordering and approving', () => {
  test('a second member approves the sum; two minutes later each is paid once, told, and connected again', async () => {
    const user = await world.user({ usdCents: 0 });
    const ids = [user.id, ...(await people(2))];
    const { bulk, proposal } = await order(ids);
    clock.advance(300_000);
    await runAll();
    expect(await walletsOf(ids)).toEqual([0, 0, 0]);

    expect((await proposals(finance)).find(({ id }) => id === proposal)).toMatchObject({
      ...{ kind: 'bulk', state: 'open', user: null, amount: 3 * EACH, reason, proposed_by: support.email },
      bulk: { id: bulk, people: 3, each: EACH, message },
    });
    const today = (await finance.browser.call('GET', '/admin/today')).body.data as Today;
    expect(today.waiting).toContainEqual(
      expect.objectContaining({ kind: 'proposal', id: proposal, user: null, people: 3, amount: 3 * EACH }),
    );
    expect((await approve(proposal)).status).toBe(200);
    await runAll();
    expect(await walletsOf(ids)).toEqual([0, 0, 0]);
    const restores = await restoresOf();
    clock.advance(121_000);
    await runAll();
    await expectOnce(bulk, ids);

    const [entry] = await listEntries(world.deps.db, { target: { kind: 'user', id: user.id } }, 1);
    expect(entry).toMatchObject({
      ...{ actor: finance.userId, reason },
      details: { amountToman: EACH, bulk, proposal, proposedBy: support.userId, alone: false },
    });
    const { notifications } = (await user.api.listNotifications()).data;
    expect(notifications.find(({ kind }) => kind === 'balance_adjusted')?.message).toContain(message);
    expect(await restoresOf()).toBe(restores + 3);
    const facts = (await finance.browser.call('GET', `/admin/bulks/${bulk}`)).body.data as BulkFacts;
    expect(facts).toMatchObject({ approved_by: finance.email, alone: false, toman: EACH, message, may_undo: false });
    await renew(boss);
    const undo = await post(boss, `/bulks/${bulk}/undo`, { reason: 'a mistake' });
    expect(undo).toMatchObject({ status: 409, body: { code: 'bulk_final' } });
  });

  test('never who ordered it, nor who may not decide; of two at once one does', async () => {
    const { bulk, proposal } = await order(await people(1), boss);
    expect((await approve(proposal, boss)).body.code).toBe('proposal_own');
    expect((await approve(proposal, support)).status).toBe(403);
    await renew(finance);
    const both = await Promise.all([0, 1].map(() => post(finance, `/proposals/${proposal}/approve`, {})));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    await steerBulk(world.deps, { actor: by(finance), id: bulk, step: 'stop' });
    expect(await bulkOf(bulk)).toMatchObject({ state: 'cancelled', done: 0 });
    const [stopped] = await listEntries(world.deps.db, { target: { kind: 'bulk', id: bulk } }, 1);
    expect(stopped).toMatchObject({ action: 'credits.stop', actor: finance.userId });
    await world.proveLedger();
  });

  test('the sum is what was shown, to the toman', async () => {
    const ids = await people(2);
    await renew(support);
    const wrong = await ask(support, ids, { sum: EACH });
    expect(wrong).toMatchObject({
      status: 409,
      body: { code: 'bulk_sum', message: expect.stringContaining('۴۰٬۰۰۰') },
    });
    for (const more of [
      { toman: 0, sum: 1 },
      { toman: 1.5, sum: 3 },
      { message: ' ' },
      { message: 'x'.repeat(201) },
      { reason: '' },
    ])
      expect((await ask(support, ids, more)).status).toBe(422);
    clock.advance(5 * 60_000 + 1);
    expect(await ask(support, ids)).toMatchObject({ status: 401, body: { code: 'proof_needed' } });
  });

  test('declined by another, withdrawn by who ordered it, or too late: nobody is paid', async () => {
    const ids = await people(1);
    const declined = await order(ids);
    const withdrawn = await order(ids);
    const late = await order(ids);
    await renew(finance);
    expect((await post(finance, `/proposals/${declined.proposal}/decline`, { reason: 'too much' })).status).toBe(200);
    expect((await post(finance, `/proposals/${withdrawn.proposal}/withdraw`, { reason: 'mine?' })).status).toBe(404);
    expect((await post(support, `/proposals/${withdrawn.proposal}/withdraw`, { reason: 'a mistake' })).status).toBe(
      200,
    );
    clock.advance(72 * 3_600_000);
    for (const { proposal } of [declined, withdrawn, late])
      expect((await approve(proposal)).body.code).toBe('proposal_over');
    await runAll();
    for (const { bulk } of [declined, withdrawn, late])
      expect(await bulkOf(bulk)).toMatchObject({ state: 'cancelled', starts_at: null, done: 0 });
    expect((await proposals()).find(({ id }) => id === late.proposal)?.state).toBe('expired');
    expect(await walletsOf(ids)).toEqual([0]);
    await world.proveLedger();
  });

  test('while it waits it is neither stopped nor paused, and what was ordered cannot be altered', async () => {
    const [one = '', other = ''] = await people(2);
    const { bulk, proposal } = await order([one]);
    for (const step of ['pause', 'continue', 'stop'] as const)
      await expect(steerBulk(world.deps, { actor: by(boss), id: bulk, step })).rejects.toMatchObject({
        code: 'bulk_state',
      });
    const { db } = world.deps;
    for (const statement of [
      sql`UPDATE bulk SET each_toman = 90000 WHERE id = ${bulk}`,
      sql`UPDATE bulk_item SET user_id = ${other} WHERE bulk_id = ${bulk}`,
      sql`DELETE FROM bulk_item WHERE bulk_id = ${bulk}`,
      sql`UPDATE correction_proposal SET each_toman = 90000, amount_toman = 90000 WHERE id = ${proposal}`,
    ])
      await expect(statement.execute(db)).rejects.toThrow(/does not change what was ordered/);
    await sql`INSERT INTO bulk_item (bulk_id, user_id) VALUES (${bulk}, ${other})`.execute(db);
    expect((await approve(proposal)).body.code).toBe('proposal_stale');
    const own = sql`
      UPDATE correction_proposal SET state = 'done', decided_by = proposed_by, decided_at = now() WHERE id = ${proposal}
    `.execute(db);
    await expect(own).rejects.toThrow(/correction_proposal_two_members/);
    await sql`ALTER TABLE bulk_item DISABLE TRIGGER bulk_item_stays`.execute(db);
    await sql`DELETE FROM bulk_item WHERE user_id = ${other}`.execute(db);
    await sql`ALTER TABLE bulk_item ENABLE TRIGGER bulk_item_stays`.execute(db);
    await renew(boss);
    expect((await post(boss, `/proposals/${proposal}/decline`, { reason: 'altered' })).status).toBe(200);
  });

  test('the same request twice is one order', async () => {
    const ids = await people(1);
    await renew(support);
    const send = async () => {
      const answer = await fetch(`${world.origin}${API_BASE}/admin/bulks/credit`, {
        method: 'POST',
        headers: {
          ...{ cookie: support.browser.cookies(), 'x-raha-console': '1', 'content-type': 'application/json' },
          'idempotency-key': 'one-credit',
        },
        body: JSON.stringify({ whom: { ids }, toman: EACH, sum: EACH, message, reason }),
      });
      return (await answer.json()) as { data: { id: string } };
    };
    const [one, two] = await Promise.all([send(), send()]);
    expect(one.data).toEqual(two.data);
  });
});

describe('running', () => {
  test('who works here or is erased is left out, and the sum that was paid is less', async () => {
    const [gone = '', fine = ''] = await people(2);
    const bulk = await approved([gone, fine, boss.userId]);
    await deleteAccount(world.deps, gone);
    await runAll();
    expect(await bulkOf(bulk)).toMatchObject({ state: 'done', done: 1, failed: 2 });
    const whys = new Map(
      (await listItems(world.deps.db, bulk, { limit: 5 })).map(({ user_id, why }) => [user_id, why]),
    );
    expect([gone, fine, boss.userId].map((id) => whys.get(id))).toEqual(['gone', null, 'staff']);
    await renew(finance);
    const csv = await fetch(`${world.origin}${API_BASE}/admin/bulks/${bulk}/outcome.csv`, {
      headers: { cookie: finance.browser.cookies() },
    });
    const lines = (await csv.text()).trim().split('\r\n');
    expect(lines.filter((line) => line.endsWith(`,${EACH}`))).toHaveLength(1);
    await world.proveLedger();
  });

  test('two workers at once, and a pause in the middle: each once', async () => {
    const ids = await people(12);
    const bulk = await approved(ids);
    const pause = steerBulk(world.deps, { actor: by(finance), id: bulk, step: 'pause' }).catch(() => undefined);
    await Promise.all([runAll(), runAll(), runAll(), pause]);
    if ((await bulkOf(bulk)).state === 'paused') {
      const paid = (await walletsOf(ids)).reduce((sum, toman) => sum + toman, 0);
      expect(paid).toBe((await bulkOf(bulk)).done * EACH);
      await steerBulk(world.deps, { actor: by(boss), id: bulk, step: 'continue' });
    }
    await Promise.all([runAll(), runAll()]);
    await expectOnce(bulk, ids);
  });

  test('stopped in the middle, what was paid stays, and no more is paid', async () => {
    const ids = await people(3);
    const bulk = await approved(ids);
    await withBreak({ commit: 2 }, () => runAll().catch(() => undefined));
    await steerBulk(world.deps, { actor: by(finance), id: bulk, step: 'stop' });
    await runAll();
    const { done } = await bulkOf(bulk);
    expect(await bulkOf(bulk)).toMatchObject({ state: 'stopped', failed: 0 });
    expect((await walletsOf(ids)).filter((toman) => toman === EACH)).toHaveLength(done);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(3);
    await world.proveLedger();
  });

  test('killed at each statement, and after each commit, a user is paid once or not at all', async () => {
    const ids = await people(3);
    const bulk = await approved(ids);
    for (let statement = 1; ; statement += 1) {
      const broken = await withBreak({ statement }, () => runAll().catch(() => undefined));
      const paid = (await walletsOf(ids)).filter((toman) => toman !== 0);
      expect(paid).toEqual(Array.from({ length: (await bulkOf(bulk)).done }, () => EACH));
      if (broken === undefined) break;
      expect(statement).toBeLessThan(500);
    }
    await runAll();
    await expectOnce(bulk, ids);
    const more = await people(3);
    const next = await approved(more);
    for (let commit = 1; ; commit += 1)
      if ((await withBreak({ commit }, () => runAll().catch(() => undefined))) === undefined) break;
    await runAll();
    await expectOnce(next, more);
  });

  test.each(['who ordered it', 'who approved it'])('%s leaves: nobody else is paid', async (who) => {
    const orders = await openColleague(world, 'support');
    const approves = await openColleague(world, 'finance');
    const ids = await people(2);
    const { bulk, proposal } = await order(ids, orders);
    expect((await approve(proposal, approves)).status).toBe(200);
    const { userId } = who === 'who ordered it' ? orders : approves;
    await disableMember(world.deps, { actor, userId });
    clock.advance(121_000);
    await runAll();
    expect(await bulkOf(bulk)).toMatchObject({ state: 'stopped', lost_permission: true, done: 0 });
    expect(await walletsOf(ids)).toEqual([0, 0]);
    await disableMember(world.deps, { actor, userId: (userId === orders.userId ? approves : orders).userId });
  });
});

test('the command line orders it alone, and no more than once for each', async () => {
  const ids = await people(2);
  const run = async (name: string, flags: Context['flags']) =>
    await (bulkCommands[name] as Command).run({ ...world.deps, flags, positionals: [] });
  const flags = { toman: String(EACH), message, ids: ids.join(','), reason };
  await expect(run('bulk credit', { ...flags, toman: '0' })).rejects.toThrow();
  await expect(run('bulk order', { ...flags, act: 'credit' })).rejects.toThrow(/bulk credit/);
  const { data } = await run('bulk credit', flags);
  const { id } = data as { id: string };
  clock.advance(121_000);
  await runAll();
  await runAll();
  await expectOnce(id, ids);
  expect((await run('bulk show', { id })).lines.join()).toContain(`${2 * EACH} paid, 0 not paid`);
});

test('one who is alone waits a day, then does it with the mark, and the ledger’s proof knows it', async () => {
  await disableMember(world.deps, { actor, userId: finance.userId });
  const ids = await people(2);
  const { bulk, proposal } = await order(ids, boss);
  expect((await approve(proposal, boss)).body.code).toBe('proposal_waits');
  clock.advance(24 * 3_600_000);
  expect((await approve(proposal, boss)).status).toBe(200);
  clock.advance(121_000);
  await runAll();
  await expectOnce(bulk, ids);
  const [entry] = await listEntries(world.deps.db, { action: 'credits.approve' }, 1);
  expect(entry).toMatchObject({ actor: boss.userId, details: { alone: true, people: 2, tomanSum: 2 * EACH } });
  const facts = (await boss.browser.call('GET', `/admin/bulks/${bulk}`)).body.data as BulkFacts;
  expect(facts).toMatchObject({ approved_by: boss.email, alone: true });
});
