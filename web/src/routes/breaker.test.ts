import { screen } from '@raha/contract/screen-timings.ts';
import { describe, expect, test } from 'vitest';
import {
  ATTEMPTS,
  afterScreen,
  DEBOUNCE_MS,
  DELAY_MS,
  decideRedirect,
  emptyHistory,
  LOCK_MS,
  RESET_MS,
  type RedirectDecision,
  type RedirectHistory,
} from './breaker.ts';

const { guard } = screen;

test('the figures are those of the contract', () => {
  expect([DELAY_MS, DEBOUNCE_MS, ATTEMPTS, RESET_MS, LOCK_MS]).toEqual([
    guard.delayMs,
    guard.debounceMs,
    guard.breakerAttempts,
    guard.breakerResetMs,
    guard.lockMs,
  ]);
});

/** A tab with its own clock, in which redirects are requested one after the other. */
function tab() {
  let now = 1_000_000;
  let history: RedirectHistory = emptyHistory;
  return {
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    redirect: (from: string, to: string): RedirectDecision => {
      const { decision, history: next } = decideRedirect(history, from, to, now);
      history = next;
      return decision;
    },
    showScreen: () => {
      history = afterScreen(history);
    },
  };
}

describe('redirects of the guards', () => {
  test('a redirect to the current path does nothing, however often', () => {
    const { redirect } = tab();
    for (let round = 0; round < 10; round += 1) expect(redirect('/a', '/a')).toBe('stay');
    expect(redirect('/a', '/b')).toBe('go');
  });

  test('back and forth without a screen in between is a loop', () => {
    const { redirect } = tab();
    expect([redirect('/a', '/b'), redirect('/b', '/a'), redirect('/a', '/b')]).toEqual(['go', 'go', 'blocked']);
  });

  test('the same redirect after a screen or after two seconds is no loop', () => {
    const { redirect, showScreen, wait } = tab();
    expect(redirect('/a', '/b')).toBe('go');
    showScreen();
    expect(redirect('/a', '/b')).toBe('go');
    wait(guard.lockMs);
    expect(redirect('/a', '/b')).toBe('go');
  });

  test('after a stop nothing is redirected for two seconds', () => {
    const { redirect, wait } = tab();
    redirect('/a', '/b');
    expect(redirect('/a', '/b')).toBe('blocked');
    wait(guard.lockMs - 1);
    expect(redirect('/a', '/c')).toBe('blocked');
    wait(guard.lockMs);
    expect(redirect('/a', '/c')).toBe('go');
  });

  /** A loop that comes round again and again, each time after `pause`. */
  function loop(rounds: number, pause: number) {
    const one = tab();
    one.redirect('/a', '/b');
    for (let round = 0; round < rounds; round += 1) {
      one.redirect('/a', '/b');
      one.wait(pause);
    }
    return one;
  }

  test('three stops trip the breaker; it closes after 15 seconds', () => {
    const { redirect, wait } = loop(3, guard.debounceMs);
    wait(guard.lockMs);
    expect(redirect('/x', '/y')).toBe('blocked');
    wait(guard.breakerResetMs - 3 * guard.debounceMs - guard.lockMs - 1);
    expect(redirect('/x', '/y')).toBe('blocked');
    wait(guard.debounceMs);
    expect(redirect('/x', '/y')).toBe('go');
  });

  test('two stops do not trip it, and a storm within half a second is one', () => {
    for (const one of [loop(2, guard.debounceMs), loop(50, 1)]) {
      one.wait(guard.lockMs);
      expect(one.redirect('/x', '/y')).toBe('go');
    }
  });
});
