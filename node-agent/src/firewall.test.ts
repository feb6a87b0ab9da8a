import { expect, test } from 'vitest';
import { Firewall, type SlotLimit } from './firewall.ts';
import { judgingChains } from './firewall-script.ts';
import { CommandFailed, type Shell } from './shell.ts';

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

/** A kernel with rules by handle, and nft before it; says what it was asked. */
function toyRules() {
  const place = { table: 'raha', interfaceNames: ['raha0'], uplink: 'eth0', markOf: (slot: number) => slot };
  const services = { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', resolves: false };
  let handles = 0;
  const lay = () =>
    new Map(judgingChains({ ...place, services }).map(([name, n]) => [name, times(n, () => ++handles)]));
  const toy = { rules: lay(), lay, asked: [] as string[], isBusy: false };
  const list = ([name, own]: [string, number[]]) =>
    `table inet raha {\n\tchain ${name} { # handle 1\n${own.map((n) => `\t\tmeta mark @lease @up goto raha_judge_up # handle ${n}\n`).join('')}\t}\n}\n`;
  const shell = {
    run: async (_command: string, args: readonly string[], { input = '' } = {}) => {
      const isCheck = args.includes('-c');
      toy.asked.push(isCheck ? 'asked' : 'listed');
      if (toy.isBusy) throw new CommandFailed('nft', '', undefined);
      if (!isCheck) return [...toy.rules].map(list).join('');
      const wanted = [...input.matchAll(/(\w+) position (\d+) drop/g)];
      const isThere = wanted.every(([, chain = '', handle]) => toy.rules.get(chain)?.includes(Number(handle)));
      if (!isThere) throw new CommandFailed('nft', 'Error: No such file or directory', undefined);
      return '';
    },
  } as unknown as Shell;
  const session = { apply: async () => {}, close: () => {} };
  return { firewall: new Firewall(shell, session, { ...place, services }), toy };
}
const times = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);

test('the rules are listed once, and then asked for by their handles', async () => {
  const { firewall, toy } = toyRules();
  for (let look = 0; look < 3; look += 1) expect(await firewall.hasRules()).toBe(true);
  expect(toy.asked).toEqual(['listed', 'asked', 'asked']);
});

test.each(['raha_forward', 'raha_judge_up', 'raha_judge_down'])('a rule taken out of %s is missed', async (chain) => {
  const { firewall, toy } = toyRules();
  expect(await firewall.hasRules()).toBe(true);
  toy.rules.get(chain)?.pop();
  expect(await firewall.hasRules()).toBe(false);
  // Somebody has loaded the whole table from a file: the same rules have other handles.
  toy.rules = toy.lay();
  expect(await firewall.hasRules()).toBe(true);
  toy.rules.clear();
  expect(await firewall.hasRules()).toBe(false);
});

test('that nft does not get to the end of its list is no news about the rules', async () => {
  const { firewall, toy } = toyRules();
  toy.isBusy = true;
  await expect(firewall.hasRules()).rejects.toThrow();
});
