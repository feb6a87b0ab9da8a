import { limits } from '@raha/contract/limits.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { changeCap, keepCaps } from '../../src/modules/billing/keep-caps.ts';
import { lockBalance } from '../../src/modules/billing/lock-balance.ts';
import { restoreService } from '../../src/modules/billing/restore-service.ts';
import { createConfig } from '../../src/modules/configs/create-config.ts';
import { leaveServers } from '../../src/modules/configs/leave-servers.ts';
import { activateNode } from '../../src/modules/fleet/activate-node.ts';
import { retireNode } from '../../src/modules/fleet/retire-node.ts';
import { capEnds, capMonth } from '../../src/modules/metering/caps.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** A config's monthly cap ends it to the byte, whatever pays and however late usage is reported (decision 90). */
const MB = 1_000_000;
// Within the month of Azar 1405, which ends at 20:30 UTC on 21 December.
const clock = manualClock(new Date('2026-12-10T08:00:00Z'));
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld({ clock });
  node = await enrolFakeNode(world);
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

interface Device {
  readonly id: string;
  readonly user: TestUser;
  /** What the device has passed; the node may not have reported it. */
  down: number;
}

let named = 0;

async function device(user: TestUser, capBytes?: number): Promise<Device> {
  await node.report([]);
  named += 1;
  const order = { name: `phone ${named}`, serverId: node.id, protocol: 'wireguard' as const };
  const { config } = await createConfig(world.deps, user.id, order);
  const one = { id: config.id, user, down: 0 };
  if (capBytes !== undefined) await cap(one, capBytes);
  await node.settle();
  return one;
}

async function cap({ id, user }: Device, bytes: number | null): Promise<void> {
  await inTransaction(world.deps.db, (tx) =>
    changeCap(tx, world.deps, { id, userId: user.id }, bytes === null ? null : BigInt(bytes)),
  );
}

/** Passes up to so many bytes, as far as the node lets it. */
function pass(one: Device, bytes: number): number {
  const reach = Math.max(one.down, Math.min(one.down + bytes, node.limitOf(one.id)));
  const passed = reach - one.down;
  one.down = reach;
  return passed;
}

const tell = (one: Device) => node.report([{ config: one.id, down: one.down }]);

/** Passes and reports until nothing more goes through, or all of it. */
async function passAll(one: Device, bytes: number): Promise<number> {
  let passed = 0;
  for (let turns = 0; turns < 60 && passed < bytes; turns += 1) {
    passed += pass(one, bytes - passed);
    await tell(one);
    await restoreService(world.deps, one.user.id);
    await node.settle();
  }
  return passed;
}

async function serviceOf({ id, user }: Device) {
  const { rows } = await sql<{ cuts: bigint }>`
    SELECT count(*) AS cuts FROM notification WHERE user_id = ${user.id} AND kind = 'service_cut'`.execute(
    world.deps.db,
  );
  const { data } = await user.api.getConfig({ params: { id } });
  return { service: data.config.service, cuts: Number(rows[0]?.cuts) };
}

describe('the cap', () => {
  test('ends a config at its byte; money does not help, more cap does, and nobody is told that the money is gone', async () => {
    const user = await world.user({ usdCents: 500 });
    const [mother, own] = [await device(user, 40 * MB + 1), await device(user)];
    const held = node.limitOf(own.id);
    expect(await passAll(mother, 100 * MB)).toBe(40 * MB + 1);
    const reply = await tell(mother);
    expect(reply.leases).toMatchObject([{ config: mother.id, refillDenied: true }]);
    expect(await serviceOf(mother)).toEqual({ service: 'cap_reached', cuts: 0 });
    // The other device keeps its lease and goes on.
    expect(node.limitOf(own.id)).toBe(held);
    expect(await passAll(own, 60 * MB)).toBe(60 * MB);
    expect((await serviceOf(own)).service).toBe('ok');
    await cap(mother, 50 * MB);
    expect(await passAll(mother, 100 * MB)).toBe(10 * MB - 1);
    await cap(mother, null);
    expect(await passAll(mother, 100 * MB)).toBe(100 * MB);
    expect((await serviceOf(mother)).service).toBe('ok');
  });

  test('lowered while a lease runs: holds from when the node hears of it, and what was reserved beyond comes back', async () => {
    const user = await world.user({ usdCents: 500 });
    const mother = await device(user, 1_000 * MB);
    expect(node.limitOf(mother.id)).toBe(limits.lease.idleBytes);
    pass(mother, 3 * MB);
    await tell(mother);
    const { reserved } = (await user.api.getWallet()).data;
    await cap(mother, 5 * MB);
    // Not heard of yet, and one more megabyte passes.
    pass(mother, MB);
    await node.settle();
    expect(node.limitOf(mother.id)).toBe(5 * MB);
    await tell(mother);
    expect((await user.api.getWallet()).data.reserved).toBeLessThan(reserved);
    expect(await passAll(mother, 100 * MB)).toBe(MB);
    expect((await serviceOf(mother)).service).toBe('cap_reached');
    // Below what has passed already.
    await cap(mother, MB);
    expect(await passAll(mother, 100 * MB)).toBe(0);
  });

  test('ends while a lease runs: the config is deleted, its last reading counts, its money comes back', async () => {
    const user = await world.user({ usdCents: 500 });
    const mother = await device(user, 100 * MB);
    pass(mother, 2 * MB);
    await user.api.deleteConfig({ params: { id: mother.id } });
    await node.settle();
    expect(node.removed).toContain(mother.id);
    await node.report([{ config: mother.id, down: mother.down, final: true }]);
    expect((await user.api.getWallet()).data.reserved).toBe(0);
    expect(await keepCaps(world.deps)).toBe(0);
  });

  test('property: however usage is split, delayed, repeated and paid, what passes is at most the cap, and in the end all of it', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('pass' as const), bytes: fc.integer({ min: 1, max: 20 * MB }) }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('tell' as const, 'sync' as const, 'repeat' as const) }) },
      // Spending recalls all leases and grants anew from what is left.
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constantFrom('recall' as const, 'keep' as const, 'restore' as const) }),
      },
    );
    const histories = fc.record({
      capBytes: fc.integer({ min: MB, max: 60 * MB }),
      steps: fc.array(step, { minLength: 4, maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(histories, async ({ capBytes, steps }) => {
        const user = await world.user({ usdCents: 5_000 });
        const mother = await device(user, capBytes);
        let last = node.makeReport([]);
        for (const one of steps) {
          if (one.do === 'pass') pass(mother, one.bytes);
          else if (one.do === 'tell') {
            await tell(mother);
            last = node.makeReport([{ config: mother.id, down: mother.down }]);
          } else if (one.do === 'repeat') await node.send(last);
          else if (one.do === 'sync') await node.settle();
          else if (one.do === 'recall') await recall(user);
          else if (one.do === 'keep') await keepCaps(world.deps);
          else await restoreService(world.deps, user.id);
          expect(mother.down).toBeLessThanOrEqual(capBytes);
        }
        await passAll(mother, 2 * capBytes);
        expect(mother.down).toBe(capBytes);
      }),
      { numRuns: Number(process.env.CAP_RUNS ?? 6), seed: Number(process.env.CAP_SEED ?? 90) },
    );
  }, 900_000);
});

