import { expect, test } from 'vitest';
import { CommandFailed } from '../platform/shell.ts';
import { type SpeedLimit, SpeedQueues } from './speed-queues.ts';

/** A kernel of a few devices with their queues, which takes tc's commands. */
function createToy({ hasFairQueues = true } = {}) {
  const toy = {
    /** By name; a device that is made anew gets another number. */
    indexes: new Map(['raha0', 'raha0ov', 'raha0oc0', 'eth0'].map((name, index) => [name, String(index)])),
    roots: new Map<string, string>(),
    classes: new Map<string, Map<string, string>>(),
    commands: [] as string[],
    warnings: [] as string[],
    failing: '',
    now: 0,
  };
  const execute = (command: string) => {
    if (toy.failing && command.includes(toy.failing)) throw new CommandFailed('tc', 'Command failed', undefined);
    const device = /dev (\S+)/.exec(command)?.[1] as string;
    if (command.includes('fq_codel') && !hasFairQueues)
      throw new CommandFailed('tc', 'Error: Specified qdisc kind is unknown.', undefined);
    if (command.startsWith('-j qdisc show'))
      return JSON.stringify([{ kind: 'htb', handle: toy.roots.get(device) ?? '0:', root: true }]);
    if (command.startsWith('class show'))
      return [...(toy.classes.get(device) ?? [])].map(([id, rate]) => `class htb ${id} root rate ${rate}\n`).join('');
    toy.commands.push(command);
    const handle = /root handle (\S+)/.exec(command)?.[1];
    if (handle) toy.roots.set(device, handle);
    if (handle || command.startsWith('qdisc del')) toy.classes.set(device, new Map());
    if (command.startsWith('qdisc del')) toy.roots.delete(device);
    const id = /classid (\S+)/.exec(command)?.[1] as string;
    if (command.startsWith('class replace')) toy.classes.get(device)?.set(id, /rate (\S+)/.exec(command)?.[1] ?? '');
    if (command.startsWith('class del')) toy.classes.get(device)?.delete(id);
    return '';
  };
  const run = async (command: string, args: readonly string[], { input = '' } = {}) => {
    if (command === 'ip') return JSON.stringify([{ addr_info: [{ local: '10.65.0.1', address: '10.65.0.3' }] }]);
    if (!input) return execute(args.join(' '));
    for (const line of input.trim().split('\n')) execute(line);
    return '';
  };
  const create = () =>
    new SpeedQueues({
      shell: { run },
      links: { findIndex: (name) => toy.indexes.get(name), listNumbered: (prefix) => [`${prefix}0`] },
      tunnels: [
        { protocol: 'wireguard', interfaceName: 'raha0' },
        { protocol: 'openvpn', interfaceName: 'raha0ov' },
        { protocol: 'openvpn', interfaceName: 'raha0oc', hasInterfacePerDevice: true },
      ],
      uplinks: ['eth0'],
      log: { warn: (event) => void toy.warnings.push(event) },
      elapsedMs: () => toy.now,
    });
  const rates = (device: string) => Object.fromEntries(toy.classes.get(device) ?? []);
  const clear = () => toy.commands.splice(0);
  return { toy, create, rates, clear };
}

const wireguard = (slot: number, mbit: number): SpeedLimit => ({ slot, mbit, protocol: 'wireguard' });
const openvpn = (slot: number, mbit: number): SpeedLimit => ({ slot, mbit, protocol: 'openvpn' });

test('without a limit no queue is touched', async () => {
  const { toy, create } = createToy();
  const queues = create();
  for (let tick = 0; tick < 3; tick++) await queues.bring([]);
  expect(toy.commands).toEqual([]);
});

test('a config has a class on the devices of its protocol and on the uplink, and on no other', async () => {
  const { toy, create, rates, clear } = createToy();
  const queues = create();
  await queues.bring([wireguard(0x102, 8), openvpn(3, 20)]);
  expect(rates('raha0')).toEqual({ '7261:102': '8mbit' });
  expect(rates('raha0ov')).toEqual({ '7261:3': '20mbit' });
  // The interface of one device, whose slot its address says.
  expect(rates('raha0oc0')).toEqual({ '7261:3': '20mbit' });
  expect(rates('eth0')).toEqual({ '7262:102': '8mbit', '7262:3': '20mbit' });
  clear();
  await queues.bring([wireguard(0x102, 8), openvpn(3, 20)]);
  expect(toy.commands).toEqual([]);
});

