import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  creditOf,
  daysLeft,
  decideAdvance,
  decideEarlyEnd,
  decidePurchase,
  decideRenewal,
  earnedOf,
  leftOf,
  type Period,
  statusOf,
} from './rules.ts';

const now = new Date('2026-11-20T10:00:00Z');
const day = (count: number) => new Date(now.getTime() + count * 86_400_000);
const basic = {
  id: 'basic',
  priceToman: 90_000n,
  durationDays: 30,
  trafficLimitBytes: 50_000n,
  maxDevices: 2,
  maxMbit: undefined,
};
const premium = {
  id: 'premium',
  priceToman: 150_000n,
  durationDays: 30,
  trafficLimitBytes: undefined,
  maxDevices: 5,
  maxMbit: undefined,
};

function period(change: Partial<Period> = {}): Period {
  return {
    id: 'p1',
    planId: 'basic',
    priceToman: 90_000n,
    durationDays: 30,
    trafficLimitBytes: 50_000n,
    maxDevices: 2,
    maxMbit: undefined,
    startsAt: day(-10),
    endsAt: day(20),
    grantedBytes: 0n,
    carriedBytes: 0n,
    endedAt: undefined,
    endReason: undefined,
    ...change,
  };
}
const usedUp = period({ grantedBytes: 50_000n });
const next = period({ id: 'p2', startsAt: day(20), endsAt: day(50) });
const over = period({ startsAt: day(-30), endsAt: day(0) });

test.each([
  ['active', period()],
  ['active', period({ startsAt: day(0) })],
  ['scheduled', next],
  ['expired', over],
  ['used_up', usedUp],
  ['cancelled', period({ endReason: 'cancelled', endedAt: day(-1) })],
  ['replaced', period({ endReason: 'replaced', endedAt: day(-1) })],
])('%s', (status, given) => expect(statusOf(given, now)).toBe(status));

test.each([
  [day(20), 20],
  [new Date(day(20).getTime() + 1), 21],
  [day(0), 0],
  [day(-1), 0],
])('days left until %s: %i', (endsAt, days) => expect(daysLeft({ endsAt }, now)).toBe(days));

describe('the credit for a period that ends now', () => {
  test.each([
    ['of nothing used: the days', period(), 60_000n],
    ['of a begun day: the whole days', period({ endsAt: new Date(day(20).getTime() - 1) }), 57_000n],
    ['of half the traffic', period({ grantedBytes: 25_000n }), 45_000n],
    ['of a fifth of the traffic: the days are less', period({ grantedBytes: 10_000n }), 60_000n],
    ['of unlimited traffic: the days', period({ trafficLimitBytes: undefined, grantedBytes: 10n ** 12n }), 60_000n],
    ['of all traffic used: nothing', usedUp, 0n],
    ['of carried traffic: only of its own', period({ grantedBytes: 30_000n, carriedBytes: 5_000n }), 45_000n],
    ['of carried traffic, untouched: the days', period({ carriedBytes: 40_000n }), 60_000n],
    ['before the start: everything', next, 90_000n],
    ['before the start, of traffic that is out: not for that', { ...next, grantedBytes: 10_000n }, 72_000n],
    ['before the start, unlimited: everything', { ...next, trafficLimitBytes: undefined }, 90_000n],
    ['at the end: nothing', over, 0n],
    ['after it was ended: nothing', period({ endReason: 'cancelled', endedAt: now }), 0n],
  ])('%s', (_what, given, credit) => expect(creditOf(given, now)).toBe(credit));

  const unlimited = (gb: bigint) => period({ trafficLimitBytes: undefined, grantedBytes: gb * 10n ** 9n });
  test.each([
    ['nothing used: the days', unlimited(0n), 60_000n],
    ['a little used: still the days', unlimited(10n), 60_000n],
    ['more used than the days past: what the price exceeds it', unlimited(20n), 42_000n],
    ['used up to the price', unlimited(37n), 1_200n],
    ['used beyond the price: nothing, and no debt', unlimited(232n), 0n],
    ['before the start: everything', { ...unlimited(0n), startsAt: next.startsAt, endsAt: next.endsAt }, 90_000n],
  ])('of an unlimited plan at 2,400 toman per GB, %s', (_what, given, credit) =>
    expect(creditOf(given, now, 2_400_000n)).toBe(credit),
  );

  test('is never more than the price, and falls as time passes and traffic is granted', () => {
    const arbitrary = fc.record({
      price: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      days: fc.integer({ min: 1, max: 400 }),
      limit: fc.bigInt({ min: 1n, max: 10n ** 13n }),
      share: fc.integer({ min: 0, max: 100 }),
      elapsed: fc.integer({ min: 0, max: 500 * 24 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ price, days, limit, share, elapsed }) => {
        const given = period({
          priceToman: price,
          durationDays: days,
          trafficLimitBytes: limit,
          grantedBytes: (limit * BigInt(share)) / 100n,
          startsAt: now,
          endsAt: day(days),
        });
        const later = new Date(now.getTime() + elapsed * 3_600_000);
        const credit = creditOf(given, later);
        expect(credit).toBeGreaterThanOrEqual(0n);
        expect(credit).toBeLessThanOrEqual(price);
        expect(creditOf(given, new Date(later.getTime() + 3_600_000))).toBeLessThanOrEqual(credit);
        expect(creditOf({ ...given, grantedBytes: limit }, later)).toBe(0n);
      }),
    );
  });
});

