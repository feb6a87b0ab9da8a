import { limits } from '@raha/contract/limits.ts';
import { priceMilliTomanPerGb } from '@raha/contract/money.ts';
import type { DesiredState, Peer, Sample, UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import { decideGrant } from '../../server/src/modules/billing/rules.ts';
import { address4Of, address6Of, nodeSettingsOf } from '../../server/src/modules/fleet/rules.ts';
import { decideSequence, type Segment, totalToman, wireLimit } from '../../server/src/modules/metering/rules.ts';
import type { Bill, ControlPlane, Device } from './fleet.ts';
import { type LeaseRules, leaseRules, type Meter } from './memory-leases.ts';

interface Reading {
  readonly meter: Meter;
  readonly sampleVersion: number;
  readonly billed: bigint;
  readonly limit: bigint;
  readonly shrinkTo: bigint | null;
  readonly grantBytes: bigint;
  readonly version: number;
  readonly epochBytes: bigint;
  readonly rate: bigint;
  readonly isShort: boolean;
}

interface NodeState {
  generation: number;
  epoch: string | null;
  readonly epochs: Map<string, { seq: bigint; report: UsageReport | undefined }>;
}

const { reclaimIdleSeconds } = limits.lease;
const MAX_AGE_MS = 35 * 86_400_000;

/**
 * The control plane's side of metering without a database: the server's own rules over maps. It checks independently what
 * the SQL does with the same reports, and is fast enough for thousands of machine hours in a test.
 */
export class MemoryControlPlane implements ControlPlane {
  readonly #meters = new Map<string, Meter>();
  readonly #ofUser = new Map<number, Meter[]>();
  readonly #ofNode = new Map<number, Meter[]>();
  readonly #nodes = new Map<number, NodeState>();
  readonly #wallets = new Map<number, bigint>();
  readonly #rate: number;
  #leases: LeaseRules;
  #price: bigint;
  #now = 0;

  constructor(
    devices: readonly Device[],
    wallets: ReadonlyMap<number, bigint>,
    rates: { cents: number; tomanPerDollar: number },
    leases: LeaseRules = leaseRules,
  ) {
    this.#leases = leases;
    this.#rate = rates.tomanPerDollar;
    this.#price = priceMilliTomanPerGb(rates.cents, rates.tomanPerDollar);
    for (const [user, toman] of wallets) this.#wallets.set(user, toman);
    for (const device of devices) this.#open(device);
    for (const meters of this.#ofUser.values()) meters.sort((a, b) => (a.device.id < b.device.id ? -1 : 1));
  }

  /** Creates a meter and its first lease, as for a new config. */
  #open(device: Device): void {
    const node = this.#nodes.get(device.node) ?? { generation: 0, epoch: null, epochs: new Map() };
    this.#nodes.set(device.node, node);
    node.generation += 1;
    const meter: Meter = {
      ...{ device, generation: node.generation, epoch: null, up: 0, down: 0, marks: new Map() },
      ...{ billed: 0n, unbilled: 0n, unpaid: 0n, recalledLimit: null },
      ...{ version: 0, limit: 0n, shrinkTo: null, grantBytes: 0n, closed: [], segmentStart: 0n, segmentPrice: 0n },
      ...{ rate: 0n, isShort: false, sampledAt: null, usedAt: null },
    };
    this.#meters.set(device.id, meter);
    for (const [meters, owner] of [
      [this.#ofUser, device.user],
      [this.#ofNode, device.node],
    ] as const) {
      meters.set(owner, [...(meters.get(owner) ?? []), meter]);
    }
    this.#grant([meter], {});
  }

  /** The release with the lease rules of now: what they measure begins anew. */
  upgrade(): void {
    this.#leases = leaseRules;
    for (const meter of this.#meters.values()) Object.assign(meter, { rate: 0n, isShort: false });
  }

  async advance(now: number): Promise<void> {
    this.#now = now;
  }

  async setPrice(cents: number): Promise<void> {
    this.#price = priceMilliTomanPerGb(cents, this.#rate);
  }

  async report(nodeIndex: number, report: UsageReport): Promise<UsageReply> {
    const node = this.#nodes.get(nodeIndex) as NodeState;
    const sequence = acceptEpoch(node, report);
    const readings = report.samples.flatMap((sample) => this.#read(nodeIndex, report, sample));
    for (const { meter, shrinkTo, sampleVersion, version } of readings)
      if (shrinkTo !== null && sampleVersion === version) this.#release(meter, shrinkTo);
    const leases = sequence === 'fork' || report.closing ? [] : this.#refill(report.epoch, readings);
    return { ackSeq: report.seq, epoch: sequence === 'fork' ? 'mint-epoch' : 'continue', leases };
  }

  #read(nodeIndex: number, report: UsageReport, sample: Sample): Reading[] {
    const meter = this.#meters.get(sample.config);
    if (meter?.device.node !== nodeIndex) return [];
    if (meter.epoch !== report.epoch) switchEpoch(meter, report.epoch);
    const newUp = Math.max(sample.up - meter.up, 0);
    const newDown = Math.max(sample.down - meter.down, 0);
    const readAt = this.#now - Math.min(report.ageMs, MAX_AGE_MS);
    meter.up += newUp;
    meter.down += newDown;
    const whole = meter.billed + BigInt(newUp + newDown);
    meter.billed = whole < meter.limit ? whole : meter.limit;
    const excess = whole - meter.billed;
    const waiting = meter.recalledLimit === null ? 0n : meter.recalledLimit - meter.limit - meter.unpaid;
    const unpaid = waiting <= 0n ? 0n : waiting < excess ? waiting : excess;
    meter.unpaid += unpaid;
    meter.unbilled += excess - unpaid;
    if (sample.leaseVersion >= meter.version) meter.recalledLimit = null;
    this.#leases.measure(meter, readAt, newUp, newDown);
    const { billed, limit, shrinkTo, grantBytes, version, isShort } = meter;
    const lease = { billed, limit, shrinkTo, grantBytes, version, isShort, rate: meter.rate };
    return [{ meter, sampleVersion: sample.leaseVersion, ...lease, epochBytes: BigInt(meter.up + meter.down) }];
  }

  #refill(epoch: string, readings: readonly Reading[]): UsageReply['leases'] {
    const low = readings.filter(this.#leases.needsRefill);
    const granted = this.#grant(
      low.map((reading) => reading.meter),
      { isReported: true },
    );
    return readings.flatMap((reading) => {
      const { meter, sampleVersion, billed, epochBytes } = reading;
      const isLow = low.includes(reading);
      const isGranted = granted.has(meter);
      if (!isGranted && sampleVersion >= reading.version && !isLow) return [];
      const limit = isGranted ? meter.limit : (reading.shrinkTo ?? reading.limit);
      const version = isGranted ? meter.version : reading.version;
      const limitBytes = Number(wireLimit(epochBytes, limit, isGranted ? meter.billed : billed));
      return [{ config: meter.device.id, lease: { epoch, version, limitBytes }, refillDenied: isLow && !isGranted }];
    });
  }

  /** `waiting` are raised after the others, to all that they should have or not at all. */
  #grant(
    meters: readonly Meter[],
    { isReported = false, waiting = [] }: { isReported?: boolean; waiting?: readonly Meter[] },
  ): Set<Meter> {
    const granted = new Set<Meter>();
    for (const meter of [...byId(meters), ...byId(waiting)]) {
      const { user } = meter.device;
      const walletToman = this.#wallets.get(user) ?? 0n;
      const ahead = this.#leases.ahead(meter.rate, isReported);
      const grant = decideGrant(meter, {
        ...{ walletToman, priceMilliToman: this.#price, ahead: meter.unpaid + ahead },
        shared: (this.#ofUser.get(user)?.length ?? 1) > 1,
      });
      const isPartial = grant !== undefined && grant.limit - meter.billed - meter.unpaid < ahead;
      const given = isPartial && waiting.includes(meter) ? undefined : grant;
      meter.isShort = this.#leases.isShort((given?.limit ?? meter.limit) - meter.billed - meter.unpaid, ahead);
      if (!given) continue;
      granted.add(meter);
      this.#wallets.set(user, walletToman - given.costToman);
      if (given.closed) meter.closed.push({ start: given.closed.start, price: given.closed.price });
      const open = given.limit - meter.billed;
      const paid = meter.unpaid < open ? meter.unpaid : open;
      meter.billed += paid;
      meter.unpaid -= paid;
      meter.grantBytes = given.limit - meter.limit - paid;
      meter.limit = given.limit;
      if (meter.recalledLimit !== null && meter.limit >= meter.recalledLimit) meter.recalledLimit = null;
      meter.version += 1;
      meter.shrinkTo = null;
      meter.segmentStart = given.segmentStart;
      meter.segmentPrice = given.segmentPrice;
    }
    return granted;
  }

  #release(meter: Meter, limit: bigint): void {
    const target = limit < meter.billed ? meter.billed : limit;
    if (target >= meter.limit) return;
    const segments = segmentsOf(meter);
    const amount = totalToman(segments, meter.limit) - totalToman(segments, target);
    const open = segments.findLast(({ start }) => start < target) ?? (segments[0] as Segment);
    meter.closed = meter.closed.filter(({ start }) => start < open.start);
    meter.limit = target;
    meter.shrinkTo = null;
    meter.grantBytes = target - meter.billed;
    meter.segmentStart = open.start;
    meter.segmentPrice = open.price;
    const { user } = meter.device;
    this.#wallets.set(user, (this.#wallets.get(user) ?? 0n) + amount);
  }

  async topUp(user: number, toman: bigint): Promise<void> {
    this.#wallets.set(user, (this.#wallets.get(user) ?? 0n) + toman);
  }

  async spend(user: number, percent: bigint): Promise<void> {
    const meters = this.#ofUser.get(user) ?? [];
    const wallet = this.#wallets.get(user) ?? 0n;
    const amount = ((wallet + meters.reduce((sum, meter) => sum + reservedIn(meter), 0n)) * percent) / 100n;
    if (amount === 0n) return;
    const recalled = amount <= wallet ? [] : meters.filter((meter) => meter.limit > meter.billed);
    for (const meter of recalled) {
      if (meter.recalledLimit === null || meter.limit > meter.recalledLimit) meter.recalledLimit = meter.limit;
      this.#release(meter, meter.billed);
      meter.version += 1;
    }
    this.#wallets.set(user, (this.#wallets.get(user) ?? 0n) - amount);
    if (amount <= wallet) return;
    this.#change([...new Set([...recalled, ...this.#raise(meters)])]);
  }

  #raise(meters: readonly Meter[]): Set<Meter> {
    const waiting = meters.filter(
      (meter) => meter.isShort && meter.shrinkTo === null && !this.#leases.needsRefill(meter),
    );
    return this.#grant(meters.filter(this.#leases.needsRefill), { waiting });
  }

  async restore(user: number): Promise<void> {
    const meters = this.#ofUser.get(user) ?? [];
    const low = meters.filter(this.#leases.needsRefill);
    if (low.length === 0 && !meters.some(({ isShort }) => isShort)) return;
    const granted = this.#raise(meters);
    const isStarving = low.some((meter) => !granted.has(meter));
    const lowered = isStarving ? this.#leases.lowerForOthers(meters, granted, this.#now) : new Map<Meter, bigint>();
    this.#change([...granted, ...shrink(lowered)]);
  }

  async reclaim(): Promise<void> {
    const before = this.#now - reclaimIdleSeconds * 1_000;
    const idle = [...this.#meters.values()].filter(
      (meter) =>
        meter.shrinkTo === null &&
        meter.limit - meter.billed > this.#leases.idleBytes * 2n &&
        (meter.usedAt ?? meter.sampledAt ?? Number.NEGATIVE_INFINITY) < before,
    );
    this.#change(shrink(new Map(idle.map((meter) => [meter, meter.billed + this.#leases.idleBytes]))));
  }

  #change(meters: readonly Meter[]): void {
    for (const index of new Set(meters.map((meter) => meter.device.node))) {
      const node = this.#nodes.get(index) as NodeState;
      node.generation += 1;
      for (const meter of meters) if (meter.device.node === index) meter.generation = node.generation;
    }
  }

  async desired(nodeIndex: number, query: { after: number; epoch: string }): Promise<DesiredState> {
    const node = this.#nodes.get(nodeIndex) as NodeState;
    const isWhole = query.after === 0 || node.epoch !== query.epoch || query.after > node.generation;
    node.epoch = query.epoch;
    const { generation } = node;
    if (!isWhole && generation <= query.after) return { kind: 'unchanged', generation: query.after };
    const own = this.#ofNode.get(nodeIndex) ?? [];
    const changed = isWhole ? own : own.filter((meter) => meter.generation > query.after);
    const peers = changed.map((meter) => peerOf(meter, query.epoch));
    return { kind: isWhole ? 'snapshot' : 'delta', generation, settings, peers, removed: [] };
  }

  async bills(): Promise<Bill[]> {
    return [...this.#meters.values()].map((meter) => ({
      ...{
        id: meter.device.id,
        billed: meter.billed,
        unbilled: meter.unbilled,
        unpaid: meter.unpaid,
        limit: meter.limit,
      },
      charged: totalToman(segmentsOf(meter), meter.billed),
      wallet: this.#wallets.get(meter.device.user) ?? 0n,
    }));
  }
}

