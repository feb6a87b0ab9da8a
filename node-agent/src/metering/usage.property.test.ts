import type { UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyOrders, finishRemovals, observe, passLimit } from './usage.ts';
import { mintEpoch } from './usage-epoch.ts';
import { acknowledge, nextReport } from './usage-report.ts';
import { decodeUsage, encodeUsage, type Reading, startUsage, type UsageState } from './usage-state.ts';

/**
 * A node whose kernel, disk and network are toys, so that every fault can happen between any two steps. The kernel knows
 * the truth; the bill must never exceed it, and falls short only of what a lost kernel took with it.
 */
const IDS = ['one', 'two', 'three'];
const status = {
  tunnels: [],
  load: 0,
  protocols: ['wireguard' as const],
  agentVersion: 'test',
  ageMs: 0,
  blockedQueries: [],
  blockedNames: 0,
  wireguardPorts: [],
};

class ToyNode {
  kernel = { epoch: '', bootId: 'boot0', slots: new Map<number, { up: bigint; down: bigint; limit: bigint }>() };
  disk: string | null = null;
  state: UsageState;
  /** Bytes that really passed, per config. */
  passed = new Map<string, number>();
  /** Bytes that passed since the last durable reading, which are lost with the kernel. */
  undurable = new Map<string, number>();
  lost = new Map<string, number>();
  sent: UsageReport[] = [];
  high = new Map<string, { up: number; down: number }>();
  granted = new Map<string, number>();
  accepted = new Map<string, number>();
  #serial = 0;

  constructor() {
    this.state = startUsage(this.mintId(), 'boot0');
    this.rebuild();
    this.save();
  }

  mintId(): string {
    this.#serial += 1;
    return this.#serial.toString(16).padStart(32, '0');
  }

  rebuild(): void {
    this.kernel = { epoch: this.state.epoch, bootId: this.state.bootId, slots: new Map() };
    for (let slot = 2; slot < 2 + IDS.length; slot++) this.kernel.slots.set(slot, { up: 0n, down: 0n, limit: 0n });
    this.enforce();
  }

  read(): Reading {
    const counters = new Map([...this.kernel.slots].map(([slot, { up, down }]) => [slot, { up, down }]));
    const epoch = this.kernel.epoch === '' ? null : this.kernel.epoch;
    return { epoch, bootId: this.kernel.bootId, counters };
  }

  enforce(): void {
    for (const config of this.state.configs.values()) {
      const slot = this.kernel.slots.get(config.slot);
      if (slot) slot.limit = passLimit(config);
    }
  }

  save(): void {
    this.disk = encodeUsage(this.state);
    // A config that the node forgot in a crash is read when the desired state restores it.
    for (const id of this.state.configs.keys()) this.undurable.delete(id);
  }

  traffic(id: string, up: number, down: number): void {
    const slot = this.kernel.slots.get(IDS.indexOf(id) + 2);
    if (!slot) return;
    for (const [direction, bytes] of [
      ['up', up],
      ['down', down],
    ] as const) {
      if (slot.up + slot.down + BigInt(bytes) > slot.limit) continue;
      slot[direction] += BigInt(bytes);
      add(this.passed, id, bytes);
      add(this.undurable, id, bytes);
    }
  }

  sample(): void {
    const seen = observe(this.state, this.read());
    if (seen.kind === 'lost') this.renew('close');
    else this.state = seen.state;
    this.save();
  }

  renew(old: 'close' | 'abandon'): void {
    const counters = old === 'close' ? null : this.read().counters;
    const bootId = this.kernel.bootId;
    this.state = mintEpoch(this.state, { epoch: this.mintId(), bootId, counters, old, agentVersion: 'test' });
    if (old === 'close') this.rebuild();
    else this.kernel.epoch = this.state.epoch;
    this.enforce();
  }

  lose(): void {
    for (const [id, bytes] of this.undurable) add(this.lost, id, bytes);
    this.undurable.clear();
    this.kernel.slots.clear();
    this.kernel.epoch = '';
  }

  crash(): void {
    this.state = decodeUsage(this.disk ?? '');
    this.sample();
    this.askAll();
  }

  /** The complete desired state, as an agent requests it when it starts. */
  askAll(): void {
    for (const id of this.granted.keys()) this.grant(id, 0);
  }

  /** Sends the outstanding report; the reply may be lost after the control plane has accepted the report. */
  report(isAnswered: boolean): void {
    const made = nextReport(this.state, status);
    this.state = made.state;
    this.disk = encodeUsage(this.state);
    this.sent.push(made.report);
    const reply = this.receive(made.report);
    if (!isAnswered) return;
    const answer = acknowledge(this.state, made.report, reply);
    this.state = answer.state;
    if (answer.mustMintEpoch) this.abandon();
    this.enforce();
    this.disk = encodeUsage(this.state);
  }

  abandon(): void {
    for (const [id, config] of this.state.configs) {
      const slot = this.kernel.slots.get(config.slot);
      if (!slot) continue;
      const { acknowledged, base } = config;
      add(this.lost, id, Number(slot.up + slot.down - base.up - base.down) - acknowledged.up - acknowledged.down);
    }
    this.undurable.clear();
    this.renew('abandon');
    this.save();
  }

