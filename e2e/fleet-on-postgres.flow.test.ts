import { limits } from '@raha/contract/limits.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setSettingByKey } from '../server/src/app/all-settings.ts';
import { manualClock } from '../server/src/platform/clock.ts';
import { openTestWorld, TEST_RATE, type TestWorld } from '../server/test/world.ts';
import { runFleet } from './metering/fleet.ts';
import { expectHonest, outagePlan, planOf, runInMemory, walletsOf } from './metering/fleet-plans.ts';
import { SqlControlPlane } from './metering/sql-control-plane.ts';
import { stealNode } from './metering/stolen-node.ts';

/**
 * Smaller fleets of `fleet.test.ts` against the real control plane on PostgreSQL, and the same fleets against its rules in
 * memory. Both must come to the same bills, to the byte and the toman. `FLEET_SQL_SEEDS` is their number.
 */
const SEEDS = Number(process.env.FLEET_SQL_SEEDS ?? 12);
const size = { nodes: 3, people: 6, devices: 9, ticks: 60 };
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

test(`${SEEDS} fleets on PostgreSQL and in memory get the same bills`, async () => {
  const sums = { reports: 0, passed: 0, lost: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const control = await SqlControlPlane.create(world, clock, size, walletsOf(size));
    const plan = planOf(seed, control.devices, size);
    const outcome = await runFleet(plan, control);
    const { passed, lost } = expectHonest(plan, outcome);
    expect((await runInMemory(plan, size, TEST_RATE)).bills, `seed ${seed}`).toEqual(outcome.bills);
    await control.retire();
    sums.reports += outcome.reports;
    sums.passed += passed;
    sums.lost += lost;
  }
  console.log(
    `fleet on PostgreSQL: ${SEEDS} seeds, ${sums.reports} reports, ${sums.passed} bytes passed, 0 billed too many, ${sums.lost} lost in crashes and forks; bills as in memory`,
  );
}, 36_000_000);

test('an outage of the control plane gets the same bills on PostgreSQL and in memory', async () => {
  const steady = { nodes: 2, people: 6, devices: 10, ticks: 400 };
  const wallets = walletsOf(steady, 3_000_000n);
  const control = await SqlControlPlane.create(world, clock, steady, wallets);
  const plan = outagePlan(5, control.devices, steady, 120);
  const outcome = await runFleet(plan, control);
  expect(expectHonest(plan, outcome).lost).toBe(0);
  expect((await runInMemory(plan, steady, TEST_RATE, wallets)).bills).toEqual(outcome.bills);
  await control.retire();
}, 120_000);

test('a stolen node bills no more than its leases, the horizon of its link, and then what the link carries', async () => {
  await setSettingByKey(world.deps.db, 'nodes.linkGbitPerSecond', '1', clock.now());
  const link = 125_000_000;
  for (let seed = 1; seed <= 6; seed += 1) {
    const one = { nodes: 1, people: 5, devices: 8, ticks: 30 };
    const control = await SqlControlPlane.create(world, clock, one, walletsOf(one, 900_000_000n));
    const { heldBytes, stolen } = await stealNode(seed, control, one);
    for (const { seconds, billedBytes } of stolen) {
      const bound = heldBytes + link * (limits.lease.horizonSeconds + seconds);
      expect(billedBytes, `seed ${seed} after ${seconds} s`).toBeLessThanOrEqual(bound);
    }
    // It does get far, or the bound would say nothing.
    const most = Math.max(...stolen.map(({ billedBytes }) => billedBytes));
    expect(most).toBeGreaterThan(link * limits.lease.horizonSeconds);
    await control.retire();
  }
  await setSettingByKey(world.deps.db, 'nodes.linkGbitPerSecond', '10', clock.now());
}, 120_000);
