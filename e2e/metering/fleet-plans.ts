import assert from 'node:assert/strict';
import { type Device, type FleetPlan, type Outcome, runFleet } from './fleet.ts';
import { MemoryControlPlane } from './memory-control-plane.ts';

/** Size of a fleet: nodes, users, configs, and reports (every ten seconds) per node. */
export interface Size {
  readonly nodes: number;
  readonly people: number;
  readonly devices: number;
  readonly ticks: number;
}

/** Cents per gigabyte at the start. */
export const FIRST_PRICE = 3;
/** Zero is among them: usage at that price must be free, and only until the next price. */
const PRICES = [FIRST_PRICE, 4, 0, 7] as const;

/** Twenty thousand toman for most users, and almost nothing for one in five. */
export function walletsOf({ people }: Size): Map<number, bigint> {
  return new Map(Array.from({ length: people }, (_, user) => [user, user % 5 === 0 ? 300n : 20_000n]));
}

/** Machines are rolled back and cloned only in every other seed, so that the others can be checked to the byte. */
export function planOf(seed: number, devices: readonly Device[], { nodes, people, ticks }: Size): FleetPlan {
  return { seed, nodes, people, devices, ticks, prices: PRICES, forks: seed % 2 === 0, spendsFrom: 0 };
}

/** Devices spread over users and nodes, with ids as the real control plane assigns them. */
export function devicesOf({ nodes, people, devices }: Size): Device[] {
  return Array.from({ length: devices }, (_, index) => ({
    ...{ id: index.toString(16).padStart(8, '0'), user: index % people, node: index % nodes },
    slot: 2 + Math.floor(index / nodes),
  }));
}

/** At a fixed rate of toman per dollar. */
export async function runInMemory(plan: FleetPlan, size: Size, tomanPerDollar: number): Promise<Outcome> {
  const rates = { cents: FIRST_PRICE, tomanPerDollar };
  return await runFleet(plan, new MemoryControlPlane(plan.devices, walletsOf(size), rates));
}

export interface Verdict {
  readonly passed: number;
  readonly lost: number;
  /** How many bytes counting by reading and resetting would have got wrong, summed over the configs. */
  readonly naiveError: number;
}

/**
 * Holds for every fleet, whatever happened to it: no config is billed more than what passed, none beyond its lease, and no
 * wallet is negative. Without machines that share an identity, the unbilled bytes are exactly those that were lost in
 * faults before they were reported.
 */
export function expectHonest({ seed }: FleetPlan, { bills, truth, naive, allowance, forked }: Outcome): Verdict {
  const where = `seed ${seed}`;
  let [billed, unbilled, unpaid, passed, naiveError] = [0, 0, 0, 0, 0];
  for (const bill of bills) {
    const real = truth.get(bill.id) ?? 0;
    if (Number(bill.billed + bill.unpaid) > real || bill.billed > bill.limit || bill.wallet < 0n)
      assert.fail(`${where}: ${real} bytes passed of ${JSON.stringify(bill, (_, value) => String(value))}`);
    billed += Number(bill.billed);
    unbilled += Number(bill.unbilled);
    unpaid += Number(bill.unpaid);
    passed += real;
    naiveError += Math.abs((naive.get(bill.id) ?? 0) - real);
  }
  if (!forked) {
    assert.equal(unbilled, 0, `${where}: ${unbilled} bytes are owed`);
    assert.equal(
      passed - billed - unpaid,
      allowance,
      `${where}: ${passed - billed - unpaid} bytes neither billed nor waiting, disasters took ${allowance}`,
    );
  }
  return { passed, lost: passed - billed - unpaid, naiveError };
}
