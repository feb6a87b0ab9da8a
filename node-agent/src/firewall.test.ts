import { expect, test } from 'vitest';
import { Firewall, type SlotLimit } from './firewall.ts';
import type { Shell } from './shell.ts';

/** A kernel that takes every command and has dropped so many bytes of each slot. */
function toyKernel() {
  const dropped = new Map<number, number>();
  const told: string[] = [];
  const counter = ([slot, bytes]: [number, number]) =>
    `{"elem": {"val": ${slot}, "counter": {"packets": 1, "bytes": ${bytes}}}}`;
  const shell = {
    run: async (_command: string, args: readonly string[]) =>
      args.includes('dropped') ? [...dropped].map(counter).join(', ') : '',
  } as unknown as Shell;
  const session = { apply: async (commands: readonly string[]) => void told.push(...commands), close: () => {} };
  const services = { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', resolves: false };
  const place = { table: 'raha', interfaceNames: ['raha0'], uplink: 'eth0', markOf: (slot: number) => slot, services };
  const quota = () => told.findLast((command) => command.includes('slot2 {'));
  return { firewall: new Firewall(shell, session, place), dropped, told, quota };
}

const limit = (passLimit: bigint): SlotLimit => ({ slot: 2, passLimit, cut: false, barred: false, screened: false });

test('what a quota dropped between the last reading and its raise is given back', async () => {
  const { firewall, dropped, quota } = toyKernel();
  await firewall.build('e1', [limit(1_000_000n)]);
  // By the last reading there was plenty left. Since then the device has used it up and knocked at the closed door.
  dropped.set(2, 700_000);
  await firewall.setLimits([limit(1_500_000n)]);
  expect(quota()).toContain('slot2 { over 1500000 bytes }');
  await firewall.forgiveDropped();
  expect(quota()).toContain('slot2 { over 2200000 bytes }');
});

test('a slot is looked at until nothing has been dropped between two looks, and then left alone', async () => {
  const { firewall, dropped, told, quota } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  await firewall.setLimits([limit(2_000n)]);
  for (const bytes of [100, 300]) {
    dropped.set(2, bytes);
    await firewall.forgiveDropped();
    expect(quota()).toContain(`over ${2_000 + bytes} bytes`);
  }
  await firewall.forgiveDropped();
  const before = told.length;
  // Beyond its limit it stays shut: these bytes are given back with its next lease.
  dropped.set(2, 900);
  await firewall.forgiveDropped();
  expect(told.length).toBe(before);
  await firewall.setLimits([limit(3_000n)]);
  await firewall.forgiveDropped();
  expect(quota()).toContain('over 3900 bytes');
});
