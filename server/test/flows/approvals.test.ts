import { randomUUID } from 'node:crypto';
import type { Approval } from '@raha/contract/admin/approvals.ts';
import type { Today } from '@raha/contract/admin/today.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { performers } from '../../src/modules/console/perform-approved.ts';
import { approveAct, declineAct } from '../../src/modules/staff/approvals.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** What one member proposes and a second one decides: gift cards beyond what one may issue, exactly as they were proposed. */

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const LIMIT = 5_000;
let world: TestWorld;
let finance: Colleague;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, keepsNodes: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  finance = await openColleague(world, 'finance');
});
afterAll(async () => {
  await world?.proveLedger();
  await world?.close();
});

/** More than the limit. */
const cards = { count: 5, usd_cents: 1_250, note: 'a shop', reason: 'an order of the shop' };

/** In a session of now, whose factor was shown so many minutes ago. */
async function call(
  member: Colleague,
  path: string,
  body?: object,
  more: { readonly key?: string; readonly minutesAgo?: number } = {},
) {
  const provedAt = new Date(clock.now().getTime() - (more.minutesAgo ?? 0) * 60_000);
  const cookie = await openStaffSession(world, member.userId, provedAt);
  const key = more.key === undefined ? {} : { 'idempotency-key': more.key };
  const response = await fetch(`${world.origin}/api/v1/admin${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { cookie, 'x-raha-console': '1', 'content-type': 'application/json', ...key },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = (await response.json()) as { code?: string; data?: unknown; details?: unknown };
  return { status: response.status, ...answer };
}

async function issue(member = finance, more: object = {}, key?: string) {
  const answer = await call(member, '/gift-cards', { ...cards, ...more }, key === undefined ? {} : { key });
  return answer.data as { outcome: 'done' | 'proposed'; id: string };
}

async function propose(member = finance, more: object = {}): Promise<string> {
  const { outcome, id } = await issue(member, more);
  expect(outcome).toBe('proposed');
  return id;
}

const approve = (id: string, member = boss) => call(member, `/approvals/${id}/approve`, {});
const decline = (id: string, member = boss) => call(member, `/approvals/${id}/decline`, { reason: 'too many' });
const withdraw = (id: string, member = finance) => call(member, `/approvals/${id}/withdraw`, { reason: 'a mistake' });

async function approvalOf(id: string, member = finance): Promise<Approval | undefined> {
  const { data } = await call(member, '/approvals');
  return (data as { approvals: Approval[] }).approvals.find((known) => known.id === id);
}

const left = async (member = finance) =>
  ((await call(member, '/gift-cards')).data as { alone: { usd_cents: number; hours: number | null } }).alone;

async function countBatches(): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`SELECT count(*) AS count FROM gift_card_batch`.execute(world.deps.db);
  return Number(rows[0]?.count);
}
const entriesOf = (id: string) => listEntries(world.deps.db, { target: { kind: 'approval', id } }, 10);

describe('what one member may issue alone', () => {
  test('is up to the limit of thirty days, by all members together; beyond, it is proposed', async () => {
    expect(await left()).toEqual({ usd_cents: LIMIT, hours: null });
    expect((await issue(finance, { count: 2 })).outcome).toBe('done');
    expect((await left()).usd_cents).toBe(LIMIT - 2_500);
    expect((await issue(boss, { count: 3 })).outcome).toBe('proposed');
    expect((await issue(boss, { count: 2 })).outcome).toBe('done');
    expect((await issue(finance, { count: 1, usd_cents: 1 })).outcome).toBe('proposed');
    clock.advance(31 * 86_400_000);
    expect((await issue(finance, { count: 4 })).outcome).toBe('done');
  });

  test('twenty at once stay within it', async () => {
    clock.advance(31 * 86_400_000);
    const before = await countBatches();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => issue(n % 2 === 0 ? finance : boss, { count: 1, usd_cents: 1_000 })),
    );
    expect(all.filter(({ outcome }) => outcome === 'done')).toHaveLength(5);
    expect(await countBatches()).toBe(before + 5);
    expect((await left()).usd_cents).toBe(0);
  });

  test('is nothing if the setting says so', async () => {
    clock.advance(31 * 86_400_000);
    await setSettingByKey(world.deps.db, 'approvals.cardsUsdCents', '0', clock.now());
    expect((await issue(finance, { count: 1, usd_cents: 1 })).outcome).toBe('proposed');
    await setSettingByKey(world.deps.db, 'approvals.cardsUsdCents', String(LIMIT), clock.now());
  });
});

describe('a batch that was proposed', () => {
  test('is issued when a second member approves it, with both in the audit', async () => {
    const before = await countBatches();
    const id = await propose();
    expect(await countBatches()).toBe(before);
    expect(await approvalOf(id)).toMatchObject({
      ...{ act: 'cards', state: 'open', is_own: true, alone_from: null, proposed_by: finance.email, made: null },
      cards: { count: 5, usd_cents: 1_250, expires: null, note: 'a shop' },
    });
    expect((await approve(id, finance)).code).toBe('proposal_own');
    const old = await call(boss, `/approvals/${id}/approve`, {}, { minutesAgo: 6 });
    expect(old).toMatchObject({ status: 401, code: 'proof_needed' });
    expect((await approve(id)).status).toBe(200);
    expect(await countBatches()).toBe(before + 1);
    const done = await approvalOf(id);
    expect(done).toMatchObject({ state: 'done', decided_by: boss.email, at_machine: false, alone: false });
    const target = { kind: 'batch', id: done?.made ?? '' };
    const [entry, ...others] = await listEntries(world.deps.db, { target }, 5);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      ...{ action: 'gift-cards.issue', actor: boss.userId, reason: cards.reason },
      details: { count: 5, usdCents: 1_250, approval: id, proposedBy: finance.userId, alone: false },
    });
    // It counts for nobody's limit.
    expect((await left()).usd_cents).toBe(LIMIT);
  });

  test('waits on the first screen of who may decide, and of nobody else', async () => {
    const id = await propose();
    const support = await openColleague(world, 'support');
    const waiting = async (member: Colleague) =>
      ((await call(member, '/today')).data as Today).waiting.filter((item) => item.id === id);
    expect(await waiting(boss)).toMatchObject([{ kind: 'approval', act: 'cards', amount: null, user: null }]);
    expect(await waiting(support)).toEqual([]);
    expect((await call(support, '/approvals')).status).toBe(403);
    expect((await approve(id, support)).status).toBe(403);
    expect((await withdraw(id)).status).toBe(200);
    expect(await waiting(boss)).toEqual([]);
  });

  test('sent twice at once with one key, it is proposed once', async () => {
    const key = randomUUID();
    const same = await Promise.all([issue(finance, {}, key), issue(finance, {}, key), issue(finance, {}, key)]);
    expect(new Set(same.map(({ id }) => id)).size).toBe(1);
    const [first] = same;
    expect(first?.outcome).toBe('proposed');
    expect(await entriesOf(first?.id ?? '')).toHaveLength(1);
    expect(await issue(finance, {}, key)).toEqual(first);
  });

  test.for([
    [
      'approved by two, and twice by one',
      (id: string, third: Colleague) => [approve(id), approve(id, third), approve(id)],
    ],
    [
      'approved, declined and withdrawn',
      (id: string, third: Colleague) => [approve(id), decline(id, third), withdraw(id)],
    ],
    ['declined and withdrawn', (id: string, third: Colleague) => [decline(id), withdraw(id), decline(id, third)]],
  ] as const)('%s at once: one thing happens', async ([, race]) => {
    const third = await openColleague(world, 'finance');
    for (let round = 0; round < 5; round += 1) {
      const before = await countBatches();
      const id = await propose();
      const answers = await Promise.all(race(id, third));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const state = (await approvalOf(id))?.state;
      expect(await countBatches()).toBe(before + (state === 'done' ? 1 : 0));
      const { rows } = await sql<{ count: bigint }>`
        SELECT count(*) AS count FROM gift_card_batch WHERE approval_id = ${id}
      `.execute(world.deps.db);
      expect(Number(rows[0]?.count)).toBe(state === 'done' ? 1 : 0);
      const decisions = (await entriesOf(id)).filter(({ action }) => action !== 'approvals.propose');
      expect(decisions).toHaveLength(state === 'done' ? 0 : 1);
    }
  });

  test('declined, withdrawn, too late, or with an end that is over: nothing is issued', async () => {
    const before = await countBatches();
    const declined = await propose();
    const withdrawn = await propose();
    const late = await propose();
    const stale = await propose(finance, { expires: addDays(clock.now(), 1).toISOString() });
    expect((await decline(declined, finance)).code).toBe('proposal_own');
    expect((await decline(declined)).status).toBe(200);
    expect((await withdraw(withdrawn, boss)).status).toBe(404);
    expect((await withdraw(withdrawn)).status).toBe(200);
    expect((await approve(randomUUID())).status).toBe(404);
    clock.advance(25 * 3_600_000);
    expect((await approve(stale)).code).toBe('approval_stale');
    expect((await approvalOf(stale))?.state).toBe('open');
    clock.advance(48 * 3_600_000);
    for (const id of [declined, withdrawn, late]) expect((await approve(id)).code).toBe('proposal_over');
    expect((await approvalOf(late))?.state).toBe('expired');
    expect(await countBatches()).toBe(before);
  });

  test('cannot be altered, and the database refuses a proposer who decides without the mark, or a second batch', async () => {
    const { db } = world.deps;
    const id = await propose();
    const altered = sql`UPDATE approval SET payload = payload || '{"count": 9000}' WHERE id = ${id}`.execute(db);
    await expect(altered).rejects.toThrow(/does not change what was ordered/);
    const own = sql`
      UPDATE approval SET state = 'done', decided_by = proposed_by, decided_at = now() WHERE id = ${id}
    `.execute(db);
    await expect(own).rejects.toThrow(/approval_two_members/);
    expect((await approve(id)).status).toBe(200);
    const again = sql`
      INSERT INTO gift_card_batch (id, created_at, approval_id) VALUES (gen_random_uuid(), now(), ${id})
    `.execute(db);
    await expect(again).rejects.toThrow(/approval_id/);
  });

  test('is decided at the machine at once, in the name of its user', async () => {
    const id = await propose();
    await approveAct(world.deps, { actor, id }, performers(world.deps));
    expect(await approvalOf(id)).toMatchObject({ state: 'done', decided_by: null, at_machine: true, alone: false });
    const again = approveAct(world.deps, { actor, id }, performers(world.deps));
    await expect(again).rejects.toMatchObject({ code: 'proposal_over' });
    const other = await propose();
    await declineAct(world.deps, { actor, id: other, reason: 'too many' });
    expect((await approvalOf(other))?.state).toBe('declined');
    const [entry] = await listEntries(world.deps.db, { action: 'gift-cards.issue' }, 1);
    expect(entry).toMatchObject({ actor_kind: 'command-line', details: { approval: id, proposedBy: finance.userId } });
  });

  test('by a member who was disabled meanwhile is decided by nobody of theirs', async () => {
    const other = await openColleague(world, 'finance');
    const id = await propose();
    await disableMember(world.deps, { actor, userId: other.userId });
    const late = approveAct(world.deps, { actor: { kind: 'staff', userId: other.userId }, id }, performers(world.deps));
    await expect(late).rejects.toMatchObject({ code: 'forbidden' });
    expect((await approvalOf(id))?.state).toBe('open');
  });
});

test('one who is alone waits for the hours of the setting, or confirms at the machine; both carry the mark', async () => {
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM staff_member WHERE disabled_at IS NULL AND user_id <> ${boss.userId}
  `.execute(world.deps.db);
  for (const { user_id: userId } of rows) await disableMember(world.deps, { actor, userId });
  const id = await propose(boss);
  expect((await left(boss)).hours).toBe(24);
  expect(await approve(id)).toMatchObject({ status: 409, code: 'proposal_waits' });
  const from = (await approvalOf(id, boss))?.alone_from ?? '';
  clock.advance(Date.parse(from) - clock.now().getTime() - 1_000);
  expect((await approve(id)).code).toBe('proposal_waits');
  clock.advance(1_000);
  expect((await approve(id)).status).toBe(200);
  expect(await approvalOf(id, boss)).toMatchObject({ state: 'done', alone: true, decided_by: boss.email });
  const [entry] = await listEntries(world.deps.db, { action: 'gift-cards.issue' }, 1);
  expect(entry?.details).toMatchObject({ approval: id, alone: true });
  const other = await propose(boss);
  await approveAct(world.deps, { actor, id: other }, performers(world.deps));
  expect(await approvalOf(other, boss)).toMatchObject({ state: 'done', alone: true, at_machine: true });
});
