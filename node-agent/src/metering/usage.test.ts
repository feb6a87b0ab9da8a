import type { Lease, UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import { describe, expect, test } from 'vitest';
import { applyOrders, finishRemovals, leftBytes, observe, passLimit, slotPolicyOf } from './usage.ts';
import { mintEpoch } from './usage-epoch.ts';
import { acknowledge, isAwaitingLease, isReportUrgent, nextReport } from './usage-report.ts';
import { decodeUsage, encodeUsage, type Reading, startUsage, type UsageState } from './usage-state.ts';

const EPOCH = 'a'.repeat(32);
const NEXT = 'b'.repeat(32);
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
const fresh = { epoch: NEXT, bootId: 'boot', agentVersion: 'test' } as const;

const lease = (version: number, limitBytes: number, epoch = EPOCH): Lease => ({ epoch, version, limitBytes });
const order = (id: string, slot: number, given: Lease | null, blocked = false) => ({ id, slot, blocked, lease: given });
const reading = (
  counters: Record<number, [number | bigint, number | bigint]>,
  more: Partial<Reading> = {},
): Reading => ({
  epoch: EPOCH,
  bootId: 'boot',
  counters: new Map(
    Object.entries(counters).map(([slot, [up, down]]) => [Number(slot), { up: BigInt(up), down: BigInt(down) }]),
  ),
  ...more,
});
const reply = (report: UsageReport, more: Partial<UsageReply> = {}): UsageReply => ({
  ackSeq: report.seq,
  epoch: 'continue',
  leases: [],
  ...more,
});

function start(...orders: ReturnType<typeof order>[]): UsageState {
  return applyOrders(startUsage(EPOCH, 'boot'), orders);
}

function see(state: UsageState, what: Reading): UsageState {
  const seen = observe(state, what);
  if (seen.kind === 'lost') throw new Error(seen.reason);
  return seen.state;
}

function report(state: UsageState): { state: UsageState; report: UsageReport } {
  return nextReport(state, status);
}

function config(state: UsageState, id = 'one') {
  const found = state.configs.get(id);
  if (!found) throw new Error(`no config ${id}`);
  return found;
}

describe('observe', () => {
  test('totals are cumulative since the config was added', () => {
    let state = start(order('one', 2, lease(1, 1_000_000)));
    state = see(state, reading({ 2: [10, 20] }));
    state = see(state, reading({ 2: [15, 120] }));
    expect(config(state)).toMatchObject({ up: 15, down: 120 });
  });

  test('a slot with counters near 2⁶⁴ counts like any other', () => {
    const base = 2n ** 64n - 1_000n;
    const used = { ...startUsage(EPOCH, 'boot'), freed: new Map([[2, { up: base, down: base }]]) };
    let state = applyOrders(used, [order('one', 2, lease(1, 500))]);
    state = see(state, reading({ 2: [base + 7n, base + 8n] }));
    expect(config(state)).toMatchObject({ up: 7, down: 8 });
    expect(passLimit(config(state))).toBe(base * 2n + 500n);
  });

  test.each([
    ['another boot', reading({ 2: [50, 50] }, { bootId: 'other' }), 'rebooted'],
    ['no table', reading({}, { epoch: null }), 'table_gone'],
    ['a table of another epoch', reading({ 2: [50, 50] }, { epoch: NEXT }), 'table_of_another_epoch'],
    ['a slot that is gone', reading({}), 'counter_missing'],
    ['a counter that went back', reading({ 2: [9, 50] }), 'counter_went_back'],
  ])('%s breaks continuity', (_, second, reason) => {
    const state = see(start(order('one', 2, lease(1, 1_000))), reading({ 2: [10, 20] }));
    expect(observe(state, second)).toEqual({ kind: 'lost', reason });
  });

  test('a slot that is missing in a reading is no error before it has counted', () => {
    const state = start(order('one', 2, lease(1, 1_000)));
    expect(observe(state, reading({})).kind).toBe('observed');
  });
});

describe('leases', () => {
  test.each([
    ['of another epoch', lease(9, 5, NEXT), { version: 2, limitBytes: 100 }],
    ['older than the one in force', lease(1, 999), { version: 2, limitBytes: 100 }],
    ['newer and higher', lease(3, 200), { version: 3, limitBytes: 200 }],
    ['newer and lower', lease(3, 50), { version: 3, limitBytes: 50 }],
    ['the same again', lease(2, 100), { version: 2, limitBytes: 100 }],
    ['none', null, null],
  ])('a lease %s', (_, given, expected) => {
    const state = start(order('one', 2, lease(2, 100)));
    expect(config(applyOrders(state, [order('one', 2, given)])).lease).toEqual(expected);
  });

  test('the pass limit is the slot’s base plus the lease, and zero when blocked or without a lease', () => {
    const freed = new Map([[2, { up: 40n, down: 60n }]]);
    const limitOf = (given: Lease | null, blocked = false) =>
      passLimit(config(applyOrders({ ...startUsage(EPOCH, 'boot'), freed }, [order('one', 2, given, blocked)])));
    expect(limitOf(lease(1, 500))).toBe(600n);
    expect(limitOf(lease(1, 500), true)).toBe(0n);
    expect(limitOf(null)).toBe(0n);
  });

  test('a report is urgent when half of what was left is used', () => {
    let state = see(start(order('one', 2, lease(1, 1_000_000))), reading({ 2: [0, 0] }));
    const at = (bytes: number) => isReportUrgent(see(state, reading({ 2: [0, bytes] })));
    expect([at(0), at(400_000), at(500_001), at(1_000_000)]).toEqual([false, false, true, true]);
    state = see(state, reading({ 2: [0, 500_001] }));
    const made = report(state);
    expect(isReportUrgent(made.state)).toBe(false);
    state = acknowledge(made.state, made.report, reply(made.report)).state;
    expect([at(500_001), at(700_000), at(760_000)]).toEqual([false, false, true]);
  });

  test('a config at its limit is in every report until a newer lease arrives', () => {
    let state = see(start(order('one', 2, lease(1, 1_000_000))), reading({ 2: [0, 1_000_000] }));
    for (let round = 0; round < 3; round++) {
      const made = report(state);
      expect(made.report.samples).toEqual([{ config: 'one', up: 0, down: 1_000_000, leaseVersion: 1 }]);
      state = acknowledge(made.state, made.report, reply(made.report)).state;
      expect(isReportUrgent(state)).toBe(false);
    }
    const made = report(state);
    const leases = [{ config: 'one', lease: lease(2, 9_000_000), refillDenied: false }];
    const answer = acknowledge(made.state, made.report, reply(made.report, { leases }));
    expect(answer.leased).toEqual(['one']);
    // The new version is confirmed once, then there is nothing to report.
    const next = report(answer.state);
    expect(next.report.samples).toMatchObject([{ leaseVersion: 2 }]);
    expect(report(acknowledge(next.state, next.report, reply(next.report)).state).report.samples).toEqual([]);
  });

  test('after a denied refill a config does not ask again until the desired state brings a newer lease', () => {
    let state = see(start(order('one', 2, lease(1, 1_000_000))), reading({ 2: [0, 990_000] }));
    const made = report(state);
    const leases = [{ config: 'one', lease: lease(2, 1_000_000), refillDenied: true }];
    state = acknowledge(made.state, made.report, reply(made.report, { leases })).state;
    state = see(state, reading({ 2: [0, 1_000_000] }));
    expect(isAwaitingLease(config(state))).toBe(false);
    state = applyOrders(state, [order('one', 2, lease(2, 1_000_000))]);
    expect(isAwaitingLease(config(state))).toBe(false);
    state = applyOrders(state, [order('one', 2, lease(3, 1_010_000))]);
    expect(isAwaitingLease(config(state))).toBe(true);
  });
});

describe('reports', () => {
  test('the same report is returned until it is acknowledged, whatever happens meanwhile', () => {
    const first = report(see(start(order('one', 2, lease(1, 1_000_000))), reading({ 2: [1, 2] })));
    const later = see(first.state, reading({ 2: [100, 200] }));
    expect(report(later).report).toBe(first.report);
    const { state } = acknowledge(later, first.report, reply(first.report));
    expect(report(state).report).toMatchObject({ seq: 2, samples: [{ up: 100, down: 200 }] });
  });

  test('a reply to another report acknowledges nothing', () => {
    const first = report(see(start(order('one', 2, lease(1, 1_000))), reading({ 2: [1, 2] })));
    const other = { ...first.report, epoch: NEXT };
    expect(acknowledge(first.state, other, reply(other)).state.pending).toBe(first.report);
  });

  test('configs that do not fit into a report are in the next one', () => {
    const orders = Array.from({ length: 2_500 }, (_, index) => order(`c${index}`, index + 2, lease(1, 1_000_000)));
    const first = report(start(...orders));
    const second = report(acknowledge(first.state, first.report, reply(first.report)).state);
    expect([first.report.samples.length, second.report.samples.length]).toEqual([2_000, 500]);
  });

  test('configs that wait for a lease and do not fit are reported in rotation', () => {
    const orders = Array.from({ length: 2_500 }, (_, index) => order(`c${index}`, index + 2, lease(1, 1_000)));
    let state = start(...orders);
    const heard = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const made = report(state);
      expect(made.report.samples.length).toBe(2_000);
      if (round >= 2) for (const sample of made.report.samples) heard.add(sample.config);
      state = acknowledge(made.state, made.report, reply(made.report)).state;
    }
    expect(heard.size).toBe(2_500);
  });

  test('state survives encoding and decoding', () => {
    const { state } = report(
      see(start(order('one', 2, lease(1, 1_000)), order('two', 3, null)), reading({ 2: [1, 2] })),
    );
    expect(decodeUsage(encodeUsage(state))).toEqual(state);
    expect(() => decodeUsage(encodeUsage(state).slice(0, -9))).toThrow();
  });
});

