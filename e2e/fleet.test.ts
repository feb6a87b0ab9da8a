import { expect, test } from 'vitest';
import { devicesOf, planOf, runInMemory } from './metering/fleet-plans.ts';
import { runFleets } from './metering/fleet-runs.ts';

/**
 * Whole fleets in virtual time, with faults at the rates of a plan: reports twice, late, lost, unanswered; agents and
 * machines that crash, are rolled back and cloned; nodes that are away for an hour; clocks that jump; wallets that run
 * empty; prices that change. The agents' metering is the real one, the server's rules are the real ones over maps, and
 * the kernel is made of numbers and knows the truth. `FLEET_SEEDS` says how many; each is two hours of five nodes.
 */
const SEEDS = Number(process.env.FLEET_SEEDS ?? 500);
const RATE = 80_000;
const size = { nodes: 5, people: 60, devices: 100, ticks: 720 };

test(`${SEEDS} fleets: never a byte too many, and only what disasters took is missing`, async () => {
  const { passed, lost, naiveError, reports } = await runFleets(SEEDS, size, RATE);
  console.log(
    `fleet: ${SEEDS} seeds, ${reports} reports, ${passed} bytes passed, 0 billed too many, ${lost} lost in crashes and forks; reading with a reset would have missed by ${naiveError}`,
  );
  // The faults are such that the usual way of counting does not survive them.
  expect(naiveError).toBeGreaterThan(passed / 100);
}, 36_000_000);

test('the same seed is the same fleet, to the last call', async () => {
  for (const seed of [1, 2, 3]) {
    const plan = planOf(seed, devicesOf(size), size);
    expect(await runInMemory(plan, size, RATE)).toEqual(await runInMemory(plan, size, RATE));
  }
});
