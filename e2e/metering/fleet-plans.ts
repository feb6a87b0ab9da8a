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
export function walletsOf({ people }: Size, usualToman = 20_000n): Map<number, bigint> {
  return new Map(Array.from({ length: people }, (_, user) => [user, isPoor(user) ? 300n : usualToman]));
}

/** Machines are rolled back and cloned only in every other seed, so that the others can be checked to the byte. */
export function planOf(seed: number, devices: readonly Device[], { nodes, people, ticks }: Size): FleetPlan {
  return { seed, nodes, people, devices, ticks, prices: PRICES, forks: seed % 2 === 0, spendsFrom: 0 };
}

/** Bytes per second: idle, a chat, a film, a large download. */
const PACES = [0, 5_000, 600_000, 4_000_000] as const;

/**
 * A fleet of devices with steady paces whose control plane is away for some ticks. One user in five has almost no money, the others
 * more than they can use.
 */
export function outagePlan(seed: number, devices: readonly Device[], size: Size, away: number): FleetPlan {
  const from = 120 + ((seed * 37) % 240);
  return {
    ...planOf(seed, devices, size),
    ...{ forks: false, spendsFrom: size.ticks, outage: { from, until: from + away } },
    paces: devices.map((_, index) => PACES[(index * 7 + seed) % PACES.length] ?? 0),
  };
}

export function isPoor(user: number): boolean {
  return user % 5 === 0;
}

/** Devices spread over users and nodes, with ids as the real control plane assigns them. */
export function devicesOf({ nodes, people, devices }: Size): Device[] {
  return Array.from({ length: devices }, (_, index) => ({
    ...{ id: index.toString(16).padStart(8, '0'), user: index % people, node: index % nodes },
    slot: 2 + Math.floor(index / nodes),
  }));
}

/** At a fixed rate of toman per dollar. */
export async function runInMemory(
  plan: FleetPlan,
  size: Size,
  tomanPerDollar: number,
  wallets: ReadonlyMap<number, bigint> = walletsOf(size),
): Promise<Outcome> {
  const rates = { cents: FIRST_PRICE, tomanPerDollar };
  return await runFleet(plan, new MemoryControlPlane(plan.devices, wallets, rates));
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
