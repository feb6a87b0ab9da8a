import { describe, expect, test } from 'vitest';
import { locations } from '../pages/landing/locations.ts';
import {
  type Part,
  type Priority,
  partsOf,
  recommend,
  type Sample,
  sayReasons,
  scoreOf,
  type Usage,
} from './score-locations.ts';

const inIran = { latitude: 32.43, longitude: 53.69 };
const priorities = ['speed', 'security', 'distance'] as const;
const usages = ['streaming', 'gaming', 'browsing', 'torrenting'] as const;
const location = (values: Partial<Sample>): Sample => ({ ...inIran, pingMs: 0, premium: false, ...values });

describe('the score of a location', () => {
  const score = (sample: Sample, priority: Priority, usage: Usage = 'browsing') =>
    scoreOf(partsOf(sample, priority, usage), priority);
  const cases: [string, Sample, [speed: number, security: number, distance: number]][] = [
    ['here, at once', location({}), [0.9, 0.6, 0.9]],
    ['the same, premium', location({ premium: true }), [1.1, 1.2, 1.1]],
    ['half the ping', location({ pingMs: 50 }), [0.6, 0.5, 0.8]],
    ['a ping above 100 counts as nothing, not below it', location({ pingMs: 250 }), [0.3, 0.4, 0.7]],
    ['20 degrees away', location({ latitude: 52.43 }), [0.84, 0.6, 0.76]],
    ['beyond 100 degrees counts as nothing', location({ longitude: -120 }), [0.6, 0.6, 0.2]],
  ];
  test.each(cases)('%s', (_, scored, [speed, security, distance]) => {
    expect(score(scored, 'speed')).toBeCloseTo(speed);
    expect(score(scored, 'security')).toBeCloseTo(security);
    expect(score(scored, 'distance')).toBeCloseTo(distance);
  });

  test.each(priorities)('of %s differs for every two usages: each question changes something', (priority) => {
    const quick = location({ pingMs: 20 });
    const roomy = location({ pingMs: 60, premium: true });
    const margins = usages.map((usage) => score(quick, priority, usage) - score(roomy, priority, usage));
    expect(new Set(margins.map((margin) => margin.toFixed(6))).size).toBe(usages.length);
  });
});

describe('the recommendation', () => {
  test('is the three best, best first', () => {
    const slow = location({ pingMs: 90 });
    const middle = location({ pingMs: 40 });
    const fast = location({ pingMs: 10 });
    const premium = location({ pingMs: 10, premium: true });
    const best = recommend([slow, middle, fast, premium], 'speed', 'browsing');
    expect(best.map(({ reasons, ...sample }) => sample)).toEqual([premium, fast, middle]);
  });

  test('keeps the order of equals and the list it was given', () => {
    const four = [location({}), location({}), location({}), location({})];
    const named = four.map((one, index) => ({ ...one, index }));
    expect(recommend(named, 'distance', 'browsing').map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(four).toHaveLength(4);
  });

  test.each(priorities)('gives three different locations for %s', (priority) => {
    const keys = recommend(locations, priority, 'browsing').map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  test('puts premium locations first when security matters', () => {
    expect(recommend(locations, 'security', 'browsing').every(({ premium }) => premium)).toBe(true);
  });
});

describe('why it recommends', () => {
  const texts = {
    because: '[{reasons}]',
    and: '+',
    ping: 'ping {n}',
    distance: '{n} away',
    room: 'premium',
  };
  const why = (sample: Sample, priority: Priority, usage: Usage) => {
    const [best] = recommend([sample], priority, usage);
    return sayReasons(texts, best?.reasons ?? [], (part: Part) => (part === 'ping' ? String(sample.pingMs) : '0'));
  };

  test.each<[string, Sample, Priority, Usage, string]>([
    ['the two that gave most, the greater first', location({ pingMs: 20 }), 'speed', 'browsing', '[ping 20+0 away]'],
    ['another order for another priority', location({ pingMs: 20 }), 'distance', 'browsing', '[0 away+ping 20]'],
    ['the usage moves it', location({ pingMs: 50, premium: true }), 'speed', 'torrenting', '[premium+ping 50]'],
    [
      'security takes the premium ones',
      location({ pingMs: 50, premium: true }),
      'security',
      'gaming',
      '[premium+ping 50]',
    ],
    ['no word of what gave nothing', location({ pingMs: 99, latitude: 140 }), 'speed', 'browsing', ''],
  ])('%s', (_, sample, priority, usage, sentence) => expect(why(sample, priority, usage)).toBe(sentence));
});

test('the demonstration has 28 locations of which 8 are shown at first', () => {
  expect(locations).toHaveLength(28);
  expect(locations.filter(({ primary }) => primary)).toHaveLength(8);
});
