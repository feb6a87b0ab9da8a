import type { DesiredState, UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import { type Chance, createChance } from '../world/chance.ts';
import {
  cloneMachine,
  crashTail,
  flushTable,
  type Machine,
  makeReport,
  newMachine,
  passTraffic,
  reboot,
  restartAgent,
  takeDesiredState,
  takeReply,
  takeSample,
  unacknowledged,
} from './simulated-node.ts';

/** A config in the simulation; devices are in the order of their creation. */
export interface Device {
  readonly id: string;
  readonly user: number;
  readonly node: number;
  readonly slot: number;
}

export interface Bill {
  readonly id: string;
  readonly billed: bigint;
  readonly unbilled: bigint;
  /** Passed under a lease that was recalled, and waiting for money. */
  readonly unpaid: bigint;
  /** Its lease, in billed bytes. */
  readonly limit: bigint;
  /** Charge for the billed bytes in toman. */
  readonly charged: bigint;
  /** Free balance of its user in toman. */
  readonly wallet: bigint;
}

/** The control plane of a fleet: the real one, or one in memory. Times are virtual, in milliseconds. */
export interface ControlPlane {
  advance(now: number): Promise<void>;
  report(node: number, report: UsageReport): Promise<UsageReply>;
  desired(node: number, query: { after: number; epoch: string }): Promise<DesiredState>;
  topUp(user: number, toman: bigint): Promise<void>;
  /** Grants leases to users with money, as after a top-up, a release or a change of price. */
  restore(user: number): Promise<void>;
  reclaim(): Promise<void>;
  /** Spends a part of a user's balance on something else; what lies in leases is recalled for it. */
  spend(user: number, percent: bigint): Promise<void>;
  /** Cents per gigabyte for leases from now on. */
  setPrice(cents: number): Promise<void>;
  bills(): Promise<Bill[]>;
}

export interface FleetPlan {
  readonly seed: number;
  readonly nodes: number;
  readonly people: number;
  readonly devices: readonly Device[];
  /** Number of reports per node. */
  readonly ticks: number;
  /** Possible prices in cents per gigabyte. */
  readonly prices: readonly number[];
  /** Whether machines are rolled back and cloned. Usage of two machines with one identity cannot be told apart. */
  readonly forks: boolean;
  /** From this tick on, people spend their balances on other things, too. */
  readonly spendsFrom: number;
  /** The control plane is away from the first of these ticks until before the second. Nothing else fails but connections. */
  readonly outage?: { readonly from: number; readonly until: number };
  /** Bytes per second that each device carries, more or less, instead of now and then something. */
  readonly paces?: readonly number[];
}

export interface Outcome {
  readonly bills: readonly Bill[];
  /** Bytes that really passed, by config. */
  readonly truth: ReadonlyMap<string, number>;
  /** Bytes that were lost in faults before they were reported. */
  readonly allowance: number;
  readonly forked: boolean;
  readonly reports: number;
  /** Bytes that devices with a pace sent in vain, by config and tick. */
  readonly refused: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** What counting by reading and resetting would have billed under the same faults, by config. */
  readonly naive: ReadonlyMap<string, number>;
}

const TICK_MS = 10_000;
/** Probabilities per report, or per node and tick, in ten thousandths: the fault plan. */
const faults = {
  ...{ twice: 1_000, late: 1_000, requestLost: 500, replyLost: 500, serverDies: 50 },
  ...{ agentCrash: 100, reboot: 20, flush: 10, snapshot: 20, rollBack: 5, clone: 5, offline: 6, badClock: 100 },
} as const;
const LATE_TICKS = 50;

interface Site {
  readonly index: number;
  readonly devices: readonly Device[];
  readonly machines: Machine[];
  snapshot: Machine | undefined;
  offlineUntil: number;
  /** Delayed copies of reports. */
  readonly late: { at: number; report: UsageReport }[];
  /** The counter of the alternative method, which is reset by every reading. */
  readonly unread: Map<string, number>;
}

/** Runs one seed. The same plan makes the same calls to any control plane that gives the same answers. */
export async function runFleet(plan: FleetPlan, control: ControlPlane): Promise<Outcome> {
  const fleet = new Fleet(plan, control);
  for (let tick = 1; tick <= plan.ticks; tick++) await fleet.tick(tick);
  await fleet.drain();
  return await fleet.outcome();
}

class Fleet {
  readonly #plan: FleetPlan;
  readonly #control: ControlPlane;
  readonly #chance: Chance;
  readonly #sites: Site[];
  /** One user in five is short of money most of the time. */
  readonly #poor: boolean[];
  readonly #truth = new Map<string, number>();
  readonly #naive = new Map<string, number>();
  readonly #refused = new Map<string, Map<number, number>>();
  #minted = 0;
  #allowance = 0;
  #forked = false;
  #reports = 0;
  #tick = 0;

  constructor(plan: FleetPlan, control: ControlPlane) {
    this.#plan = plan;
    this.#control = control;
    this.#chance = createChance(plan.seed);
    this.#poor = Array.from({ length: plan.people }, () => this.#chance.below(5) === 0);
    this.#sites = Array.from({ length: plan.nodes }, (_, index) => ({
      ...{ index, devices: plan.devices.filter(({ node }) => node === index), machines: [newMachine(this.#mint)] },
      ...{ snapshot: undefined, offlineUntil: 0, late: [], unread: new Map() },
    }));
  }

  readonly #mint = () => {
    this.#minted += 1;
    return `${this.#plan.seed.toString(16).padStart(16, '0')}${this.#minted.toString(16).padStart(16, '0')}`;
  };

  #happens(fault: keyof typeof faults): boolean {
    return this.#chance.below(10_000) < faults[fault];
  }

  #isAway(): boolean {
    const { outage } = this.#plan;
    return outage !== undefined && this.#tick >= outage.from && this.#tick < outage.until;
  }

  async tick(tick: number): Promise<void> {
    this.#tick = tick;
    await this.#control.advance(tick * TICK_MS);
    if (!this.#isAway()) await this.#money();
    for (const site of this.#sites) {
      for (const machine of site.machines) this.#traffic(site, machine);
      if (!this.#plan.outage) this.#disasters(site);
      for (const machine of site.machines) {
        takeSample(machine, this.#mint);
        if (this.#happens('agentCrash')) restartAgent(machine, this.#mint);
        if (tick >= site.offlineUntil) await this.#connection(site, machine);
      }
      if (!this.#isAway()) await this.#deliverLate(site);
    }
  }

  async #money(): Promise<void> {
    const { people, prices } = this.#plan;
    if (this.#chance.below(60) === 0) await this.#control.setPrice(this.#chance.pick(prices));
    if (this.#tick % 60 === 0) await this.#control.reclaim();
    const user = this.#chance.below(people);
    const isRefilled = this.#chance.below(this.#poor[user] ? 4 : 40) === 0;
    if (isRefilled)
      await this.#control.topUp(user, BigInt(500 + this.#chance.below(this.#poor[user] ? 2_000 : 60_000)));
    await this.#control.restore(user);
    if (this.#tick >= this.#plan.spendsFrom && this.#chance.below(8) === 0)
      await this.#control.spend(this.#chance.below(people), this.#chance.below(2) === 0 ? 100n : 60n);
  }

  #traffic(site: Site, machine: Machine): void {
    const { paces, devices } = this.#plan;
    for (const device of site.devices) {
      const { id, slot } = device;
      if (paces) {
        this.#steadyTraffic(machine, device, paces[devices.indexOf(device)] ?? 0);
        continue;
      }
      if (this.#chance.below(3) !== 0) continue;
      const bytes = 40 + this.#chance.below(1 + this.#chance.below(4_000_000));
      const passed = passTraffic(machine, slot, [{ up: this.#chance.below(4) === 0, bytes }]);
      if (passed === 0) continue;
      add(this.#truth, id, passed);
      add(site.unread, id, passed);
    }
  }

  /** In packets as large as the kernel handles: between half and one and a half of the pace. */
  #steadyTraffic(machine: Machine, { id, slot }: Device, pace: number): void {
    const wanted = Math.round((pace * TICK_MS * (500 + this.#chance.below(1_000))) / 1_000_000);
    const packets = Array.from({ length: Math.ceil(wanted / 64_000) }, () => ({ up: false, bytes: 64_000 }));
    const passed = passTraffic(machine, slot, packets);
    add(this.#truth, id, passed);
    const refused = packets.length * 64_000 - passed;
    if (refused === 0) return;
    const ofDevice = this.#refused.get(id) ?? new Map<number, number>();
    this.#refused.set(id, ofDevice.set(this.#tick, refused));
  }

  #disasters(site: Site): void {
    const machine = this.#chance.pick(site.machines);
    const at = site.machines.indexOf(machine);
    if (this.#happens('offline')) site.offlineUntil = this.#tick + 1 + this.#chance.below(360);
    if (this.#happens('snapshot')) site.snapshot = cloneMachine(machine);
    if (this.#happens('reboot')) {
      this.#allowance += crashTail(machine);
      reboot(machine, this.#mint);
      site.unread.clear();
    }
    if (this.#happens('flush')) {
      this.#allowance += crashTail(machine);
      flushTable(machine, this.#mint);
      site.unread.clear();
    }
    if (this.#plan.forks && this.#happens('rollBack') && site.snapshot) {
      this.#allowance += unreported(machine);
      site.machines[at] = cloneMachine(site.snapshot);
      this.#forked = true;
    }
    if (this.#plan.forks && this.#happens('clone') && site.machines.length === 1) {
      site.machines.push(cloneMachine(machine));
      this.#forked = true;
    }
  }

  async #connection(site: Site, machine: Machine): Promise<void> {
    const made = makeReport(machine);
    // A jump of the clock makes a reading look old; no amount may depend on it.
    const report = this.#happens('badClock') ? { ...made, ageMs: this.#chance.below(2 ** 31) } : made;
    const read = [...site.unread];
    site.unread.clear();
    if (this.#happens('late')) {
      site.late.push({ at: this.#tick + 1 + this.#chance.below(LATE_TICKS), report });
      this.#naivelyAdd(read, 1);
    } else if (this.#isAway() || this.#happens('requestLost') || this.#happens('serverDies')) {
      // Nothing is stored, so the report comes again.
    } else {
      const isTwice = this.#happens('twice');
      const reply = await this.#send(site, report);
      if (isTwice) await this.#send(site, report);
      const isAnswerLost = this.#happens('replyLost') || this.#happens('serverDies');
      this.#naivelyAdd(read, (isTwice ? 2 : 1) + (isAnswerLost ? 1 : 0));
      if (isAnswerLost) return;
      this.#take(machine, report, reply);
    }
    if (!this.#isAway()) await this.#poll(site, machine);
  }

  #naivelyAdd(read: readonly (readonly [string, number])[], times: number): void {
    for (const [id, bytes] of read) add(this.#naive, id, bytes * times);
  }

  async #send(site: Site, report: UsageReport): Promise<UsageReply> {
    this.#reports += 1;
    return await this.#control.report(site.index, report);
  }

  #take(machine: Machine, report: UsageReport, reply: UsageReply): void {
    if (reply.epoch === 'mint-epoch') this.#allowance += unreported(machine);
    takeReply(machine, report, reply, this.#mint);
  }

  async #poll(site: Site, machine: Machine): Promise<void> {
    if (machine.memory.closing.length > 0) return;
    const query = { after: machine.applied, epoch: machine.memory.epoch };
    takeDesiredState(machine, await this.#control.desired(site.index, query));
  }

  async #deliverLate(site: Site): Promise<void> {
    for (const copy of site.late.filter(({ at }) => at <= this.#tick)) {
      site.late.splice(site.late.indexOf(copy), 1);
      await this.#send(site, copy.report);
    }
  }

  /** The faults stop: within two minutes everything that is still known is reported. */
  async drain(): Promise<void> {
    for (let round = 1; round <= 12; round++) {
      await this.#control.advance((this.#plan.ticks + round) * TICK_MS);
      for (const site of this.#sites) {
        for (const machine of site.machines) {
          takeSample(machine, this.#mint);
          const report = makeReport(machine);
          this.#take(machine, report, await this.#send(site, report));
        }
      }
    }
    const left = this.#sites
      .flatMap(({ machines }) => machines)
      .reduce((sum, machine) => sum + unacknowledged(machine), 0);
    if (left !== 0) throw new Error(`seed ${this.#plan.seed}: ${left} bytes are still not reported`);
  }

  async outcome(): Promise<Outcome> {
    return {
      ...{ bills: await this.#control.bills(), truth: this.#truth, naive: this.#naive },
      ...{ allowance: this.#allowance, forked: this.#forked, reports: this.#reports, refused: this.#refused },
    };
  }
}

/** Bytes that are lost with a machine: unacknowledged, or in closing reports that were not received. */
function unreported(machine: Machine): number {
  const closing = machine.memory.closing.flatMap((report) => report.samples);
  return unacknowledged(machine) + closing.reduce((sum, sample) => sum + sample.up + sample.down, 0);
}

function add(sums: Map<string, number>, id: string, bytes: number): void {
  sums.set(id, (sums.get(id) ?? 0) + bytes);
}
