import { expect, test } from 'vitest';
import type { Bus } from '../../platform/bus.ts';
import { manualClock } from '../../platform/clock.ts';
import { createWatchedConfigs } from './watched-configs.ts';

/** Two processes and what is between them. */
function createToy() {
  const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
  const listeners: ((payload: never) => void)[] = [];
  const sent: unknown[] = [];
  const bus = {
    subscribe: (_signal: unknown, listener: (payload: never) => void) => listeners.push(listener),
    announceSoon: (_signal: unknown, payload: never) => {
      sent.push(payload);
      for (const listener of listeners) listener(payload);
    },
  } as unknown as Bus;
  return { clock, sent, one: createWatchedConfigs({ bus, clock }), other: createWatchedConfigs({ bus, clock }) };
}

test('every process knows what somebody looks at, for a minute', () => {
  const { clock, one, other } = createToy();
  one.note('a');
  expect([one, other].map((each) => each.among(['a', 'b']))).toEqual([['a'], ['a']]);
  clock.advance(60_000);
  expect(other.among(['a', 'b'])).toEqual([]);
});

test('a panel that goes on asking is announced twice a minute', () => {
  const { clock, sent, one, other } = createToy();
  for (let seconds = 0; seconds < 120; seconds += 5) {
    one.note('a');
    clock.advance(5_000);
    expect(other.among(['a'])).toEqual(['a']);
  }
  expect(sent).toHaveLength(4);
});
