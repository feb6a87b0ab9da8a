import { limits } from '@raha/contract/limits.ts';
import { expect, test } from 'vitest';
import { isPossible } from './report-rules.ts';

const bytes = limits.node.maxTotalBytes;
const whole = 2 ** 31 - 1;

test.each([
  ['bytes from the device', bytes, (up: number) => ({ samples: [{ config: 'a', up, down: 0, leaseVersion: 0 }] })],
  ['bytes to the device', bytes, (down: number) => ({ samples: [{ config: 'a', up: 0, down, leaseVersion: 0 }] })],
  ['a lease', whole, (leaseVersion: number) => ({ samples: [{ config: 'a', up: 0, down: 0, leaseVersion }] })],
  ['a handshake', whole, (age: number) => ({ tunnels: [{ config: 'a', handshakeAgeSeconds: age, pingMs: null }] })],
  ['a ping', whole, (pingMs: number) => ({ tunnels: [{ config: 'a', handshakeAgeSeconds: 0, pingMs }] })],
])('%s: up to %d, and no more', (_what, most, report) => {
  const whenReported = (value: number) => isPossible({ samples: [], tunnels: [], ...report(value) });
  expect([0, most, most + 1].map(whenReported)).toEqual([true, true, false]);
});

test('no round trip takes less than no time', () => {
  const tunnels = [{ config: 'a', handshakeAgeSeconds: 0, pingMs: -1 }];
  expect(isPossible({ samples: [], tunnels })).toBe(false);
});

test('the largest total and a lease are exact together', () => {
  expect(2 * bytes + 2 ** 50).toBeLessThan(Number.MAX_SAFE_INTEGER);
});
