import { expect, test } from 'vitest';
import { type Cause, decideSteps, nextAttemptAt, nextMessageAt, type Standing } from './rules.ts';

const now = new Date('2026-11-25T10:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const cause = (more: Partial<Cause> = {}): Cause => ({
  ...{ rule: 'node_silent', cause: 'de1', figure: null, forSeconds: 120 },
  ...more,
});
const standing = (more: Partial<Standing> = {}): Standing => ({
  ...{ id: 'a', rule: 'node_silent', cause: 'de1', severity: 'page', began_at: ago(300), seen_at: ago(30) },
  ...{ opened_at: ago(180), announced: true, next_at: null, acknowledged_at: null, silenced_until: null },
  ...more,
});
const all = () => true;

test('a cause waits until it has stood long enough; one that needs no waiting opens at once', () => {
  expect(decideSteps([], [cause()], now, all)).toEqual([
    { kind: 'stand', id: undefined, cause: cause(), opens: false },
  ]);
  const waiting = standing({ opened_at: null, began_at: ago(119) });
  expect(decideSteps([waiting], [cause()], now, all)).toMatchObject([{ id: 'a', opens: false }]);
  expect(decideSteps([{ ...waiting, began_at: ago(120) }], [cause()], now, all)).toMatchObject([{ opens: true }]);
  expect(decideSteps([], [cause({ forSeconds: 0 })], now, all)).toMatchObject([{ id: undefined, opens: true }]);
});

test('one that is open does not open again, whatever its figure', () => {
  expect(decideSteps([standing()], [cause({ figure: 7 })], now, all)).toMatchObject([{ id: 'a', opens: false }]);
});

test('a cause that comes and goes is one alert; gone for two minutes it closes, and if it only waited, it never was', () => {
  expect(decideSteps([standing({ seen_at: ago(119) })], [], now, all)).toEqual([]);
  expect(decideSteps([standing({ seen_at: ago(120) })], [], now, all)).toEqual([{ kind: 'close', id: 'a' }]);
  expect(decideSteps([standing({ opened_at: null })], [], now, all)).toEqual([{ kind: 'drop', id: 'a' }]);
});

test('alerts of rules that were not looked at stay', () => {
  const old = standing({ seen_at: ago(9_000) });
  expect(decideSteps([old], [], now, (rule) => rule === 'worker_silent')).toEqual([]);
});

test('reminders: hourly for a page until it is taken on, at the end of a silence, never for a ticket', () => {
  const hour = new Date(now.getTime() + 3_600_000);
  expect(nextMessageAt(standing(), now)).toEqual(hour);
  expect(nextMessageAt(standing({ acknowledged_at: now }), now)).toBeNull();
  expect(nextMessageAt(standing({ severity: 'ticket' }), now)).toBeNull();
  expect(nextMessageAt(standing({ severity: 'ticket', silenced_until: hour }), now)).toEqual(hour);
  expect(nextMessageAt(standing({ silenced_until: ago(1) }), now)).toEqual(hour);
});

test('attempts are spread over a day, and end', () => {
  const waits = [];
  for (let attempts = 1; ; attempts += 1) {
    const next = nextAttemptAt(attempts, now);
    if (!next) break;
    waits.push((next.getTime() - now.getTime()) / 1_000);
  }
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(24 * 3_600);
});
