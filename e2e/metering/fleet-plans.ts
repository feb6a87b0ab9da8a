import assert from 'node:assert/strict';
import { type Device, type FleetPlan, type Outcome, runFleet } from './fleet.ts';
import { MemoryControlPlane } from './memory-control-plane.ts';

/** How many nodes, people and configs a fleet has, and how many reports (of ten seconds) its nodes make. */
export interface Size {
  readonly nodes: number;
  readonly people: number;
  readonly devices: number;
  readonly ticks: number;
}

/** Cents per gigabyte in the beginning. */
export const FIRST_PRICE = 3;
/** Free usage among them: a price of nothing must cost nothing, and not for ever. */
const PRICES = [FIRST_PRICE, 4, 0, 7] as const;

/** Twenty thousand toman for most, next to nothing for one in five. */
export function walletsOf({ people }: Size): Map<number, bigint> {
  return new Map(Array.from({ length: people }, (_, user) => [user, user % 5 === 0 ? 300n : 20_000n]));
}

/** Machines are rolled back and cloned in every other seed only, so that the rest can be held to the byte. */
export function planOf(seed: number, devices: readonly Device[], { nodes, people, ticks }: Size): FleetPlan {
  return { seed, nodes, people, devices, ticks, prices: PRICES, forks: seed % 2 === 0 };
}

/** Devices spread over people and nodes, as the real control plane would name and number them. */
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
  /** By how much reading with a reset and adding up would have missed, config by config. */
  readonly naiveError: number;
}

/**
 * What holds for every fleet, whatever befell it: no config is billed more than what passed, none beyond its lease, no
 * wallet is below nothing; and without machines that share one identity, what is not billed is what disasters took
 * before it was told, to the byte.
 */
export function expectHonest({ seed }: FleetPlan, { bills, truth, naive, allowance, forked }: Outcome): Verdict {
  const where = `seed ${seed}`;
  let [billed, unbilled, passed, naiveError] = [0, 0, 0, 0];
  for (const bill of bills) {
    const real = truth.get(bill.id) ?? 0;
    if (Number(bill.billed) > real || bill.billed > bill.limit || bill.wallet < 0n)
      assert.fail(`${where}: ${real} bytes passed of ${JSON.stringify(bill, (_, value) => String(value))}`);
    billed += Number(bill.billed);
    unbilled += Number(bill.unbilled);
    passed += real;
    naiveError += Math.abs((naive.get(bill.id) ?? 0) - real);
  }
  if (!forked) {
    assert.equal(unbilled, 0, `${where}: ${unbilled} bytes are owed`);
    assert.equal(
      passed - billed,
      allowance,
      `${where}: ${passed - billed} bytes not billed, disasters took ${allowance}`,
    );
  }
  return { passed, lost: passed - billed, naiveError };
}
