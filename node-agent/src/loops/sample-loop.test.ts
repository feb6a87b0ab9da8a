import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AgentContext } from '../agent-context.ts';
import { createControlState } from '../control/control-state.ts';
import { createMeteringState } from '../metering/metering-state.ts';
import { startUsage } from '../metering/usage-state.ts';
import { createTunnelState } from '../tunnels/tunnel-state.ts';
import { sampleForever } from './sample-loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createToy(samplePeriodMs: number) {
  const control = createControlState();
  const metering = { ...createMeteringState(startUsage('a', 'boot'), 0), tableEpoch: 'a' };
  const applied = { settings: { samplePeriodMs } };
  return { control, metering, applied, tunnelState: createTunnelState(), firewall: { hasRules: async () => true } };
}

/** How often a node samples in a minute in which configs are removed all the time, when a sample takes this long. */
async function samplesPerMinute(tookMs: number): Promise<number> {
  let samples = 0;
  const toy = createToy(10_000);
  toy.metering.removing.add('somebody');
  const context = { ...toy, tunnels: [], elapsedMs: () => Date.now() } as unknown as AgentContext;
  const done = sampleForever(context, async () => {
    samples += 1;
    await new Promise((resolve) => setTimeout(resolve, tookMs));
  });
  await vi.advanceTimersByTimeAsync(60_000);
  toy.control.isStopping = true;
  await vi.advanceTimersByTimeAsync(1_000);
  await done;
  return samples;
}

test('a removed config gets its final reading at once, but sampling takes a fifth of the time at most', async () => {
  expect(await samplesPerMinute(0)).toBeGreaterThan(500);
  const slow = await samplesPerMinute(400);
  expect(slow).toBeLessThanOrEqual((60_000 * 0.2) / 400 + 1);
  expect(slow).toBeGreaterThan(20);
});

test('rules and tunnels are supervised although no sample can be taken', async () => {
  // Interface counters are read from the real kernel, which does not follow a fake clock.
  vi.useRealTimers();
  const events: string[] = [];
  const toy = createToy(1);
  const tunnel = {
    ...{ protocol: 'wireguard', name: 'wireguard', interfaceName: 'lo', settingsOf: () => ({}) },
    open: () => Promise.reject(new Error('still away')),
  };
  const context = {
    ...toy,
    tunnels: [tunnel],
    firewall: { hasRules: async () => events.push('rules') > 0 },
    log: { error: (event: string) => events.push(event) },
    elapsedMs: () => performance.now(),
  } as unknown as AgentContext;
  const done = sampleForever(context, () => Promise.reject(new Error('ENOSPC')));
  await expect.poll(() => events).toEqual(expect.arrayContaining(['sample']));
  toy.control.isStopping = true;
  await done;
  expect(events).toEqual(expect.arrayContaining(['rules', 'tunnel_lost']));
});