const settings = nodeSettingsOf({ wireguard_port: 51_820 });

function acceptEpoch(node: NodeState, report: UsageReport): ReturnType<typeof decideSequence> {
  const last = node.epochs.get(report.epoch) ?? { seq: 0n, report: undefined };
  node.epochs.set(report.epoch, last);
  // Reports are compared only when two have the same number, and then literally, as by their hash.
  const contentOf = (made: UsageReport | undefined) => JSON.stringify([made?.samples, made?.closing ?? false]);
  const isAgain = last.seq === BigInt(report.seq);
  const decision = decideSequence(
    { seq: last.seq, hash: isAgain ? contentOf(last.report) : '' },
    { seq: report.seq, hash: isAgain ? contentOf(report) : '' },
  );
  if (last.seq === 0n && !report.closing) node.epoch = report.epoch;
  if (decision === 'accept') {
    last.seq = BigInt(report.seq);
    last.report = report;
  }
  return decision;
}

function switchEpoch(meter: Meter, epoch: string): void {
  if (meter.epoch !== null) meter.marks.set(meter.epoch, { up: meter.up, down: meter.down });
  const known = meter.marks.get(epoch);
  meter.epoch = epoch;
  meter.up = known?.up ?? 0;
  meter.down = known?.down ?? 0;
}

