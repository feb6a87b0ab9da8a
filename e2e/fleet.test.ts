import { expect, test } from 'vitest';
import { devicesOf, planOf, runInMemory } from './metering/fleet-plans.ts';
import { runFleets } from './metering/fleet-runs.ts';

/**
 * Whole fleets in virtual time, with faults at planned rates: reports duplicated, late, lost, unanswered; agents and
 * machines that crash, are rolled back and cloned; nodes that are unreachable for an hour; clocks that jump; wallets that
 * run empty; prices that change. The agents' metering and the server's rules are real, the latter over maps; the simulated
 * kernel knows what passed. `FLEET_SEEDS` is the number of fleets; each is two hours of five nodes.
 */
const SEEDS = Number(process.env.FLEET_SEEDS ?? 500);
const RATE = 80_000;
const size = { nodes: 5, people: 60, devices: 100, ticks: 720 };

test(`${SEEDS} fleets: never a byte too many, and only bytes lost in faults are missing`, async () => {
  const { passed, lost, naiveError, reports } = await runFleets(SEEDS, size, RATE);
  console.log(
    `fleet: ${SEEDS} seeds, ${reports} reports, ${passed} bytes passed, 0 billed too many, ${lost} lost in crashes and forks; reading with a reset would have missed by ${naiveError}`,
  );
  // With these faults the usual way of counting would be wrong.
  expect(naiveError).toBeGreaterThan(passed / 100);
}, 36_000_000);

test('the same seed repeats the same fleet, to the last call', async () => {
  for (const seed of [1, 2, 3]) {
    const plan = planOf(seed, devicesOf(size), size);
    expect(await runInMemory(plan, size, RATE)).toEqual(await runInMemory(plan, size, RATE));
  }
});
