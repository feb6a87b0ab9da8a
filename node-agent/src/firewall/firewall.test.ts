import { expect, test } from 'vitest';
import { CommandFailed, type Shell } from '../platform/shell.ts';
import { Firewall, type SlotLimit } from './firewall.ts';
import { judgingChains } from './table-script.ts';

/** A kernel that takes every command, unless the test says otherwise, and has dropped so many bytes of each slot. */
function toyKernel() {
  const dropped = new Map<number, number>();
  const told: string[] = [];
  const nft = { isBroken: false, script: async () => {} };
  const counter = ([slot, bytes]: [number, number]) =>
    `{"elem": {"val": ${slot}, "counter": {"packets": 1, "bytes": ${bytes}}}}`;
  const shell = {
    run: async (_command: string, args: readonly string[]) => {
      if (args.includes('-f')) await nft.script();
      return args.includes('dropped') ? [...dropped].map(counter).join(', ') : '';
    },
  } as unknown as Shell;
  const apply = async (commands: readonly string[]) => {
    if (nft.isBroken) throw new CommandFailed('nft', 'Error: Could not process rule', undefined);
    told.push(...commands);
  };
  const session = { apply, close: () => {} };
  const services = { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', resolves: false };
  const place = {
    table: 'raha',
    interfaceNames: ['raha0'],
    uplinks: ['eth0'],
    markOf: (slot: number) => slot,
    services,
  };
  const quota = () => told.findLast((command) => command.includes('slot2 {'));
  return { firewall: new Firewall(shell, session, place), dropped, told, quota, nft };
}

const limit = (passLimit: bigint, slot = 2): SlotLimit => ({
  ...{ slot, passLimit },
  ...{ cut: false, barred: false, screened: false },
});

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

test.each([
  ['a raise', 9_000n, 9_000n],
  // Nothing has told the kernel otherwise yet.
  ['a return to what is in force', 1_000n, 1_000n],
])('%s is not undone by what waited for a slot to be made ready', async (_what, wanted, left) => {
  const { firewall, quota, nft } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  let finish = () => {};
  nft.script = () => new Promise((resolve) => (finish = resolve));
  const late = firewall.setLimits([limit(5_000n), limit(7_000n, 700)]);
  await firewall.setLimits([limit(wanted)]);
  finish();
  await late;
  expect(quota() ?? 'over 1000 bytes').toContain(`over ${left} bytes`);
});

test('what was dropped is not given back to a limit that is being replaced', async () => {
  const { firewall, dropped, quota, told } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  await firewall.setLimits([limit(2_000n)]);
  dropped.set(2, 100);
  const forgiven = firewall.forgiveDropped();
  const raised = firewall.setLimits([limit(3_000n)]);
  await Promise.all([forgiven, raised]);
  expect(quota(), told.join('\n')).toMatch(/over 3[01]00 bytes/);
  await firewall.forgiveDropped();
  expect(quota()).toContain('over 3100 bytes');
});

test.each(['a quota', 'making a slot ready'])('where %s fails, the next call repeats it', async (what) => {
  const { firewall, told, nft } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  const fail = async () => {
    throw new CommandFailed('nft', 'Error: Could not process rule', undefined);
  };
  if (what === 'a quota') nft.isBroken = true;
  else nft.script = fail;
  const wanted = what === 'a quota' ? limit(5_000n) : limit(5_000n, 700);
  await expect(firewall.setLimits([{ ...wanted, screened: true }])).rejects.toThrow(CommandFailed);
  Object.assign(nft, { isBroken: false, script: async () => {} });
  told.length = 0;
  await firewall.setLimits([]);
  expect(told).toContain(`add quota inet raha slot${wanted.slot} { over 5000 bytes }`);
  expect(told).toContain(`add element inet raha screened { ${wanted.slot} }`);
  told.length = 0;
  await firewall.setLimits([{ ...wanted, screened: true }]);
  expect(told).toEqual([]);
});

test('what has failed is not repeated once something else is wanted, nor in a table made since', async () => {
  const { firewall, told, nft } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  nft.isBroken = true;
  await expect(firewall.setLimits([limit(5_000n)])).rejects.toThrow(CommandFailed);
  nft.isBroken = false;
  // What the failure left in the kernel is not known: also the limit from before is told again.
  await firewall.setLimits([limit(1_000n)]);
  expect(told.filter((command) => command.includes('quota'))).toEqual([
    'add quota inet raha slot2 { over 1000 bytes }',
  ]);
  nft.isBroken = true;
  await expect(firewall.setLimits([limit(6_000n)])).rejects.toThrow(CommandFailed);
  nft.isBroken = false;
  await firewall.build('e2', [limit(2_000n)]);
  told.length = 0;
  await firewall.setLimits([limit(2_000n)]);
  expect(told.filter((command) => command.includes('quota'))).toEqual([]);
});

/** A kernel with rules by handle, and nft before it; says what it was asked. */
function toyRules() {
  const place = { table: 'raha', interfaceNames: ['raha0'], uplinks: ['eth0'], markOf: (slot: number) => slot };
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