  receive(report: UsageReport): UsageReply {
    for (const { config, up, down } of report.samples) {
      const key = `${report.epoch} ${config}`;
      const known = this.high.get(key) ?? { up: 0, down: 0 };
      this.high.set(key, { up: Math.max(known.up, up), down: Math.max(known.down, down) });
    }
    return { ackSeq: report.seq, epoch: 'continue', leases: [] };
  }

  grant(id: string, bytes: number): void {
    add(this.granted, id, bytes);
    const version = (this.accepted.get(id) ?? 0) + 1;
    this.accepted.set(id, version);
    const config = this.state.configs.get(id);
    const counted = this.high.get(`${this.state.epoch} ${id}`) ?? { up: 0, down: 0 };
    const left = (this.granted.get(id) ?? 0) - billed(this.high, id);
    // A lease for this epoch is issued only after the closing reports of earlier ones.
    const isCurrent = this.state.closing.length === 0;
    const limitBytes = counted.up + counted.down + left;
    const lease = isCurrent ? { epoch: this.state.epoch, version, limitBytes } : null;
    if (!lease && config) return;
    this.state = applyOrders(this.state, [{ id, slot: IDS.indexOf(id) + 2, blocked: false, lease }]);
    this.enforce();
  }
}

function add(map: Map<string, number>, id: string, bytes: number): void {
  map.set(id, (map.get(id) ?? 0) + bytes);
}

function billed(high: ReadonlyMap<string, { up: number; down: number }>, id: string): number {
  let total = 0;
  for (const [key, { up, down }] of high) if (key.endsWith(` ${id}`)) total += up + down;
  return total;
}

const id = fc.constantFrom(...IDS);
const bytes = fc.integer({ min: 0, max: 400_000 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('traffic' as const), id, up: bytes, down: bytes }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sample' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('report' as const), isAnswered: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grant' as const), id, bytes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), isReboot: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abandon' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function take(node: ToyNode, what: Step): void {
  if (what.kind === 'traffic') node.traffic(what.id, what.up, what.down);
  else if (what.kind === 'sample') node.sample();
  else if (what.kind === 'report') node.report(what.isAnswered);
  else if (what.kind === 'grant') node.grant(what.id, what.bytes);
  else if (what.kind === 'crash') node.crash();
  else if (what.kind === 'abandon' && node.state.closing.length === 0) node.abandon();
  else if (what.kind === 'lose') {
    node.lose();
    if (what.isReboot) {
      node.kernel.bootId = `boot${node.mintId()}`;
      node.state = decodeUsage(node.disk ?? '');
    }
    node.sample();
  }
}

test('the bill never exceeds what passed, and lacks only the bytes of a lost kernel or a refused epoch', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const node = new ToyNode();
      for (const what of steps) {
        take(node, what);
        for (const each of IDS) expect(billed(node.high, each)).toBeLessThanOrEqual(node.passed.get(each) ?? 0);
      }
      node.sample();
      for (let round = 0; round < 60; round++) node.report(true);
      node.askAll();
      node.sample();
      for (let round = 0; round < 3; round++) node.report(true);
      for (const each of IDS) {
        const [truth, bill] = [node.passed.get(each) ?? 0, billed(node.high, each)];
        const lost = node.lost.get(each) ?? 0;
        expect(bill).toBeLessThanOrEqual(truth);
        expect(bill).toBeGreaterThanOrEqual(truth - lost);
        expect(truth).toBeLessThanOrEqual((node.granted.get(each) ?? 0) + lost);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('the bill depends only on the set of samples: not on order, repeats or how they are split into reports', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (steps, chance) => {
        const node = new ToyNode();
        for (const what of steps) take(node, what);
        const samples = node.sent.flatMap((report) =>
          report.samples.map((sample) => ({ ...report, samples: [sample] })),
        );
        const shuffled = [...samples, ...samples, ...node.sent]
          .map((report) => ({ report, at: chance.next().value as number }))
          .sort((a, b) => a.at - b.at);
        const other = new ToyNode();
        for (const { report } of shuffled) other.receive(report);
        expect(Object.fromEntries(other.high)).toEqual(Object.fromEntries(node.high));
      },
    ),
    { numRuns: 300 },
  );
});

test('a removed config is billed to its last byte, and its slot starts again from zero', () => {
  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      const node = new ToyNode();
      node.grant('one', 10_000_000);
      node.traffic('one', first, 0);
      node.state = applyOrders(node.state, [], ['one']);
      node.enforce();
      node.traffic('one', 1, 1);
      node.state = finishRemovals(node.state, node.read(), ['one']);
      const lease = { epoch: node.state.epoch, version: 1, limitBytes: 10_000_000 };
      node.state = applyOrders(node.state, [{ id: 'heir', slot: 2, blocked: false, lease }]);
      node.enforce();
      node.traffic('one', second, 0);
      node.sample();
      node.report(true);
      expect([billed(node.high, 'one'), billed(node.high, 'heir')]).toEqual([first, second]);
      expect(node.state.configs.has('one')).toBe(false);
    }),
    { numRuns: 200 },
  );
});