test('another limit changes the class in place; without one it goes, and with the last the whole queue', async () => {
  const { toy, create, clear, rates } = createToy();
  const queues = create();
  await queues.bring([wireguard(2, 8), wireguard(3, 8)]);
  clear();
  await queues.bring([wireguard(2, 16), wireguard(3, 8)]);
  expect(toy.commands.map((command) => command.split(' htb')[0])).toEqual([
    'class replace dev raha0 parent 7261: classid 7261:2',
    'class replace dev eth0 parent 7262: classid 7262:2',
  ]);
  await queues.bring([wireguard(3, 8)]);
  expect([rates('raha0'), rates('eth0')]).toEqual([{ '7261:3': '8mbit' }, { '7262:3': '8mbit' }]);
  clear();
  await queues.bring([]);
  expect(toy.commands).toEqual(['qdisc del dev raha0 root', 'qdisc del dev eth0 root']);
});

test('an agent that starts goes on with the queues that it finds, and takes away what nobody wants', async () => {
  const { toy, create, clear, rates } = createToy();
  await create().bring([wireguard(2, 8), wireguard(3, 8), openvpn(4, 8)]);
  clear();
  await create().bring([wireguard(2, 9)]);
  expect(toy.commands.filter((command) => command.includes('root handle'))).toEqual([]);
  expect(toy.commands).toContain('qdisc del dev raha0ov root');
  expect([rates('raha0'), rates('raha0ov'), rates('eth0')]).toEqual([{ '7261:2': '9mbit' }, {}, { '7262:2': '9mbit' }]);
  await create().bring([]);
  expect(toy.roots.size).toBe(0);
});

test('an interface that was made anew gets its queue at once, a queue that somebody removed within half a minute', async () => {
  const { toy, create, rates } = createToy();
  const queues = create();
  const limits = [wireguard(2, 8)];
  await queues.bring(limits);
  toy.indexes.set('raha0', '9');
  for (const table of [toy.roots, toy.classes]) table.delete('raha0');
  await queues.bring(limits);
  expect(rates('raha0')).toEqual({ '7261:2': '8mbit' });
  for (const table of [toy.roots, toy.classes]) table.delete('eth0');
  await queues.bring(limits);
  expect(rates('eth0')).toEqual({});
  toy.now += 30_000;
  await queues.bring(limits);
  expect(rates('eth0')).toEqual({ '7262:2': '8mbit' });
});

test("an operator's own queue of an uplink stays, which is said once; downloads are limited all the same", async () => {
  const { toy, create, rates } = createToy();
  toy.roots.set('eth0', '8001:');
  const queues = create();
  for (let tick = 0; tick < 3; tick++) {
    await queues.bring([wireguard(2, 8)]);
    toy.now += 30_000;
  }
  expect(toy.roots.get('eth0')).toBe('8001:');
  expect(toy.warnings).toEqual(['uplink_keeps_its_queue']);
  expect(rates('raha0')).toEqual({ '7261:2': '8mbit' });
  await queues.bring([]);
  expect(toy.roots.get('eth0')).toBe('8001:');
});

test('a kernel without fair queues gets plain ones', async () => {
  const { toy, create } = createToy({ hasFairQueues: false });
  await create().bring([wireguard(2, 8)]);
  expect(toy.commands.filter((command) => command.includes('parent 7262:2'))).toEqual([
    'qdisc replace dev eth0 parent 7262:2 bfifo limit 300000',
  ]);
});

test('a device that fails holds up no other, and is tried again', async () => {
  const { toy, create, rates } = createToy();
  const queues = create();
  toy.failing = 'dev raha0 root handle';
  await expect(queues.bring([wireguard(2, 8)])).rejects.toThrow('Command failed');
  expect([rates('raha0'), rates('eth0')]).toEqual([{}, { '7262:2': '8mbit' }]);
  toy.failing = '';
  await queues.bring([wireguard(2, 8)]);
  expect(rates('raha0')).toEqual({ '7261:2': '8mbit' });
});

test('an agent that goes for good gives the uplink back, whatever was wanted', async () => {
  const { toy, create } = createToy();
  const queues = create();
  await queues.bring([wireguard(2, 8)]);
  toy.indexes.delete('raha0');
  await queues.remove();
  expect(toy.roots.has('eth0')).toBe(false);
  await queues.bring([wireguard(2, 8)]);
  expect(toy.roots.has('eth0')).toBe(false);
});
