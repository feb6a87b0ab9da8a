import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { setPhone } from '../../src/modules/accounts/users.ts';
import { markTrials, tellTrials } from '../../src/modules/billing/tell-trials.ts';
import { createConfig } from '../../src/modules/configs/create-config.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { changePlan } from '../plans.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Free traffic of a trial ends at the byte, whichever node counts it, in any order (audit M8; decision 64). */
const MB = 1_000_000;
const DAY = 86_400_000;
const clock = manualClock(new Date());
let world: TestWorld;
let nodes: FakeNode[];

beforeAll(async () => {
  world = await openTestWorld({ clock });
  nodes = [await enrolFakeNode(world), await enrolFakeNode(world)];
  await set('trial.passwordlessDays', '14');
  await changePlan(world, 'basic', { priceToman: 9_000n, trafficLimitBytes: 50_000_000_000n, maxDevices: 5 });
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

const set = (key: string, value: string) => setSettingByKey(world.deps.db, key, value, clock.now());

interface Device {
  readonly id: string;
  readonly node: FakeNode;
  down: number;
}

let named = 0;

async function device(user: TestUser, node = nodes[0] as FakeNode): Promise<Device> {
  await node.report([]);
  named += 1;
  const order = { name: `phone ${named}`, serverId: node.id, protocol: 'wireguard' as const };
  const { config } = await createConfig(world.deps, user.id, order);
  await node.settle();
  return { id: config.id, node, down: 0 };
}

/** Lets a device use up to `bytes`, as far as its lease allows, and reports it. */
async function use(one: Device, bytes: number): Promise<number> {
  const reach = Math.max(one.down, Math.min(one.down + bytes, one.node.limitOf(one.id)));
  const used = reach - one.down;
  one.down = reach;
  await one.node.report([{ config: one.id, down: reach }]);
  return used;
}

/** Uses exactly so much, in as many leases as that takes. */
async function useAll(one: Device, bytes: number): Promise<void> {
  for (let left = bytes, turns = 0; left > 0 && turns < 100; turns += 1) {
    left -= await use(one, left);
    await one.node.sync();
  }
}

async function stateOf(user: TestUser) {
  const { rows } = await sql<{ used: bigint; free: bigint; paid: bigint; unpaid: bigint; reason: string | null }>`
    SELECT t.used_bytes AS used, t.end_reason AS reason, coalesce(sum(least(m.billed_bytes, m.trial_bytes)), 0)::bigint AS free,
      coalesce(sum(m.billed_bytes - least(m.billed_bytes, m.trial_bytes)), 0)::bigint AS paid,
      coalesce(sum(m.unpaid_bytes), 0)::bigint AS unpaid
    FROM trial t LEFT JOIN meter m USING (user_id) WHERE t.user_id = ${user.id} GROUP BY t.user_id
  `.execute(world.deps.db);
  const row = rows[0] as (typeof rows)[0];
  const number = (key: 'used' | 'free' | 'paid' | 'unpaid') => Number(row[key]);
  return {
    used: number('used'),
    free: number('free'),
    paid: number('paid'),
    unpaid: number('unpaid'),
    reason: row.reason,
  };
}

describe('the limit', () => {
  test('one device: free to the byte, in a lease that goes on with the wallet', async () => {
    await set('trial.gb', '0.02');
    const user = await world.user({ usdCents: 500 });
    const phone = await device(user);
    const { balance } = (await user.api.me()).user;
    await useAll(phone, 19_999_999);
    expect(await stateOf(user)).toMatchObject({ used: 19_999_999, free: 19_999_999, paid: 0, reason: null });
    // Already leased beyond the limit: no device waits for the next report.
    expect(phone.node.limitOf(phone.id)).toBeGreaterThan(20 * MB);
    await useAll(phone, 10 * MB + 1);
    expect(await stateOf(user)).toEqual({ used: 20 * MB, free: 20 * MB, paid: 10 * MB, unpaid: 0, reason: 'traffic' });
    // 10 MB at 2,400 toman per GB.
    expect((await user.api.me()).user.balance).toBe(balance - 24);
  });

  test('nobody pays: the last bytes can be used, and the rest waits for money', async () => {
    await set('trial.gb', '0.02');
    await set('trial.requiresActivation', 'false');
    const user = await world.user({ usdCents: 0 });
    const phone = await device(user);
    await useAll(phone, 50 * MB);
    const state = await stateOf(user);
    expect(state).toMatchObject({ free: 20 * MB, paid: 0, reason: 'traffic' });
    expect(state.unpaid).toBeLessThan(200_000);
    expect(phone.node.limitOf(phone.id)).toBe(phone.down);
    await user.api.activateAccount({ body: { giftCardCode: await world.giftCard(100) } });
    await phone.node.sync();
    await useAll(phone, 1 * MB);
    expect(await stateOf(user)).toMatchObject({ free: 20 * MB, paid: phone.down - 20 * MB, unpaid: 0 });
    await set('trial.requiresActivation', 'true');
  });

  test('property: however usage is split among devices and servers, free is min(used, limit) and the rest is billed', async () => {
    const step = fc.record({
      device: fc.nat({ max: 2 }),
      bytes: fc.integer({ min: 0, max: 9 * MB }),
      how: fc.constantFrom('once', 'twice', 'deaf', 'late'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('0.003', '0.02', '0.05'),
        fc.array(step, { minLength: 1, maxLength: 25 }),
        async (gb, steps) => {
          await set('trial.gb', gb);
          const user = await world.user({ usdCents: 500 });
          const [here, there] = nodes as [FakeNode, FakeNode];
          const devices = [await device(user, here), await device(user, there), await device(user, here)];
          for (const { device: index, bytes, how } of steps) {
            const one = devices[index] as Device;
            if (how === 'late') {
              // Used now, reported with the next report.
              one.down = Math.max(one.down, Math.min(one.down + bytes, one.node.limitOf(one.id)));
              continue;
            }
            await use(one, bytes);
            if (how === 'twice') await use(one, 0);
            if (how !== 'deaf') await one.node.sync();
          }
          // Two reports at the same time, then each node hears of everything.
          await Promise.all(devices.slice(0, 2).map((one) => use(one, 1 * MB)));
          for (let turn = 0; turn < 2; turn += 1)
            for (const one of devices) {
              await one.node.sync();
              await use(one, 0);
            }
          const total = devices.reduce((sum, { down }) => sum + down, 0);
          const limit = Number(gb) * 1000 * MB;
          const state = await stateOf(user);
          expect(state.free).toBe(Math.min(total, limit));
          expect(state.paid + state.unpaid).toBe(total - state.free);
          expect(state.unpaid).toBe(0);
          expect(state.reason).toBe(total >= limit ? 'traffic' : null);
          await world.proveLedger();
          for (const one of devices) await user.api.deleteConfig({ params: { id: one.id } });
        },
      ),
      { numRuns: 25 },
    );
  }, 300_000);

  test('what was leased in the trial and used after its last day is free, up to the limit', async () => {
    await set('trial.gb', '0.3');
    const user = await world.user({ usdCents: 500 });
    const phone = await device(user);
    await use(phone, 1 * MB);
    clock.advance(14 * DAY + 1_000);
    const open = phone.node.limitOf(phone.id) - phone.down;
    await use(phone, open);
    expect(await stateOf(user)).toMatchObject({ free: phone.down, paid: 0 });
    await phone.node.sync();
    await useAll(phone, 3 * MB);
    expect(await stateOf(user)).toMatchObject({ paid: 3 * MB, reason: null });
  });

  test('a plan that waits for the end of the trial begins when the traffic ends, and its user is notified once', async () => {
    await set('trial.gb', '0.02');
    const user = await world.user({ usdCents: 500 });
    const phone = await device(user);
    await use(phone, 1 * MB);
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    await phone.node.sync();
    const { balance } = (await user.api.me()).user;
    await useAll(phone, 30 * MB);
    const state = await stateOf(user);
    expect(state).toMatchObject({ free: 20 * MB, unpaid: 0, reason: 'traffic' });
    expect((await user.api.me()).user.balance).toBe(balance);
    const { activeSubscription } = (await user.api.listSubscriptions()).data;
    expect(activeSubscription).toMatchObject({ traffic_used: phone.down - 20 * MB });
    for (const _ of [1, 2]) await tellTrials(world.deps);
    const mine = (await user.api.listNotifications({ query: {} })).data.notifications.filter(
      ({ kind }) => kind === 'trial_used_up',
    );
    expect(mine.map(({ title, message }) => `${title} ${message}`).join()).toContain('۰٫۰۲ گیگابایت');
    expect(mine).toHaveLength(1);
    expect((await user.api.me()).user.trialEndsAt).toBe(clock.now().toISOString());
  });
});

describe('one trial per mailbox and phone number', () => {
  const trialOf = async (user: TestUser) => Date.parse((await user.api.me()).user.trialEndsAt ?? '');
  const hasTrial = async (user: TestUser) => (await trialOf(user)) > clock.now().getTime();

  test.each([
    ['Sara.Karimi@gmail.com', 'sarakarimi+two@googlemail.com'],
    ['reza@mail.example', 'reza+vpn@mail.example'],
  ])('%s had one, so %s gets none', async (first, second) => {
    expect(await hasTrial(await world.user({ email: first.toLowerCase(), usdCents: 0 }))).toBe(true);
    clock.advance(61_000);
    expect(await hasTrial(await world.user({ email: second, usdCents: 0 }))).toBe(false);
  });

  test('a registration with a password says nothing before the address is verified', async () => {
    await world.user({ email: 'victim@mail.example', usdCents: 0 });
    const body = { name: 'نیلوفر', password: 'Correct-horse-7', password_confirmation: 'Correct-horse-7' };
    const { user } = await world.client().register({ body: { ...body, email: 'victim+x@mail.example' } });
    expect(Date.parse(user.trialEndsAt ?? '')).toBeGreaterThan(clock.now().getTime());
  });

  test('deleting the account gives no second one, and the mark no longer says whose it was', async () => {
    const user = await world.user({ email: 'again@mail.example', usdCents: 0 });
    await deleteAccount(world.deps, user.id);
    const { rows } = await sql`SELECT FROM trial_mark WHERE user_id = ${user.id}`.execute(world.deps.db);
    expect(rows).toHaveLength(0);
    expect(await hasTrial(await world.user({ email: 'again+1@mail.example', usdCents: 0 }))).toBe(false);
  });

  test('a phone number that had one ends the trial of the account that verifies it', async () => {
    const [first, second] = [await world.user({ usdCents: 0 }), await world.user({ usdCents: 0 })];
    const { db, vault } = world.deps;
    const phone = '09121110000';
    await inTransaction(db, (tx) => setPhone(tx, vault, first.id, phone, clock.now()));
    expect(await hasTrial(first)).toBe(true);
    await deleteAccount(world.deps, first.id);
    await inTransaction(db, (tx) => setPhone(tx, vault, second.id, phone, clock.now()));
    expect(await hasTrial(second)).toBe(false);
  });

  test('trials from before the marks are marked after the upgrade', async () => {
    const user = await world.user({ email: 'old@mail.example', usdCents: 0 });
    await sql`DELETE FROM trial_mark WHERE user_id = ${user.id}`.execute(world.deps.db);
    await sql`UPDATE trial SET is_marked = false WHERE user_id = ${user.id}`.execute(world.deps.db);
    clock.advance(61_000);
    expect(await markTrials(world.deps)).toBe(1);
    expect(await markTrials(world.deps)).toBe(0);
    expect(await hasTrial(await world.user({ email: 'old+1@mail.example', usdCents: 0 }))).toBe(false);
  });
});
