import { expect, test } from 'vitest';
import { manualClock } from '../../platform/clock.ts';
import { createOncePerHour } from './once-per-hour.ts';
import { decideFigures } from './rules.ts';
import { sumWays } from './sum-ways.ts';

const begins = new Date('2026-11-20T08:30:00Z');
const nothing = { attempts: 0n, through: 0n, answers: 0n, connected: 0n };
const cell = { transport: 'wireguard' as const, port: 0, begins, ...nothing };

test('the lower of two shares is shown, and a way of which nothing is known is not', () => {
  const [figure] = decideFigures([{ ...cell, attempts: 100n, through: 90n, answers: 10n, connected: 3n }]);
  expect(figure).toMatchObject({ percent: 30, of: 10, source: 'answers', port: null });
  expect(decideFigures([{ ...cell, attempts: 100n, through: 20n, answers: 10n, connected: 3n }])[0]).toMatchObject({
    percent: 20,
    source: 'servers',
  });
  expect(decideFigures([cell])).toEqual([]);
});

test('the best comes first, and of equals the better known', () => {
  const figures = decideFigures([
    { ...cell, port: 53, attempts: 50n, through: 50n },
    { ...cell, attempts: 500n, through: 500n },
    { ...cell, transport: 'ikev2', attempts: 1_000n, through: 999n },
    { ...cell, transport: 'openvpn', attempts: 1_000n, through: 10n },
  ]);
  expect(figures.map(({ transport, port, percent }) => [transport, port, percent])).toEqual([
    ['ikev2', null, 100],
    ['wireguard', null, 100],
    ['wireguard', 53, 100],
    ['openvpn', null, 1],
  ]);
});

test('once per hour', () => {
  const clock = manualClock(new Date('2026-11-20T08:59:00Z'));
  const once = createOncePerHour(clock);
  expect([once.take('a'), once.take('a'), once.take('b')]).toEqual([true, false, true]);
  clock.advance(60_000);
  expect(once.take('a')).toBe(true);
});

test('sums of each way, since a day ago and of all', () => {
  const of = (hours: number, more: object) => ({
    ...{ ...cell, network: 1n, grain: 'hour' as const, begins: new Date(begins.getTime() + hours * 3_600_000) },
    ...more,
  });
  const cells = [of(0, { attempts: 50n }), of(30, { attempts: 60n, through: 6n }), of(30, { port: 53, answers: 10n })];
  expect(sumWays(cells, new Date(begins.getTime() + 24 * 3_600_000))).toEqual([
    {
      ...{ network: 1n, transport: 'wireguard', port: 0 },
      day: { ...nothing, attempts: 60n, through: 6n },
      all: { ...nothing, attempts: 110n, through: 6n },
    },
    {
      ...{ network: 1n, transport: 'wireguard', port: 53 },
      day: { ...nothing, answers: 10n },
      all: { ...nothing, answers: 10n },
    },
  ]);
});