/** Takes back all leases of a user, as a purchase may do, and grants them anew. */
async function recall(user: TestUser): Promise<void> {
  await inTransaction(world.deps.db, async (tx) => {
    const { spend } = await lockBalance(world.deps, tx, user.id);
    await spend('all', async () => undefined);
  });
}

describe('the month', () => {
  test('is the Jalali one of Tehran', () => {
    const end = new Date('2026-12-21T20:30:00Z');
    expect(capMonth(new Date(end.getTime() - 1))).toEqual({
      from: '2026-11-22',
      begins: new Date('2026-11-21T20:30:00Z'),
    });
    expect(capMonth(end)).toEqual({ from: '2026-12-22', begins: end });
    expect(capEnds(new Date('2026-12-10T08:00:00Z'))).toEqual(end);
    // Esfand has 29 days in 1405.
    expect(capEnds(new Date('2027-03-01T08:00:00Z'))).toEqual(new Date('2027-03-20T20:30:00Z'));
  });

  test('turns: a config at its cap goes on; bytes reported late count in the month in which they are reported, as on the statement', async () => {
    const user = await world.user({ usdCents: 5_000 });
    const mother = await device(user, 40 * MB);
    expect(await passAll(mother, 100 * MB)).toBe(40 * MB);
    const late = await device(user, 40 * MB);
    expect(await passAll(late, 20 * MB)).toBe(20 * MB);
    pass(late, 5 * MB);
    clock.advance(new Date('2026-12-21T20:30:05Z').getTime() - clock.now().getTime());
    await node.report([]);
    // Nothing before the schedule has run, and that may be late: what is reported meanwhile counts all the same.
    await tell(late);
    clock.advance(2 * 3_600_000);
    pass(late, MB);
    await tell(late);
    expect(await passAll(mother, MB)).toBe(0);
    expect(await keepCaps(world.deps)).toBeGreaterThanOrEqual(2);
    expect(await keepCaps(world.deps)).toBe(0);
    expect(await passAll(mother, 100 * MB)).toBe(40 * MB);
    expect(await passAll(late, 100 * MB)).toBe(34 * MB);
    const { rows } = await sql<{ bytes: bigint }>`
      SELECT sum(up + down)::bigint AS bytes FROM usage_day WHERE config_id = ${late.id} AND day >= '2026-12-22'`.execute(
      world.deps.db,
    );
    expect(Number(rows[0]?.bytes)).toBe(40 * MB);
  });
});

test('a replacement on another server has what is left of the month', async () => {
  const user = await world.user({ usdCents: 500 });
  const mother = await device(user, 40 * MB);
  expect(await passAll(mother, 30 * MB)).toBe(30 * MB);
  const other = await enrolFakeNode(world);
  await retireNode(world.deps, { actor, nodeId: node.id, days: 7, movesTo: other.id });
  await leaveServers(world.deps);
  await other.settle();
  const { data } = await user.api.listConfigs();
  const replacement = data.configs.find(({ server }) => server.id === other.id);
  expect(other.limitOf(replacement?.id ?? '')).toBe(10 * MB);
  await activateNode(world.deps, { actor, nodeId: node.id });
});
