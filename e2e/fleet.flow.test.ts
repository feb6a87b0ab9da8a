import { expect, test } from 'vitest';
import { devicesOf, expectHonest, planOf, runInMemory } from './metering/fleet-plans.ts';

/**
 * Whole fleets in virtual time, with faults at the rates of a plan: reports twice, late, lost, unanswered; agents and
 * machines that crash, are rolled back and cloned; nodes that are away for an hour; clocks that jump; wallets that run
 * empty; prices that change. The agents' metering is the real one, the server's rules are the real ones over maps, and
 * the kernel is made of numbers and knows the truth. `FLEET_SEEDS` says how many; each is two hours of five nodes.
 */
const SEEDS = Number(process.env.FLEET_SEEDS ?? 500);
const size = { nodes: 5, people: 60, devices: 100, ticks: 720 };
const devices = devicesOf(size);

test(`${SEEDS} fleets: never a byte too many, and only what disasters took is missing`, async () => {
  const sums = { passed: 0, lost: 0, naiveError: 0, reports: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const plan = planOf(seed, devices, size);
    const outcome = await runInMemory(plan, size);
    const { passed, lost, naiveError } = expectHonest(plan, outcome);
    sums.passed += passed;
    sums.lost += lost;
    sums.naiveError += naiveError;
    sums.reports += outcome.reports;
  }
  console.log(
    `fleet: ${SEEDS} seeds, ${sums.reports} reports, ${sums.passed} bytes passed, 0 billed too many, ${sums.lost} lost in crashes and forks; reading with a reset would have missed by ${sums.naiveError}`,
  );
  // The faults are such that the usual way of counting does not survive them.
  expect(sums.naiveError).toBeGreaterThan(sums.passed / 100);
}, 36_000_000);

test('the same seed is the same fleet, to the last call', async () => {
  for (const seed of [1, 2, 3]) {
    const plan = planOf(seed, devices, size);
    expect(await runInMemory(plan, size)).toEqual(await runInMemory(plan, size));
  }
});