describe('removal', () => {
  test('block, final reading, final sample until acknowledged; then the slot serves another config from zero', () => {
    let state = see(start(order('one', 2, lease(1, 1_000))), reading({ 2: [1, 2] }));
    state = applyOrders(state, [], ['one']);
    expect(passLimit(config(state))).toBe(0n);
    state = finishRemovals(state, reading({ 2: [5, 6] }), ['one']);
    expect(isReportUrgent(state)).toBe(true);
    state = applyOrders(state, [order('two', 2, lease(1, 1_000))]);
    state = see(state, reading({ 2: [15, 26] }));
    const made = report(state);
    expect(made.report.samples).toEqual([
      { config: 'one', up: 5, down: 6, leaseVersion: 1, final: true },
      { config: 'two', up: 10, down: 20, leaseVersion: 1 },
    ]);
    state = acknowledge(made.state, made.report, reply(made.report)).state;
    expect([...state.configs.keys()]).toEqual(['two']);
  });
});

test('a removed config that was never here gets a final sample of zero', () => {
  const made = report(applyOrders(start(), [], ['unknown']));
  expect(made.report.samples).toEqual([{ config: 'unknown', up: 0, down: 0, leaseVersion: 0, final: true }]);
  expect(acknowledge(made.state, made.report, reply(made.report)).state.configs.size).toBe(0);
});

