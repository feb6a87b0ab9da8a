import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualClock } from '../server/src/platform/clock.ts';
import { openTestWorld, TEST_RATE, type TestWorld } from '../server/test/world.ts';
import { runFleet } from './metering/fleet.ts';
import { expectHonest, planOf, runInMemory, walletsOf } from './metering/fleet-plans.ts';
import { SqlControlPlane } from './metering/sql-control-plane.ts';

/**
 * Smaller fleets of `fleet.test.ts` against the real control plane on PostgreSQL, and the same fleets against its rules in
 * memory. Both must come to the same bills, to the byte and the toman. `FLEET_SQL_SEEDS` is their number.
 */
const SEEDS = Number(process.env.FLEET_SQL_SEEDS ?? 24);
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
