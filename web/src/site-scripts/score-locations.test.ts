import { describe, expect, test } from 'vitest';
import { locations } from '../pages/landing/locations.ts';
import { recommend, type Scored, scoreOf } from './score-locations.ts';

const inIran = { latitude: 32.43, longitude: 53.69 };
const place = (values: Partial<Scored>): Scored => ({ ...inIran, pingMs: 0, premium: false, ...values });

describe('the score of a place', () => {
  const cases: [string, Scored, [speed: number, security: number, distance: number]][] = [
    ['here, at once', place({}), [0.9, 0.6, 0.9]],
    ['the same, premium', place({ premium: true }), [1.1, 1.2, 1.1]],
    ['half the ping', place({ pingMs: 50 }), [0.6, 0.5, 0.8]],
    ['a ping above 100 counts as nothing, not below it', place({ pingMs: 250 }), [0.3, 0.4, 0.7]],
    ['20 degrees away', place({ latitude: 52.43 }), [0.84, 0.6, 0.76]],
    ['beyond 100 degrees counts as nothing', place({ longitude: -120 }), [0.6, 0.6, 0.2]],
  ];
  test.each(cases)('%s', (_, scored, [speed, security, distance]) => {
    expect(scoreOf(scored, 'speed')).toBeCloseTo(speed);
    expect(scoreOf(scored, 'security')).toBeCloseTo(security);
    expect(scoreOf(scored, 'distance')).toBeCloseTo(distance);
  });
});

describe('the recommendation', () => {
  test('is the three best, best first', () => {
    const slow = place({ pingMs: 90 });
    const middle = place({ pingMs: 40 });
    const fast = place({ pingMs: 10 });
    const premium = place({ pingMs: 10, premium: true });
    expect(recommend([slow, middle, fast, premium], 'speed')).toEqual([premium, fast, middle]);
  });

  test('keeps the order of equals and the list it was given', () => {
    const places = [place({}), place({}), place({}), place({})];
    expect(recommend(places, 'distance').map((one) => places.indexOf(one))).toEqual([0, 1, 2]);
    expect(places).toHaveLength(4);
  });

  test.each(['speed', 'security', 'distance'] as const)('gives three different places for %s', (priority) => {
    const keys = recommend(locations, priority).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  test('puts premium places first when security matters', () => {
    expect(recommend(locations, 'security').every(({ premium }) => premium)).toBe(true);
  });
});

test('the demonstration has 28 places of which 8 are shown at first', () => {
  expect(locations).toHaveLength(28);
  expect(locations.filter(({ primary }) => primary)).toHaveLength(8);
});