describe('buying', () => {
  const buy = (plan: typeof basic | typeof premium, ...periods: Period[]) => decidePurchase(plan, periods, now);
  test('with nothing running begins now', () => {
    const sale = { kind: 'purchase', priceToman: 90_000n, creditToman: 0n, startsAt: now, endsAt: day(30), ends: [] };
    expect(buy(basic)).toEqual({ kind: 'sale', sale });
    expect(buy(basic, over, period({ endReason: 'cancelled', endedAt: now }))).toEqual({ kind: 'sale', sale });
  });

  test('another plan ends the running and the future period, and credits both', () => {
    expect(buy(premium, period(), next)).toEqual({
      kind: 'sale',
      sale: {
        kind: 'upgrade',
        priceToman: 150_000n,
        creditToman: 150_000n,
        startsAt: now,
        endsAt: day(30),
        ends: [
          { id: 'p1', reason: 'replaced', creditToman: 60_000n },
          { id: 'p2', reason: 'replaced', creditToman: 90_000n },
        ],
      },
    });
  });

  test('the running plan is refused; a used-up one is replaced', () => {
    expect(buy(basic, period())).toEqual({ kind: 'running' });
    expect(buy(basic, usedUp, next)).toMatchObject({
      sale: { ends: [{ id: 'p1' }, { id: 'p2', creditToman: 90_000n }] },
    });
    const again = buy(basic, usedUp);
    expect(again).toMatchObject({
      sale: { kind: 'purchase', creditToman: 0n, ends: [{ id: 'p1', reason: 'used_up', creditToman: 0n }] },
    });
  });
});

test('a period that waits alone does not run: buying its plan starts it now, for what was paid', () => {
  expect(decidePurchase(basic, [next], now)).toEqual({
    kind: 'sale',
    sale: {
      kind: 'purchase',
      priceToman: 90_000n,
      creditToman: 90_000n,
      startsAt: now,
      endsAt: day(30),
      ends: [{ id: 'p2', reason: 'replaced', creditToman: 90_000n }],
    },
  });
});

test('in a trial a plan begins when the trial ends; a renewal follows what runs', () => {
  const freeUntil = day(5);
  const later = { startsAt: freeUntil, endsAt: day(35) };
  expect(decidePurchase(basic, [], now, { freeUntil })).toMatchObject({ sale: later });
  expect(decideRenewal(basic, [over], now, { freeUntil })).toMatchObject({ sale: later });
  expect(decideRenewal(basic, [period()], now, { freeUntil })).toMatchObject({ sale: { startsAt: day(20) } });
});