function byId(meters: readonly Meter[]): Meter[] {
  return [...meters].sort((a, b) => (a.device.id < b.device.id ? -1 : 1));
}

/** Asks for lower limits, of meters that are not being lowered already. */
function shrink(targets: ReadonlyMap<Meter, bigint>): Meter[] {
  const shrinking = [...targets].filter(([meter, target]) => meter.shrinkTo === null && target < meter.limit);
  for (const [meter, target] of shrinking) {
    meter.shrinkTo = target;
    meter.version += 1;
  }
  return shrinking.map(([meter]) => meter);
}

/** Toman reserved for bytes that have not passed. */
function reservedIn(meter: Meter): bigint {
  return totalToman(segmentsOf(meter), meter.limit) - totalToman(segmentsOf(meter), meter.billed);
}

function segmentsOf(meter: Meter): Segment[] {
  return [...meter.closed, { start: meter.segmentStart, price: meter.segmentPrice }];
}

function peerOf(meter: Meter, epoch: string): Peer {
  const { id, slot } = meter.device;
  const marks = meter.epoch === epoch ? meter : meter.marks.get(epoch);
  const counted = BigInt((marks?.up ?? 0) + (marks?.down ?? 0));
  const limitBytes = Number(wireLimit(counted, meter.shrinkTo ?? meter.limit, meter.billed));
  return {
    ...{ id, protocol: 'wireguard', publicKey: 'A', presharedKey: 'B', blocked: false },
    ...{ address4: address4Of('wireguard', slot), address6: address6Of('wireguard', slot) },
    lease: { epoch, version: meter.version, limitBytes },
  };
}
