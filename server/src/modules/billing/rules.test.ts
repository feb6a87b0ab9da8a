import { chargeToman } from '@raha/contract/money.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  coveredBy,
  decideGrant,
  hasNothingLeft,
  isHeldElsewhere,
  isSpent,
  isUsedUp,
  needsRefill,
  renewalAt,
  shareOfPlan,
  shareTarget,
  shrinkTarget,
  wantedAhead,
} from './rules.ts';

const IDLE = 240_000_000n;
const price = 2_400_000n;
const fresh = { billed: 0n, limit: 0n, segmentStart: 0n, segmentPrice: 0n };

describe('a grant', () => {
  test('gives a new config the idle amount and reserves exactly what that will cost', () => {
    expect(decideGrant(fresh, { walletToman: 1_000n, priceMilliToman: price, ahead: IDLE, shared: false })).toEqual({
      limit: IDLE,
      grantBytes: IDLE,
      costToman: 576n,
      segmentStart: 0n,
      segmentPrice: price,
      segmentSubscriptionId: null,
      closed: undefined,
    });
  });

  test('takes all of a small wallet, and nothing of an empty one', () => {
    const all = decideGrant(fresh, { walletToman: 10n, priceMilliToman: price, ahead: IDLE, shared: false });
    expect(all?.costToman).toBe(10n);
    expect(all?.limit).toBe(4_583_333n);
    expect(decideGrant(fresh, { walletToman: 0n, priceMilliToman: price, ahead: IDLE, shared: false })).toBeUndefined();
  });

  test('continues an open segment, whose earlier cost is taken into account', () => {
    // 10 toman bought 4,583,333 bytes; 10 more buy as far as 20 do at once.
    const state = { billed: 4_583_000n, limit: 4_583_333n, segmentStart: 0n, segmentPrice: price };
    const grant = decideGrant(state, { walletToman: 10n, priceMilliToman: price, ahead: IDLE, shared: false });
    expect(grant).toMatchObject({ limit: 8_749_999n, costToman: 10n, segmentStart: 0n, closed: undefined });
  });

  test('leaves half to the other configs of the same user', () => {
    const half = decideGrant(fresh, { walletToman: 20n, priceMilliToman: price, ahead: IDLE, shared: true });
    expect(half?.costToman).toBe(10n);
  });

  test('is free at a price of zero, even with an empty wallet', () => {
    const free = decideGrant(fresh, { walletToman: 0n, priceMilliToman: 0n, ahead: IDLE, shared: true });
    expect(free).toMatchObject({ limit: IDLE, costToman: 0n, closed: undefined });
  });

  test('from a plan ends at its last byte, costs nothing, and closes the paid segment', () => {
    const paid = { ...fresh, limit: 1_000n, segmentPrice: price, segmentSubscriptionId: null };
    const offer = { walletToman: 0n, priceMilliToman: 0n, ahead: IDLE, shared: true };
    const grant = decideGrant(paid, { ...offer, subscription: { id: 'p', leftBytes: 500n } });
    expect(grant).toEqual({
      limit: 1_500n,
      grantBytes: 500n,
      costToman: 0n,
      segmentStart: 1_000n,
      segmentPrice: 0n,
      segmentSubscriptionId: 'p',
      closed: { start: 0n, end: 1_000n, price, subscriptionId: null },
    });
    expect(decideGrant(paid, { ...offer, subscription: { id: 'p', leftBytes: 0n } })).toBeUndefined();
    expect(decideGrant(paid, { ...offer, subscription: { id: 'p', leftBytes: undefined } })?.limit).toBe(IDLE);
  });

  test('from a trial and from a plan are separate segments, although both cost nothing', () => {
    const trial = { ...fresh, limit: 1_000n, segmentSubscriptionId: null };
    const offer = { walletToman: 0n, priceMilliToman: 0n, ahead: IDLE, shared: false };
    const subscription = { id: 'p', leftBytes: undefined };
    expect(decideGrant(trial, { ...offer, subscription })).toMatchObject({
      segmentStart: 1_000n,
      closed: { start: 0n, end: 1_000n, price: 0n, subscriptionId: null },
    });
    const inPlan = { ...trial, segmentSubscriptionId: 'p' };
    expect(decideGrant(inPlan, { ...offer, subscription })).toMatchObject({ segmentStart: 0n, closed: undefined });
    expect(decideGrant(inPlan, offer)).toMatchObject({
      segmentSubscriptionId: null,
      closed: { start: 0n, end: 1_000n, price: 0n, subscriptionId: 'p' },
    });
  });

  test('at another price begins a segment where the old lease ends', () => {
    const state = { billed: 5n, limit: 1000n, segmentStart: 0n, segmentPrice: price };
    const grant = decideGrant(state, { walletToman: 1_000n, priceMilliToman: price * 2n, ahead: IDLE, shared: false });
    expect(grant).toMatchObject({
      segmentStart: 1000n,
      segmentPrice: price * 2n,
      closed: { start: 0n, end: 1000n, price, subscriptionId: null },
    });
  });

  test('is only what is missing to the wanted amount, even from a plan that has more', () => {
    const half = { ...fresh, billed: IDLE / 2n, limit: IDLE, segmentPrice: price };
    const offer = { walletToman: 1_000n, priceMilliToman: price, ahead: IDLE, shared: false };
    expect(decideGrant(half, offer)?.grantBytes).toBe(IDLE / 2n);
    const subscription = { id: 'p', leftBytes: 10n ** 12n };
    expect(decideGrant(half, { ...offer, priceMilliToman: 0n, subscription })?.grantBytes).toBe(IDLE / 2n);
  });

  test('spends all of a small wallet when half of it would buy next to nothing, also in a late segment', () => {
    const late = { billed: 10n ** 9n, limit: 10n ** 9n, segmentStart: 0n, segmentPrice: price };
    const offer = { priceMilliToman: price * 2n, ahead: IDLE, shared: true };
    expect(decideGrant(late, { ...offer, walletToman: 3n })).toMatchObject({ costToman: 3n, grantBytes: 833_333n });
    // Half of 40 toman buys enough to start with; the other half is for the other configs.
    expect(decideGrant(late, { ...offer, walletToman: 40n })?.costToman).toBe(20n);
  });

  test('is not made while enough is ahead', () => {
    const state = { billed: 0n, limit: IDLE, segmentStart: 0n, segmentPrice: price };
    expect(
      decideGrant(state, { walletToman: 1_000n, priceMilliToman: price, ahead: IDLE, shared: false }),
    ).toBeUndefined();
  });

  test('never costs more than the wallet, and its cost is exactly what using it up will charge', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 7n });
    const bytes = fc.bigInt({ min: 0n, max: 10n ** 11n });
    fc.assert(
      fc.property(
        amount,
        fc.bigInt({ min: 1n, max: 10n ** 8n }),
        bytes,
        bytes,
        bytes,
        fc.boolean(),
        fc.boolean(),
        (wallet, p, start, over, billed, shared, same) => {
          const limit = start + over;
          const state = {
            billed: billed < limit ? billed : limit,
            limit,
            segmentStart: start,
            segmentPrice: same ? p : p + 1n,
          };
          const grant = decideGrant(state, { walletToman: wallet, priceMilliToman: p, ahead: 10n ** 10n, shared });
          if (!grant) return;
          expect(grant.costToman).toBeLessThanOrEqual(wallet);
          const from = grant.segmentStart;
          expect(grant.costToman).toBe(chargeToman(grant.limit - from, p) - chargeToman(limit - from, p));
          expect(grant.limit - limit).toBe(grant.grantBytes);
          expect(grant.limit - state.billed).toBeLessThanOrEqual(10n ** 10n);
        },
      ),
    );
  });
});

