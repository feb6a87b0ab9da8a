import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Shift } from '../shift.ts';
import { sampleForever } from './sample-loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How often a node samples in a minute on which somebody leaves all the time, where a sample takes so long. */
async function samplesPerMinute(tookMs: number): Promise<number> {
  let samples = 0;
  const runtime = {
    elapsedMs: () => Date.now(),
    settings: { samplePeriodMs: 10_000 },
    ...{ tunnels: [], alarmBytes: Number.POSITIVE_INFINITY, leaving: new Set(['somebody']) },
    firewall: { hasRules: async () => true },
    ...{ usage: { epoch: 'a' }, tableEpoch: 'a' },
  };
  const shift = {
    ...{ runtime, isOver: false, isSampleDue: false },
    sampleNow: async () => {
      samples += 1;
      await new Promise((resolve) => setTimeout(resolve, tookMs));
    },
  };
  const done = sampleForever(shift as unknown as Shift);
  await vi.advanceTimersByTimeAsync(60_000);
  shift.isOver = true;
  await vi.advanceTimersByTimeAsync(1_000);
  await done;
  return samples;
}

test('who leaves is read for the last time at once; where that takes long, a fifth of the time at most', async () => {
  expect(await samplesPerMinute(0)).toBeGreaterThan(500);
  const dear = await samplesPerMinute(400);
  expect(dear).toBeLessThanOrEqual((60_000 * 0.2) / 400 + 1);
  expect(dear).toBeGreaterThan(20);
});

test('rules and tunnels are looked after although no sample can be taken', async () => {
  // The counters of interfaces are read from the real kernel, which waits for no clock of ours.
  vi.useRealTimers();
  const looked: string[] = [];
  const tunnel = {
    ...{ protocol: 'wireguard', interfaceName: 'lo', settingsOf: () => ({}) },
    open: () => Promise.reject(new Error('still away')),
  };
  const runtime = {
    elapsedMs: () => performance.now(),
    settings: { samplePeriodMs: 1 },
    ...{ tunnels: [tunnel], alarmBytes: Number.POSITIVE_INFINITY, leaving: new Set(), up: new Set() },
    firewall: { hasRules: async () => looked.push('rules') > 0 },
    ...{ usage: { epoch: 'a' }, tableEpoch: 'a', log: { error: (what: string) => looked.push(what) } },
  };
  const sampleNow = () => Promise.reject(new Error('ENOSPC'));
  const shift = { ...{ runtime, isOver: false, isSampleDue: false }, sampleNow };
  const done = sampleForever(shift as unknown as Shift);
  await expect.poll(() => looked).toEqual(expect.arrayContaining(['sample']));
  shift.isOver = true;
  await done;
  expect(looked).toEqual(expect.arrayContaining(['rules', 'tunnel_lost']));
});
