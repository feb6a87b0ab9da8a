import type { Approval } from '@raha/contract/admin/approvals.ts';
import type { StaffPlan } from '@raha/contract/admin/plans.ts';
import type { Prices } from '@raha/contract/admin/prices.ts';
import type { Today } from '@raha/contract/admin/today.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { performers } from '../../src/modules/console/perform-approved.ts';
import { approveAct } from '../../src/modules/staff/approvals.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { changePlan } from '../plans.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** Prices and terms of plans that one member proposes hold once a second one approves them, as they were proposed. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const MINUTE = 60_000;
let world: TestWorld;
let admin: Colleague;
let finance: Colleague;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, keepsNodes: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  finance = await openColleague(world, 'finance');
  admin = await openColleague(world, 'admin');
});
afterAll(async () => {
  await world?.proveLedger();
  await world?.close();
});

const reason = 'the servers cost more';
const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * MINUTE).toISOString();

async function call(member: Colleague, path: string, body?: object) {
  const cookie = await openStaffSession(world, member.userId);
  const response = await fetch(`${world.origin}/api/v1/admin${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { cookie, 'x-raha-console': '1', 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = (await response.json()) as { code?: string; data?: unknown };
  return { status: response.status, ...answer };
}

const prices = async () => (await call(boss, '/prices')).data as Prices;
const planOf = async (id = 'basic', member = boss) => {
  const { plans } = (await call(member, '/plans')).data as { plans: StaffPlan[] };
  return plans.find((plan) => plan.id === id);
};
const listed = async (member = boss) =>
  ((await call(member, '/approvals')).data as { approvals: Approval[] }).approvals;
const approve = (id: string, member = boss) => call(member, `/approvals/${id}/approve`, {});

/** Proposes another price of a gigabyte; returns the proposal. */
async function proposePrice(cents: number, more: { readonly from?: string; readonly member?: Colleague } = {}) {
  const { member = finance, ...when } = more;
  const body = { usd_cents_per_gb: cents, reason, seen: (await prices()).seen, ...when };
  const { status, data } = await call(member, '/prices', body);
  expect({ status, data }).toMatchObject({ status: 200, data: { outcome: 'proposed', from: when.from ?? null } });
  return (data as { id: string }).id;
}

/** Proposes a change of a plan; returns the proposal, or the answer if there is none. */
async function changeOf(id: string, change: object, member = finance) {
  const seen = (await planOf(id))?.seen ?? null;
  const before = new Set((await listed()).map((known) => known.id));
  const answer = await call(member, `/plans/${id}`, { reason, seen, ...change });
  const made = (await listed()).find((known) => !before.has(known.id));
  return { ...answer, approval: made?.id ?? '' };
}

describe('the price of a gigabyte', () => {
  test('holds once a second member approves it; an admin proposes, and decides nothing', async () => {
    const id = await proposePrice(4, { member: admin });
    expect((await prices()).usd_cents_per_gb).toBe(3);
    const [shown] = (await listed(admin)).filter((known) => known.id === id);
    expect(shown).toMatchObject({ act: 'price', is_own: true, price: { before: 3, usd_cents_per_gb: 4, from: null } });
    expect((await approve(id, admin)).status).toBe(403);
    const waits = async (member: Colleague) =>
      ((await call(member, '/today')).data as Today).waiting.filter((item) => item.id === id).length;
    expect([await waits(finance), await waits(admin)]).toEqual([1, 0]);
    const both = await Promise.all([approve(id, finance), approve(id, boss)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { usd_cents_per_gb: cents, versions } = await prices();
    expect([cents, versions.length]).toEqual([4, 1]);
    const [entry] = await listEntries(world.deps.db, { action: 'prices.change' }, 5);
    expect(entry).toMatchObject({ reason, details: { approval: id, proposedBy: admin.userId, alone: false } });
  });

  test('is not changed by what was overtaken, nor at a moment that is over or too near', async () => {
    const [first, second] = [await proposePrice(5), await proposePrice(6)];
    expect((await approve(first)).status).toBe(200);
    expect(await approve(second)).toMatchObject({ status: 409, code: 'prices_changed' });
    const late = await proposePrice(7, { from: inMinutes(10) });
    clock.advance(9 * MINUTE);
    expect((await approve(late)).code).toBe('price_moment');
    clock.advance(MINUTE);
    expect((await approve(late)).code).toBe('approval_stale');
    expect((await prices()).usd_cents_per_gb).toBe(5);
    const planned = await proposePrice(7, { from: inMinutes(10) });
    expect((await approve(planned)).status).toBe(200);
    expect((await prices()).versions[0]).toMatchObject({ state: 'planned', usd_cents_per_gb: 7, by: boss.email });
    clock.advance(10 * MINUTE);
    expect((await prices()).usd_cents_per_gb).toBe(7);
  });

  test('is refused before it is proposed where it could not be changed either', async () => {
    const { seen } = await prices();
    const near = await call(finance, '/prices', { usd_cents_per_gb: 8, reason, seen, from: inMinutes(1) });
    expect(near.code).toBe('price_moment');
    expect((await call(finance, '/prices', { usd_cents_per_gb: 8, reason, seen: null })).code).toBe('prices_changed');
    const support = await openColleague(world, 'support');
    expect((await call(support, '/prices', { usd_cents_per_gb: 8, reason, seen })).status).toBe(403);
  });
});

describe('a plan', () => {
  test('has other terms once a second member approves them; its name and sale need one', async () => {
    const before = (await planOf()) as StaffPlan;
    const { approval } = await changeOf('basic', { price: 120_000, max_devices: 4 });
    expect((await planOf())?.price).toBe(before.price);
    const [shown] = (await listed()).filter(({ id }) => id === approval);
    expect(shown).toMatchObject({
      act: 'plan',
      plan: { before: { price: before.price }, after: { price: 120_000, max_devices: 4 }, from: null },
    });
    expect((await approve(approval, finance)).code).toBe('proposal_own');
    expect((await approve(approval)).status).toBe(200);
    expect(await planOf()).toMatchObject({ price: 120_000, max_devices: 4, traffic_bytes: before.traffic_bytes });
    const [entry] = await listEntries(world.deps.db, { action: 'plans.set' }, 1);
    expect(entry).toMatchObject({ target_id: 'basic', details: { approval, proposedBy: finance.userId } });
    // What is wrong in a hurry is taken off sale by one.
    expect(await changeOf('basic', { is_on: false })).toMatchObject({ status: 200, data: { outcome: 'done' } });
    expect((await changeOf('basic', { is_on: true }, admin)).status).toBe(403);
    expect((await changeOf('basic', { is_on: true })).status).toBe(200);
  });

  test('that is new is proposed, too, and made with its approval', async () => {
    const { approval } = await changeOf('family', { name_fa: 'خانواده', name_en: 'Family', price: 300_000 }, admin);
    expect(await planOf('family')).toBeUndefined();
    expect((await approve(approval)).status).toBe(200);
    expect(await planOf('family')).toMatchObject({ price: 300_000, name_en: 'Family', is_on: false });
  });

  test('is not changed by what was proposed by other terms than those of now', async () => {
    const { approval } = await changeOf('premium', { price: 250_000 });
    await changePlan(world, 'premium', { priceToman: 210_000n });
    expect((await approve(approval)).code).toBe('plans_changed');
    // A planned version that begins is no change of the plan, and yet other terms.
    const planned = await changeOf('premium', { max_devices: 9, from: inMinutes(10) });
    expect((await approve(planned.approval)).status).toBe(200);
    const cheaper = await changeOf('premium', { price: 150_000 });
    clock.advance(11 * MINUTE);
    expect((await approve(cheaper.approval)).code).toBe('plans_changed');
    expect(await planOf('premium')).toMatchObject({ price: 210_000, max_devices: 9 });
    expect(await changeOf('premium', { price: 210_000 })).toMatchObject({ code: 'plan_unchanged' });
    expect(await changeOf('premium', { original_price: 5 })).toMatchObject({ code: 'plan_original_price' });
  });

  test('is changed at the machine by what was proposed, and by one member where the setting says so', async () => {
    const { approval } = await changeOf('premium', { price: 160_000 });
    await approveAct(world.deps, { actor, id: approval }, performers(world.deps));
    expect(await planOf('premium')).toMatchObject({ price: 160_000 });
    await setSettingByKey(world.deps.db, 'approvals.pricesAlone', 'true', clock.now());
    expect(await changeOf('premium', { price: 170_000 })).toMatchObject({ data: { outcome: 'done' } });
    expect(await planOf('premium')).toMatchObject({ price: 170_000 });
    // An admin still only proposes.
    expect(await changeOf('premium', { price: 1_000 }, admin)).toMatchObject({ data: { outcome: 'proposed' } });
    await setSettingByKey(world.deps.db, 'approvals.pricesAlone', 'false', clock.now());
  });
});