test.each([
  [0n, IDLE, 200_000_000n],
  [1_000_000n, 2_400_000_000n, 2_000_000_000n],
  [10n ** 12n, 300_000_000_000n, 250_000_000_000n],
])('at %i bytes a second a lease covers 40 minutes, and is renewed at 33, within bounds', (rate, ahead, renewal) => {
  expect(wantedAhead(rate)).toBe(ahead);
  expect(renewalAt(ahead)).toBe(renewal);
});

test.each([
  [0n, 100_000_000n, 100_000_000n, false],
  [49_000_000n, 100_000_000n, 100_000_000n, false],
  [51_000_000n, 100_000_000n, 100_000_000n, true],
  [100_000_000n, 100_000_000n, 0n, true],
  [0n, 65_535n, 1n, true],
  [0n, 65_536n, 1n, false],
  [50_000_000n, 100_000_000n, 100_000_000n, false],
])('money is short, billed %i of %i, last grant %i: refill %s', (billed, limit, grantBytes, wanted) => {
  expect(needsRefill({ billed, limit, grantBytes, rate: 1_000_000n, isShort: true })).toBe(wanted);
});

test.each([
  ['idle, 200 MB left', 0n, 200_000_000n, false],
  ['idle, less left', 0n, 199_999_999n, true],
  ['33 minutes left', 1_000_000n, 2_000_000_000n, false],
  ['less than 33 minutes left, although it is most of the last grant', 1_000_000n, 1_999_999_999n, true],
])('there is money, %s', (_what, rate, left, wanted) => {
  expect(needsRefill({ billed: 5n, limit: 5n + left, grantBytes: left, rate, isShort: false })).toBe(wanted);
});

