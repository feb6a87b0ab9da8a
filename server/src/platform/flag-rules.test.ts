import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOnFor, isOverdue, positionOf } from './flag-rules.ts';

const percents = fc.integer({ min: 0, max: 100 });

describe('for whom a flag is on', () => {
  test('nobody at 0, everybody at 100, whatever the flag', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), (flag, user) => {
        expect(isOnFor({ percent: 0 }, flag, user)).toBe(false);
        expect(isOnFor({ percent: 100 }, flag, user)).toBe(true);
      }),
    );
  });

  test('whoever is in stays in while it grows', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), percents, percents, (flag, user, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        if (isOnFor({ percent: less }, flag, user)) expect(isOnFor({ percent: more }, flag, user)).toBe(true);
      }),
    );
  });

  test('from 10 to 50 the first tenth stays, and so does everybody else who came', () => {
    const users = fc.sample(fc.uuid(), { numRuns: 2_000, seed: 20_261_127 });
    const inAt = (percent: number) => users.filter((user) => isOnFor({ percent }, 'openconnect', user));
    const [ten, fifty] = [inAt(10), inAt(50)];
    expect(ten.length).toBeGreaterThan(0);
    expect(ten.filter((user) => !fifty.includes(user))).toEqual([]);
  });

  test.each([1, 10, 25, 50, 75, 90])(
    '%d per cent of many users are so many, of whatever kind their ids are',
    (percent) => {
      const count = 20_000;
      // Ids of users begin with their time: neighbours differ in few bits.
      const kinds = {
        random: fc.sample(fc.uuid(), { numRuns: count, seed: percent }),
        counted: Array.from({ length: count }, (_, n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`),
      };
      // Five standard deviations of a binomial distribution.
      const room = 5 * Math.sqrt(count * (percent / 100) * (1 - percent / 100));
      for (const [kind, users] of Object.entries(kinds)) {
        const on = users.filter((user) => isOnFor({ percent }, 'openconnect', user)).length;
        expect([kind, Math.abs(on - (count * percent) / 100) < room]).toEqual([kind, true]);
      }
    },
  );

  test('two flags choose independently: half of those of one are in the half of the other', () => {
    const users = fc.sample(fc.uuid(), { numRuns: 20_000, seed: 7 });
    const both = users.filter((user) => ['one', 'two'].every((flag) => isOnFor({ percent: 50 }, flag, user)));
    expect(Math.abs(both.length - 5_000)).toBeLessThan(5 * Math.sqrt(20_000 * 0.25 * 0.75));
  });

  test('a user’s position is the one of today for ever', () => {
    const positions = ['00000000-0000-7000-8000-000000000001', '01890a5d-ac96-774b-bcce-b302099a8057'].map((user) =>
      ['openconnect', 'other'].map((flag) => positionOf(flag, user).toFixed(6)),
    );
    expect(positions).toEqual([
      ['81.163848', '86.310866'],
      ['36.681005', '80.197667'],
    ]);
  });
});

test('a flag is overdue from the day after its last day on', () => {
  const overdue = (today: string) => isOverdue({ until: '2027-02-28' }, today);
  expect(['2027-02-27', '2027-02-28', '2027-03-01', '2028-01-01'].map(overdue)).toEqual([false, false, true, true]);
});