describe('mintEpoch', () => {
  const used = () => {
    const state = see(start(order('one', 2, lease(4, 1_000))), reading({ 2: [100, 200] }));
    return report(state);
  };

  test('a lost epoch: its unacknowledged report, then its last totals, then the new epoch from zero', () => {
    const before = used();
    const last = see(before.state, reading({ 2: [150, 250] }));
    let state = mintEpoch(last, { ...fresh, counters: null, old: 'close' });
    expect(config(state)).toMatchObject({ base: { up: 0n, down: 0n }, up: 0, down: 0, refillDenied: false });
    expect(config(state).lease).toEqual({ version: 0, limitBytes: 600 });
    expect(report(state).report).toBe(before.report);
    state = acknowledge(state, before.report, reply(before.report)).state;
    const closing = report(state).report;
    expect(closing).toMatchObject({ epoch: EPOCH, seq: 2, closing: true, samples: [{ up: 150, down: 250 }] });
    expect(closing.health.unmeteredUpperBoundBytes).toBe(600);
    state = acknowledge(state, closing, reply(closing)).state;
    expect(report(state).report).toMatchObject({ epoch: NEXT, seq: 1 });
  });

  test('a refused epoch is abandoned, and totals start at the present counters', () => {
    const before = used();
    const counters = reading({ 2: [170, 270] }).counters;
    const answer = acknowledge(before.state, before.report, reply(before.report, { ackSeq: 0, epoch: 'mint-epoch' }));
    expect(answer.mustMintEpoch).toBe(true);
    let state = mintEpoch(answer.state, { ...fresh, counters, old: 'abandon' });
    expect([state.closing, state.pending]).toEqual([[], null]);
    expect(state.unmeteredBytes).toBe(300);
    state = see(state, reading({ 2: [171, 272] }, { epoch: NEXT }));
    expect(config(state)).toMatchObject({ up: 1, down: 2 });
    expect(leftBytes(config(state))).toBe(697);
  });

  test('the rest of a lease is carried over to the next epoch, and a lease for that epoch replaces it', () => {
    let state = mintEpoch(used().state, { ...fresh, counters: null, old: 'close' });
    state = see(state, reading({ 2: [0, 300] }, { epoch: NEXT }));
    state = mintEpoch(state, { ...fresh, epoch: EPOCH, counters: null, old: 'close' });
    expect(config(state).lease).toEqual({ version: 0, limitBytes: 400 });
    state = applyOrders(state, [order('one', 2, lease(1, 5_000))]);
    expect(config(state).lease).toEqual({ version: 1, limitBytes: 5_000 });
  });

  test('a lease has its speed until the next one, also over an epoch and on disk; an older lease has none to say', () => {
    const held = { ...lease(1, 5_000), maxMbit: 8 };
    let state = applyOrders(startUsage(EPOCH, 'boot'), [order('one', 2, held)]);
    expect(slotPolicyOf(config(state))).toMatchObject({ limitedSpeed: true });
    state = mintEpoch(state, { ...fresh, counters: null, old: 'close' });
    state = decodeUsage(encodeUsage(state));
    expect(config(state).lease).toEqual({ version: 0, limitBytes: 5_000, maxMbit: 8 });
    const later = (version: number, maxMbit?: number) => ({
      ...lease(version, 6_000, NEXT),
      ...(maxMbit && { maxMbit }),
    });
    state = applyOrders(state, [order('one', 2, later(2, 20))]);
    state = applyOrders(state, [order('one', 2, later(1))]);
    expect(config(state).lease).toEqual({ version: 2, limitBytes: 6_000, maxMbit: 20 });
    state = applyOrders(state, [order('one', 2, later(3))]);
    expect(config(state).lease).toEqual({ version: 3, limitBytes: 6_000 });
    expect(slotPolicyOf(config(state)).limitedSpeed).toBeUndefined();
  });

  test('a refused closing report is dropped with its epoch', () => {
    let state = mintEpoch(used().state, { ...fresh, counters: null, old: 'close' });
    const [first] = state.closing;
    if (!first) throw new Error('nothing to close');
    const answer = acknowledge(state, first, reply(first, { epoch: 'mint-epoch' }));
    state = answer.state;
    expect([answer.mustMintEpoch, state.closing]).toEqual([false, []]);
  });
});