describe('renewing', () => {
  const renew = (...periods: Period[]) => decideRenewal(basic, periods, now);
  test.each([
    ['what runs: from its end', [period()], day(20), []],
    ['what is over: now', [over], now, []],
    ['nothing: now', [], now, []],
    ['what is used up: now', [usedUp], now, [{ id: 'p1', reason: 'used_up', creditToman: 0n }]],
  ])('%s', (_what, periods, startsAt, ends) => {
    const decision = renew(...periods);
    const sale = { kind: 'renewal', priceToman: 90_000n, creditToman: 0n, startsAt, ends };
    expect(decision).toMatchObject({ kind: 'sale', sale });
    if (decision.kind === 'sale') {
      expect(decision.sale.endsAt).toEqual(new Date(startsAt.getTime() + 30 * 86_400_000));
    }
  });
  test('twice is refused, and so is another plan', () => {
    expect(renew(period(), next)).toEqual({ kind: 'renewed' });
    expect(renew(period({ planId: 'premium' }))).toEqual({ kind: 'other' });
  });
});

describe('the period that provides traffic', () => {
  test.each([
    ['what runs', [period(), next], 'p1'],
    ['nothing before the start', [next], undefined],
    ['nothing after the end', [over], undefined],
    ['a used-up one, as long as nothing follows', [usedUp], 'p1'],
    ['from its first instant', [period({ startsAt: now })], 'p1'],
  ])('%s', (_what, periods, id) => {
    const { current, next: after, moved } = decideAdvance(periods, now);
    expect(current?.id).toBe(id);
    expect(after?.id).toBe(periods.includes(next) ? 'p2' : undefined);
    expect(moved).toBeUndefined();
  });
  test('a used-up one is replaced by the next, which starts early with its full duration', () => {
    const { current, moved } = decideAdvance([usedUp, next], now);
    expect(current).toMatchObject({ id: 'p2', startsAt: now, endsAt: day(30) });
    expect(moved).toEqual({ ended: 'p1', started: current });
  });
  test('what is left', () => {
    expect(leftOf(period({ grantedBytes: 1n }))).toBe(49_999n);
    expect(leftOf(period({ grantedBytes: 1n, carriedBytes: 2n }))).toBe(50_001n);
    expect(leftOf(period({ trafficLimitBytes: undefined }))).toBeUndefined();
  });
});

describe('what a period has earned', () => {
  test.each([
    ['nothing before it begins', -11, 0n],
    ['nothing at its start', -10, 0n],
    ['a third', 0, 30_000n],
    ['all of it at its end', 20, 90_000n],
    ['no more after its end', 30, 90_000n],
  ])('%s', (_what, at, earned) => expect(earnedOf(period(), day(at))).toBe(earned));

  test('rises, and the parts of any days sum to the price', () => {
    const prices = fc.bigInt({ min: 0n, max: 9_007_199_254_740_991n });
    fc.assert(
      fc.property(
        prices,
        fc.integer({ min: 1, max: 3_660 }),
        fc.array(fc.integer({ min: -9, max: 4_000 })),
        (priceToman, length, cuts) => {
          const given = period({ priceToman, startsAt: day(0), endsAt: day(length) });
          const marks = [...cuts, -1, 4_000].sort((a, b) => a - b).map((at) => earnedOf(given, day(at + 0.37)));
          const parts = marks.map((mark, at) => mark - (marks[at - 1] ?? 0n));
          expect(parts.every((part) => part >= 0n)).toBe(true);
          expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(priceToman);
        },
      ),
    );
  });
});

describe('an early end', () => {
  test.each([
    ['the refund of what is left', 60_000n, { reason: 'cancelled', creditToman: 60_000n }, 0n, 0n],
    ['less than what is left', 60_000n, { reason: 'replaced', creditToman: 10_000n }, 0n, 50_000n],
    ['days that are not booked yet', 75_000n, { reason: 'cancelled', creditToman: 57_000n }, 15_000n, 3_000n],
    ['a clock that was set back', 40_000n, { reason: 'cancelled', creditToman: 60_000n }, 0n, -20_000n],
    ['used up', 60_000n, { reason: 'used_up', creditToman: 0n }, 60_000n, 0n],
  ] as const)('%s', (_what, unearned, end, earnedToman, keptToman) => {
    const outcome = decideEarlyEnd(period(), unearned, end, now);
    expect(outcome).toEqual({ creditToman: end.creditToman, earnedToman, keptToman });
    expect(outcome.creditToman + outcome.earnedToman + outcome.keptToman).toBe(unearned);
  });
});