test.each([
  ['what it needs soon, of much', 1_000_000n, 10n ** 9n, 60_000_000n],
  ['half, of little', 1_000_000n, 20_000_000n, 10_000_000n],
  ['a megabyte, of next to nothing', 1_000_000n, 1_500_000n, 1_000_000n],
  ['all, of less than that', 1_000_000n, 900_000n, 900_000n],
])('a config in use that shares its lease keeps %s', (_what, rate, left, kept) => {
  expect(shareTarget({ billed: 7n, limit: 7n + left, rate })).toBe(7n + kept);
});

test('of a plan one of several configs gets half of what is left at a time, and the last megabytes whole', () => {
  expect(shareOfPlan(undefined, true)).toBeUndefined();
  expect(shareOfPlan(10n ** 9n, false)).toBe(10n ** 9n);
  expect(shareOfPlan(10n ** 9n, true)).toBe(5n * 10n ** 8n);
  expect(shareOfPlan(1_999_999n, true)).toBe(1_999_999n);
});

test('a lease shrinks to the idle amount and never grows by shrinking', () => {
  expect(shrinkTarget({ billed: 10n, limit: 10n ** 9n }, false)).toBe(10n + IDLE);
  expect(shrinkTarget({ billed: 10n, limit: 20n }, false)).toBe(20n);
  expect(shrinkTarget({ billed: 10n, limit: 10n ** 9n }, true)).toBe(10n + 1_000_000n);
  expect(shrinkTarget({ billed: 10n, limit: 20n }, true)).toBe(20n);
});

test.each([
  ['plenty left', 0n, 10n ** 6n, 0n, false],
  ['nothing left, nothing in the wallet', 10n ** 6n, 10n ** 6n, 0n, true],
  ['less than a packet left, nothing in the wallet', 10n ** 6n - 65_535n, 10n ** 6n, 0n, true],
  ['nothing left, money in the wallet', 10n ** 6n, 10n ** 6n, 100n, false],
])('spent: %s', (_what, billed, limit, wallet, spent) => {
  expect(isSpent({ billed, limit, segmentStart: 0n, segmentPrice: price }, wallet, price)).toBe(spent);
});

test('spent means that not one more packet can pass or be paid for', () => {
  const state = { billed: 0n, limit: 65_536n, segmentStart: 0n, segmentPrice: price };
  expect(isSpent(state, 0n, price)).toBe(false);
  // At 100,000 toman per GB a toman buys 20,000 bytes.
  expect(isSpent({ ...state, limit: 0n, segmentPrice: 10n ** 8n }, 1n, 10n ** 8n)).toBe(true);
});

test.each([
  [0n, 65_536n, false],
  [0n, 65_535n, true],
  [10n ** 9n, 10n ** 9n, true],
  [10n ** 9n, 10n ** 9n + 65_536n, false],
])('billed %i of %i: used up %s', (billed, limit, usedUp) => {
  expect(isUsedUp(billed, limit)).toBe(usedUp);
});

test('nothing is left of money that buys less than half an idle lease: 8 MB at 2,400 toman per GB, 19 toman', () => {
  expect(hasNothingLeft(18n, price)).toBe(true);
  expect(hasNothingLeft(19n, price)).toBe(false);
  expect(hasNothingLeft(0n, 0n)).toBe(false);
});

test('money is held elsewhere when the leases hold more than this one and two megabytes: 12 MB at 2,400 toman per GB', () => {
  expect(isHeldElsewhere({ billed: 0n, limit: 10_000_000n }, 28n, price)).toBe(false);
  expect(isHeldElsewhere({ billed: 0n, limit: 10_000_000n }, 29n, price)).toBe(true);
  expect(isHeldElsewhere({ billed: 0n, limit: 10_000_000n }, 0n, 0n)).toBe(false);
});

test.each([
  ['the oldest, as many as there are devices', 'a b c', 2, 'a b'],
  ['fewer than there are devices', 'a', 2, 'a'],
  ['a config that is being replaced is not counted', 'a- b c d', 2, 'a b c'],
  ['several that are being replaced, wherever in the order', 'a b c- d-', 1, 'a c d'],
  ['no device', 'a b', 0, ''],
])('a plan covers: %s', (_name, configs, devices, covered) => {
  const live = configs.split(' ').map((name) => ({ config_id: name.slice(0, 1), is_replaced: name.endsWith('-') }));
  expect([...coveredBy(live, devices)].sort().join(' ')).toBe(covered);
});
