import { expect, test } from 'vitest';
import { CommandFailed, type Shell } from '../platform/shell.ts';
import { Firewall, type SlotLimit } from './firewall.ts';
import { serviceChainCommands } from './service-chains.ts';
import { meteringChains } from './table-script.ts';

/** A kernel that accepts every command, unless the test says otherwise, and has dropped this many bytes of each slot. */
function toyKernel() {
  const dropped = new Map<number, number>();
  const commands: string[] = [];
  const nft = { isBroken: false, script: async () => {}, built: '' };
  const counter = ([slot, bytes]: [number, number]) =>
    `{"elem": {"val": ${slot}, "counter": {"packets": 1, "bytes": ${bytes}}}}`;
  const shell = {
    run: async (_command: string, args: readonly string[], { input = '' } = {}) => {
      if (input.includes('add table')) nft.built = input;
      if (args.includes('-f')) await nft.script();
      return args.includes('dropped') ? [...dropped].map(counter).join(', ') : '';
    },
  } as unknown as Shell;
  const apply = async (sent: readonly string[]) => {
    if (nft.isBroken) throw new CommandFailed('nft', 'Error: Could not process rule', undefined);
    commands.push(...sent);
  };
  const session = { apply, close: () => {} };
  const services = { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', hasResolver: false };
  const options = {
    table: 'raha',
    interfaceNames: ['raha0'],
    uplinks: ['eth0'],
    markOf: (slot: number) => slot,
    services,
    newFlows: { allowsSmtp: false },
  };
  const quota = () => commands.findLast((command) => command.includes('slot2 {'));
  return { firewall: new Firewall(shell, session, options), dropped, commands, quota, nft };
}

const limit = (passLimit: bigint, slot = 2): SlotLimit => ({
  ...{ slot, passLimit },
  ...{ quotaExceeded: false, blocked: false, dnsFiltering: false },
});

test('bytes that a quota dropped between the last reading and its raise are compensated', async () => {
  const { firewall, dropped, quota } = toyKernel();
  await firewall.build('e1', [limit(1_000_000n)]);
  // At the last reading there was plenty left. Since then the device has used it up, and packets were dropped.
  dropped.set(2, 700_000);
  await firewall.setLimits([limit(1_500_000n)]);
  expect(quota()).toContain('slot2 { over 1500000 bytes }');
  await firewall.compensateDropped();
  expect(quota()).toContain('slot2 { over 2200000 bytes }');
});

test('a slot is rechecked until two readings show the same count, and then left alone', async () => {
  const { firewall, dropped, commands, quota } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  await firewall.setLimits([limit(2_000n)]);
  for (const bytes of [100, 300]) {
    dropped.set(2, bytes);
    await firewall.compensateDropped();
    expect(quota()).toContain(`over ${2_000 + bytes} bytes`);
  }
  await firewall.compensateDropped();
  const before = commands.length;
  // Beyond its limit the slot stays closed: these bytes are compensated with its next lease.
  dropped.set(2, 900);
  await firewall.compensateDropped();
  expect(commands.length).toBe(before);
  await firewall.setLimits([limit(3_000n)]);
  await firewall.compensateDropped();
  expect(quota()).toContain('over 3900 bytes');
});

test.each([
  ['a raise', 9_000n, 9_000n],
  // The kernel has not been sent anything else yet.
  ['a return to what is in force', 1_000n, 1_000n],
])('%s is not undone by an earlier change that waited for a slot to be created', async (_what, requested, left) => {
  const { firewall, quota, nft } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  let finish = () => {};
  nft.script = () => new Promise((resolve) => (finish = resolve));
  const late = firewall.setLimits([limit(5_000n), limit(7_000n, 700)]);
  await firewall.setLimits([limit(requested)]);
  finish();
  await late;
  expect(quota() ?? 'over 1000 bytes').toContain(`over ${left} bytes`);
});

test('dropped bytes are not compensated for a limit that is being replaced', async () => {
  const { firewall, dropped, quota, commands } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  await firewall.setLimits([limit(2_000n)]);
  dropped.set(2, 100);
  const compensated = firewall.compensateDropped();
  const raised = firewall.setLimits([limit(3_000n)]);
  await Promise.all([compensated, raised]);
  expect(quota(), commands.join('\n')).toMatch(/over 3[01]00 bytes/);
  await firewall.compensateDropped();
  expect(quota()).toContain('over 3100 bytes');
});

test.each(['a quota', 'creating a slot'])('when %s fails, the next call repeats it', async (what) => {
  const { firewall, commands, nft } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  const fail = async () => {
    throw new CommandFailed('nft', 'Error: Could not process rule', undefined);
  };
  if (what === 'a quota') nft.isBroken = true;
  else nft.script = fail;
  const requested = what === 'a quota' ? limit(5_000n) : limit(5_000n, 700);
  await expect(firewall.setLimits([{ ...requested, dnsFiltering: true }])).rejects.toThrow(CommandFailed);
  Object.assign(nft, { isBroken: false, script: async () => {} });
  commands.length = 0;
  await firewall.setLimits([]);
  expect(commands).toContain(`add quota inet raha slot${requested.slot} { over 5000 bytes }`);
  expect(commands).toContain(`add element inet raha dns_filtering { ${requested.slot} }`);
  commands.length = 0;
  await firewall.setLimits([{ ...requested, dnsFiltering: true }]);
  expect(commands).toEqual([]);
});

test('a failed change is not repeated once another one is made, nor in a table built since', async () => {
  const { firewall, commands, nft } = toyKernel();
  await firewall.build('e1', [limit(1_000n)]);
  nft.isBroken = true;
  await expect(firewall.setLimits([limit(5_000n)])).rejects.toThrow(CommandFailed);
  nft.isBroken = false;
  // What the failure left in the kernel is not known, so the earlier limit is sent again, too.
  await firewall.setLimits([limit(1_000n)]);
  expect(commands.filter((command) => command.startsWith('add quota'))).toEqual([
    'add quota inet raha slot2 { over 1000 bytes }',
  ]);
  nft.isBroken = true;
  await expect(firewall.setLimits([limit(6_000n)])).rejects.toThrow(CommandFailed);
  nft.isBroken = false;
  await firewall.build('e2', [limit(2_000n)]);
  commands.length = 0;
  await firewall.setLimits([limit(2_000n)]);
  expect(commands.filter((command) => command.startsWith('add quota'))).toEqual([]);
});

test('further ports of WireGuard are sent once, again after a failure, and with every new table', async () => {
  const { firewall, commands, nft } = toyKernel();
  const sent = () => commands.filter((command) => command.includes('wireguard_ports {'));
  await firewall.build('e1', []);
  nft.isBroken = true;
  await expect(firewall.redirectToWireguard(51820, [53, 8443])).rejects.toThrow(CommandFailed);
  expect([firewall.wireguardPorts, firewall.knowsWireguardPorts]).toEqual([[], false]);
  nft.isBroken = false;
  for (let times = 0; times < 2; times += 1) await firewall.redirectToWireguard(51820, [53, 8443]);
  expect(sent()).toEqual(['add element inet raha wireguard_ports { 53 : 51820, 8443 : 51820 }']);
  await firewall.build('e2', []);
  expect(nft.built).toContain('add element inet raha wireguard_ports { 53 : 51820, 8443 : 51820 }');
  await firewall.redirectToWireguard(51820, []);
  expect(commands.at(-1)).toBe('flush map inet raha wireguard_ports');
  expect(firewall.wireguardPorts).toEqual([]);
});

test("the proxy's engine asks for names without a slot, as nobody else does", () => {
  const services = { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', hasResolver: true };
  const from = (proxy?: string) => serviceChainCommands('raha', services, '{ "raha0", "raha0px" }', proxy);
  const own = from('raha0px').filter((command) => !from().includes(command));
  expect(own).toEqual([
    'add rule inet raha raha_dns iifname "raha0px" ip saddr & 0.0.255.255 == 0.0.255.254 meta mark set 0 accept',
    'add rule inet raha raha_replies oifname "raha0px" ip daddr & 0.0.255.255 == 0.0.255.254 meta mark set 0 accept',
  ]);
});

/** A kernel with rules and their handles, behind an nft that records how it is used. */
function toyRules() {
  const services = { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', hasResolver: false };
  const devices = { interfaceNames: ['raha0'], deviceInterfaces: 'raha0oc', uplinks: ['eth0'] };
  const options = {
    table: 'raha',
    ...devices,
    markOf: (slot: number) => slot,
    services,
    newFlows: { allowsSmtp: false },
  };
  let handles = 0;
  const install = () => new Map(meteringChains(options).map(([name, n]) => [name, times(n, () => ++handles)]));
  const toy = { rules: install(), install, calls: [] as string[], isBusy: false };
  const list = ([name, own]: [string, number[]]) =>
    `table inet raha {\n\tchain ${name} { # handle 1\n${own.map((n) => `\t\tmeta mark @lease @up goto raha_meter_up # handle ${n}\n`).join('')}\t}\n}\n`;
  const shell = {
    run: async (_command: string, args: readonly string[], { input = '' } = {}) => {
      const isCheck = args.includes('-c');
      toy.calls.push(isCheck ? 'checked' : 'listed');
      if (toy.isBusy) throw new CommandFailed('nft', '', undefined);
      if (!isCheck) return [...toy.rules].map(list).join('');
      const requested = [...input.matchAll(/(\w+) position (\d+) drop/g)];
      const isThere = requested.every(([, chain = '', handle]) => toy.rules.get(chain)?.includes(Number(handle)));
      if (!isThere) throw new CommandFailed('nft', 'Error: No such file or directory', undefined);
      return '';
    },
  } as unknown as Shell;
  const session = { apply: async () => {}, close: () => {} };
  return { firewall: new Firewall(shell, session, options), toy };
}
const times = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);

test('the rules are listed once, and then checked by their handles', async () => {
  const { firewall, toy } = toyRules();
  for (let times = 0; times < 3; times += 1) expect(await firewall.hasRules()).toBe(true);
  expect(toy.calls).toEqual(['listed', 'checked', 'checked']);
});

test.each([
  ...['raha_source', 'raha_forward', 'raha_from_device', 'raha_to_device', 'raha_meter_up', 'raha_meter_down'],
  ...['raha_new_flow', 'raha_flow_limits'],
])('a missing rule of %s is noticed', async (chain) => {
  const { firewall, toy } = toyRules();
  expect(await firewall.hasRules()).toBe(true);
  toy.rules.get(chain)?.pop();
  expect(await firewall.hasRules()).toBe(false);
  // After somebody has loaded the table from a file, the same rules have other handles.
  toy.rules = toy.install();
  expect(await firewall.hasRules()).toBe(true);
  toy.rules.clear();
  expect(await firewall.hasRules()).toBe(false);
});

test('an nft that does not finish its list says nothing about the rules', async () => {
  const { firewall, toy } = toyRules();
  toy.isBusy = true;
  await expect(firewall.hasRules()).rejects.toThrow();
});

test('a slot with a limit of its speed has a class in both directions, in each new table; without one it has none', async () => {
  const { firewall, commands, nft } = toyKernel();
  await firewall.build('e1', []);
  await firewall.setLimits([{ ...limit(1_000n, 258), limitedSpeed: true }]);
  expect(commands).toContain('add element inet raha speed_up { 258 : 7262:102 }');
  expect(commands).toContain('add element inet raha speed_down { 258 : 7261:102 }');
  await firewall.build('e2', [{ ...limit(1_000n, 258), limitedSpeed: true }, limit(1_000n, 3)]);
  expect(nft.built).toContain('flush map inet raha speed_up\nadd element inet raha speed_up { 258 : 7262:102 }\n');
  commands.splice(0);
  await firewall.setLimits([limit(1_000n, 258)]);
  expect(commands).toContain('flush map inet raha speed_down');
  expect(commands.join()).not.toContain('7261:102');
});
