import { describe, expect, test } from 'vitest';
import { locations } from '../pages/landing/locations.ts';
import { recommend, type Scored, scoreOf } from './score-locations.ts';

const inIran = { latitude: 32.43, longitude: 53.69 };
const location = (values: Partial<Scored>): Scored => ({ ...inIran, pingMs: 0, premium: false, ...values });

describe('the score of a location', () => {
  const cases: [string, Scored, [speed: number, security: number, distance: number]][] = [
    ['here, at once', location({}), [0.9, 0.6, 0.9]],
    ['the same, premium', location({ premium: true }), [1.1, 1.2, 1.1]],
    ['half the ping', location({ pingMs: 50 }), [0.6, 0.5, 0.8]],
    ['a ping above 100 counts as nothing, not below it', location({ pingMs: 250 }), [0.3, 0.4, 0.7]],
    ['20 degrees away', location({ latitude: 52.43 }), [0.84, 0.6, 0.76]],
    ['beyond 100 degrees counts as nothing', location({ longitude: -120 }), [0.6, 0.6, 0.2]],
  ];
  test.each(cases)('%s', (_, scored, [speed, security, distance]) => {
    expect(scoreOf(scored, 'speed')).toBeCloseTo(speed);
    expect(scoreOf(scored, 'security')).toBeCloseTo(security);
    expect(scoreOf(scored, 'distance')).toBeCloseTo(distance);
  });
});

describe('the recommendation', () => {
  test('is the three best, best first', () => {
    const slow = location({ pingMs: 90 });
    const middle = location({ pingMs: 40 });
    const fast = location({ pingMs: 10 });
    const premium = location({ pingMs: 10, premium: true });
    expect(recommend([slow, middle, fast, premium], 'speed')).toEqual([premium, fast, middle]);
  });

  test('keeps the order of equals and the list it was given', () => {
    const four = [location({}), location({}), location({}), location({})];
    expect(recommend(four, 'distance').map((one) => four.indexOf(one))).toEqual([0, 1, 2]);
    expect(four).toHaveLength(4);
  });

  test.each(['speed', 'security', 'distance'] as const)('gives three different locations for %s', (priority) => {
    const keys = recommend(locations, priority).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  test('puts premium locations first when security matters', () => {
    expect(recommend(locations, 'security').every(({ premium }) => premium)).toBe(true);
  });
});

test('the demonstration has 28 locations of which 8 are shown at first', () => {
  expect(locations).toHaveLength(28);
  expect(locations.filter(({ primary }) => primary)).toHaveLength(8);
});
