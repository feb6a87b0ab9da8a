import { staffLimits } from '@raha/contract/admin/limits.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideInForce, decideMoment, findPlanned, isCancellable, isPlanned, type Version } from './versions.ts';

const start = Date.parse('2026-11-26T08:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000);
const version = (id: string, from: number, made: number): Version => ({
  ...{ id, validFrom: at(from), createdAt: at(made) },
});

test('a planned price holds from its moment on, and not a millisecond before', () => {
  const versions = [version('next', 600, 100), version('now', 0, 0)];
  const before = new Date(at(600).getTime() - 1);
  expect([decideInForce(versions, before)?.id, findPlanned(versions, before)?.id]).toEqual(['now', 'next']);
  expect([decideInForce(versions, at(600))?.id, findPlanned(versions, at(600))?.id]).toEqual(['next', undefined]);
  expect(decideInForce([], at(0))).toBeUndefined();
});

test('what was to hold at once holds also where the clock is behind', () => {
  expect(decideInForce([version('now', 5, 5), version('before', 0, 0)], at(1))?.id).toBe('now');
});

test.each([
  ['at once', undefined, at(0)],
  ['in less than two minutes', at(119), undefined],
  ['in two minutes', at(120), at(120)],
  ['in the past', at(-1), undefined],
  ['in a year and a day', at(366 * 86_400), at(366 * 86_400)],
  ['later', at(366 * 86_400 + 1), undefined],
])('a change %s', (_when, from, expected) => {
  expect(decideMoment(from, at(0), undefined)).toEqual(expected);
});

test('a change at once comes after what is in force, also by a clock that is behind', () => {
  expect(decideMoment(undefined, at(0), { validFrom: at(3) })).toEqual(new Date(at(3).getTime() + 1));
});

test('a planned price can be cancelled until seconds before its moment', () => {
  const planned = version('next', 600, 0);
  const last = 600 - staffLimits.prices.cancelSeconds;
  expect([isCancellable(planned, at(last - 1)), isCancellable(planned, at(last))]).toEqual([true, false]);
  expect(isCancellable(version('now', 0, 0), at(-60))).toBe(false);
});

type Act = { readonly wait: number } & (
  | { readonly kind: 'now' }
  | { readonly kind: 'plan'; readonly in: number }
  | { readonly kind: 'cancel' }
);
const seconds = fc.integer({ min: 0, max: 400 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ wait: seconds, kind: fc.constant('now' as const) }),
  fc.record({ wait: seconds, kind: fc.constant('plan' as const), in: seconds }),
  fc.record({ wait: seconds, kind: fc.constant('cancel' as const) }),
);

/** What `changePrice` and `cancelPrice` do, one after another, and what each moment was shown to cost when it was the present. */
test('whatever is changed, planned and cancelled: one price at each moment, and the past stays as it was', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      let versions: Version[] = [];
      const shown = new Map<number, string | undefined>();
      let now = 0;
      for (const [n, next] of acts.entries()) {
        for (const end = now + next.wait; now < end; now += 1)
          shown.set(now, decideInForce(versions, at(now + 0.5))?.id);
        const planned = findPlanned(versions, at(now));
        if (next.kind === 'cancel') {
          if (planned && isCancellable(planned, at(now))) versions = versions.filter(({ id }) => id !== planned.id);
          continue;
        }
        if (next.kind === 'plan' && planned) continue;
        const from = next.kind === 'plan' ? at(now + next.in) : undefined;
        const validFrom = decideMoment(from, at(now), decideInForce(versions, at(now)));
        if (!validFrom) continue;
        versions.push({ id: `v${n}`, validFrom, createdAt: from ? at(now) : validFrom });
        versions.sort((a, b) => b.validFrom.getTime() - a.validFrom.getTime());
      }
      // As the unique index has it, and what is kept in memory: the first two.
      expect(new Set(versions.map(({ validFrom }) => validFrom.getTime())).size).toBe(versions.length);
      expect(versions.filter((known) => isPlanned(known, at(now))).length).toBeLessThanOrEqual(1);
      expect(decideInForce(versions.slice(0, 2), at(now))).toEqual(decideInForce(versions, at(now)));
      for (const [moment, id] of shown)
        expect(versions.find(({ validFrom }) => validFrom <= at(moment + 0.5))?.id).toBe(id);
    }),
  );
});
