import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ikev2Identity } from '../control/plan.ts';
import type { Shell } from '../platform/shell.ts';
import { parseActivity, setupHash } from './ikev2.ts';
import { deviceCommands, identityRequestConnection, removalCommands } from './ikev2-commands.ts';
import { createIkev2Devices } from './ikev2-devices.ts';
import { ikev2Files } from './ikev2-files.ts';
import { findIpsec, ikev2Interface } from './ikev2-interface.ts';
import { connectVici, type Vici, ViciRefused } from './vici.ts';
import { type Arguments, decodeMessage, encodeMessage, encodeName } from './vici-message.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-ikev2-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const settings = {
  address4: '10.66.0.1/16',
  address6: 'fd72:6168:6102::1/64',
  resolvers: ['1.1.1.1', '2606:4700:4700::1111', 'none'],
  serverName: 'node-1',
  certificateAuthority: 'AUTHORITY',
  certificate: 'CERTIFICATE',
};
const device: Ikev2Identity = {
  id: 'one',
  protocol: 'ikev2',
  userName: 'abcdefgh12345678',
  ntHash: '44ebba8d5312b8d611474411f56989ae',
  blocked: false,
  address4: '10.66.0.2',
  address6: 'fd72:6168:6102::2',
};

describe('messages', () => {
  // strongSwan, src/libcharon/plugins/vici/README.md, "Encoding example".
  const example: Arguments = {
    key1: 'value1',
    section1: { 'sub-section': { key2: 'value2' }, list1: ['item1', 'item2'] },
  };
  const bytes = Buffer.concat([
    Buffer.from([3, 4]),
    Buffer.from('key1'),
    Buffer.from([0, 6]),
    Buffer.from('value1'),
    Buffer.from([1, 8]),
    Buffer.from('section1'),
    Buffer.from([1, 11]),
    Buffer.from('sub-section'),
    Buffer.from([3, 4]),
    Buffer.from('key2'),
    Buffer.from([0, 6]),
    Buffer.from('value2'),
    Buffer.from([2, 4, 5]),
    Buffer.from('list1'),
    Buffer.from([5, 0, 5]),
    Buffer.from('item1'),
    Buffer.from([5, 0, 5]),
    Buffer.from('item2'),
    Buffer.from([6, 2]),
  ]);

  test('are encoded and decoded as the protocol specifies', () => {
    expect(encodeMessage(example).equals(bytes)).toBe(true);
    expect(decodeMessage(bytes)).toEqual(example);
  });

  test('survive encoding and decoding; half a message, or noise, is rejected and harms nothing', () => {
    const text = fc.string({ maxLength: 60, unit: 'grapheme' });
    const tree = fc.letrec<{ tree: Arguments }>((tie) => ({
      tree: fc.dictionary(text, fc.oneof({ depthSize: 'small' }, text, fc.array(text), tie('tree')), { maxKeys: 4 }),
    })).tree;
    fc.assert(
      fc.property(tree, (values) => {
        expect(decodeMessage(encodeMessage(values))).toEqual(values);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (noise) => {
        try {
          decodeMessage(Buffer.from(noise));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
    expect(() => decodeMessage(bytes.subarray(0, 9))).toThrow('half a message');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    decodeMessage(encodeMessage(JSON.parse('{"__proto__":{"polluted":"yes"}}') as Arguments));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the connection', () => {
  let server: Server;
  let sockets: Socket[];

  /** Responds by command; to `list-sas` with two events before its response. */
  async function daemon(answers: Record<string, Arguments>): Promise<string> {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      const send = (...parts: Buffer[]) => {
        const body = Buffer.concat(parts);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(body.length);
        // In two pieces, as networks do.
        socket.write(length);
        socket.write(body);
      };
      socket.on('data', (data: Buffer) => {
        for (let at = 0; at < data.length; at += 4 + data.readUInt32BE(at)) {
          const kind = data.readUInt8(at + 4);
          const name = data.toString('utf8', at + 6, at + 6 + data.readUInt8(at + 5));
          if (kind !== 0) send(Buffer.from([5]));
          else if (!answers[name]) send(Buffer.from([2]));
          else {
            for (const event of name === 'list-sas' ? ['device-one', 'device-two'] : []) {
              send(Buffer.from([7]), encodeName('list-sa'), encodeMessage({ [event]: { state: 'ESTABLISHED' } }));
            }
            send(Buffer.from([1]), encodeMessage(answers[name]));
          }
        }
      });
    });
    const path = join(directory, 'vici');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return path;
  }
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test('matches responses to requests; a refused or unknown command is an error', async () => {
    const answers = { stats: { plugins: ['vici'] }, 'unload-conn': { success: 'no', errmsg: 'not found' } };
    const vici = await connectVici(await daemon(answers), () => {});
    const asked = [
      vici.request('stats'),
      vici.request('unload-conn', { name: 'x' }),
      vici.request('nonsense'),
      vici.request('stats'),
    ];
    const [first, refused, unknown, last] = await Promise.allSettled(asked);
    expect([first, last].map((one) => one?.status === 'fulfilled' && one.value)).toEqual([
      { plugins: ['vici'] },
      { plugins: ['vici'] },
    ]);
    expect([refused, unknown].map((one) => one?.status === 'rejected' && String(one.reason))).toEqual([
      'ViciRefused: unload-conn: not found',
      'ViciRefused: strongSwan does not know nonsense',
    ]);
    vici.end();
  });

  test('lists what arrives as events, also twice at the same time', async () => {
    const vici = await connectVici(await daemon({ 'list-sas': {} }), () => {});
    const list = () => vici.list('list-sas', 'list-sa');
    const [one, two] = await Promise.all([list(), list()]);
    expect(one.flatMap(Object.keys)).toEqual(['device-one', 'device-two']);
    expect(two).toEqual(one);
    vici.end();
  });

  test('reports a connection that the daemon closes, not one that we close; a packet of impossible length closes it', async () => {
    const path = await daemon({});
    let lost = 0;
    const count = () => {
      lost += 1;
    };
    (await connectVici(path, count)).end();
    const other = await connectVici(path, count);
    await expect.poll(() => sockets.length).toBe(2);
    sockets[1]?.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await expect.poll(() => [lost, other.isOpen()]).toEqual([1, false]);
    await expect(other.request('stats')).rejects.toThrow('closed the connection');
  });

  test('an invalid response rejects its request, and all that wait', async () => {
    const vici = await connectVici(await daemon({}), () => {});
    const asked = Promise.allSettled([vici.request('stats', { a: 'b' }), vici.request('version')]);
    sockets[0]?.removeAllListeners('data');
    await expect.poll(() => sockets.length).toBe(1);
    sockets[0]?.write(Buffer.from([0, 0, 0, 2, 1, 99]));
    expect((await asked).map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
      'Error: strongSwan sent an invalid message',
      'Error: strongSwan closed the connection',
    ]);
  });
});

describe('commands to strongSwan', () => {
  test('a device always has the same addresses, and connects by its name', () => {
    const sections = Object.fromEntries(
      deviceCommands(device, settings, 'userspace').map(([, values]) => Object.entries(values)[0]!),
    );
    expect(sections['abcdefgh12345678-4']).toEqual({ addrs: '10.66.0.2/32', dns: ['1.1.1.1'] });
    expect(sections['abcdefgh12345678-6']).toEqual({ addrs: 'fd72:6168:6102::2/128', dns: ['2606:4700:4700::1111'] });
    expect(sections['device-abcdefgh12345678']).toMatchObject({
      pools: ['abcdefgh12345678-4', 'abcdefgh12345678-6'],
      remote: { auth: 'eap-mschapv2', eap_id: 'abcdefgh12345678' },
    });
    const commands = deviceCommands(device, settings, 'userspace').map(([command]) => command);
    expect(commands.at(-1)).toBe('load-shared');
    expect(removalCommands(device.userName, true).map(([command]) => command)).toEqual([
      'unload-shared',
      'unload-conn',
      'terminate',
      'unload-pool',
      'unload-pool',
    ]);
  });

  test.each([
    ['a name that matches everybody', { userName: '%any' }],
    ['an empty secret', { ntHash: '' }],
    ['an address that is a range', { address4: '10.66.0.0/16' }],
    ['an address of the other family', { address6: '10.66.0.2' }],
  ])('%s lets nobody in', (_what, more) => {
    expect(() => deviceCommands({ ...device, ...more }, settings, 'userspace')).toThrow();
  });

  test('the identity-request connection asks for the identity and lets nobody in', () => {
    const connection = identityRequestConnection(settings, 'userspace')['identity-request'] as Arguments;
    expect(connection).not.toHaveProperty('pools');
    expect(connection.remote).toMatchObject({ eap_id: '%any', groups: ['nobody'] });
  });

  test('in kernel mode the policies are bound to the interface, whose name the agent chooses', () => {
    const childOf = (mode: 'kernel' | 'userspace') =>
      (identityRequestConnection(settings, mode)['identity-request'] as { children: { all: Arguments } }).children.all;
    expect(childOf('kernel')).toMatchObject({ if_id_in: 0x72616861, if_id_out: 0x72616861 });
    expect(childOf('userspace')).not.toHaveProperty('if_id_in');
    expect(ikev2Interface({ name: 'raha0ik', mode: 'kernel' })).toBe('raha0ik');
    expect(ikev2Interface({ name: 'raha0ik', mode: 'userspace' })).toBe('ipsec0');
  });

  test('the hash of a setup covers the configuration, the settings and the key', () => {
    const files = ikev2Files('rw0', 'userspace', directory);
    const options = { name: 'rw0', mode: 'userspace', privateKey: '', publicKey: 'KEY', elapsedMs: () => 0 } as const;
    const hash = setupHash(files, settings, options);
    expect(setupHash(ikev2Files('rw0', 'userspace', directory), settings, options)).toBe(hash);
    const others = [
      setupHash({ ...files, config: `${files.config}# of a newer agent` }, settings, options),
      setupHash(files, { ...settings, resolvers: [] }, options),
      setupHash(files, settings, { ...options, publicKey: 'ANOTHER' }),
    ];
    expect(new Set([hash, ...others]).size).toBe(4);
  });

  test('the daemon logs nothing, and only root can read its directory', () => {
    const files = ikev2Files('rw0', 'userspace', directory);
    files.writeConfig();
    const config = readFileSync(files.configPath, 'utf8');
    expect(config).toContain('daemon { default = -1 }');
    expect(config).toContain('auth { default = -1 }');
    expect(config).not.toContain('filelog');
    expect(config.indexOf('kernel-libipsec kernel-netlink')).toBeGreaterThan(0);
    expect(ikev2Files('rw1', 'kernel', directory).config).not.toContain('load = kernel-libipsec');
    const modeOf = (path: string) => statSync(join(directory, path)).mode & 0o777;
    expect([modeOf('rw0'), modeOf('rw0/strongswan.conf'), modeOf('rw0/pid')]).toEqual([0o700, 0o600, 0o600]);
  });
});

describe('admitted devices', () => {
  const other: Ikev2Identity = { ...device, id: 'two', userName: 'zyxwvuts87654321', address4: '10.66.0.3' };
  /** Executes commands, and has nothing to unload. */
  function daemon(keys: string[] = []) {
    const commands: string[] = [];
    const forced: string[] = [];
    const vici = {
      request: async (command: string, values: Arguments = {}) => {
        commands.push(`${command} ${values.id ?? values.name ?? values.ike ?? Object.keys(values)[0] ?? ''}`);
        if (command === 'terminate') forced.push(`${values.ike}: ${values.force}`);
        if (command.startsWith('unload')) throw new ViciRefused('not found');
        return { keys };
      },
      list: async () => [{ [`device-${device.userName}`]: { state: 'DELETING' } }],
    } as unknown as Vici;
    return { vici, commands, forced };
  }

  test('a blocked device is removed like a forgotten one, whether or not it was connected', async () => {
    const devices = createIkev2Devices('userspace');
    const { vici, commands } = daemon();
    await devices.change(vici, settings, [device, other], []);
    expect([...devices.listAdmitted()]).toEqual([device.userName, other.userName]);
    commands.length = 0;
    await devices.change(vici, settings, [{ ...device, blocked: true }], [other.userName]);
    expect([...devices.listAdmitted()]).toEqual([]);
    for (const { userName } of [device, other]) {
      expect(commands).toContain(`unload-shared ${userName}`);
      expect(commands).toContain(`terminate device-${userName}`);
    }
  });

  test('a blocked device disconnects gracefully; when it is let in again meanwhile, its old connection is ended first', async () => {
    const devices = createIkev2Devices('userspace');
    const { vici, commands, forced } = daemon();
    await devices.change(vici, settings, [{ ...device, blocked: true }], [other.userName]);
    expect(new Set(forced)).toEqual(new Set([`device-${device.userName}: no`, `device-${other.userName}: yes`]));
    [commands.length, forced.length] = [0, 0];
    await devices.change(vici, settings, [device], []);
    expect(forced).toEqual([`device-${device.userName}: yes`]);
    expect(commands[0]).toBe(`terminate device-${device.userName}`);
    await devices.change(vici, settings, [device], []);
    expect(forced).toHaveLength(1);
  });

  test('a new daemon is given all devices, also those that changed while there was none', async () => {
    const devices = createIkev2Devices('userspace');
    await devices.change(daemon().vici, settings, [device], []);
    devices.record([other], [device.userName]);
    const { vici, commands } = daemon();
    await devices.loadAll(vici, settings);
    expect([...devices.listAdmitted()]).toEqual([other.userName]);
    expect(commands.filter((line) => line.startsWith('load-shared'))).toEqual([`load-shared ${other.userName}`]);
  });

  test('a device that connected while it was being removed is disconnected, and no other', async () => {
    const devices = createIkev2Devices('userspace');
    await devices.adopt(daemon([device.userName]).vici);
    const { vici, commands } = daemon();
    await devices.disconnectUnknown(vici, [device.userName, other.userName]);
    expect(commands).toEqual([`terminate device-${other.userName}`]);
  });
});

test('activity: the most recent connection of each device, and never older than the probing interval', () => {
  const row = (more: Arguments) => ({ state: 'ESTABLISHED', 'remote-host': '203.0.113.9', ...more });
  const child = (useIn: string) => ({ 'child-sas': { 'all-1': { 'use-in': useIn } } });
  const events = [
    { 'device-one': row({ established: '400', ...child('7') }) },
    { 'device-one': row({ established: '5' }) },
    { 'device-two': row({ established: '9000', ...child('8000') }) },
    { 'device-three': row({ established: '1', state: 'CONNECTING' }) },
    { 'identity-request': row({ established: '0' }) },
  ];
  const activity = parseActivity(events.map((event) => decodeMessage(encodeMessage(event))));
  expect(activity).toEqual([
    { credential: 'one', handshakeAgeSeconds: 5 },
    { credential: 'two', handshakeAgeSeconds: 30 },
  ]);
});

test('the kernel encrypts if it has xfrm interfaces and the cipher', async () => {
  const commands: string[] = [];
  const shell = (refuse: RegExp) =>
    ({
      run: async (command: string, args: readonly string[]) => {
        commands.push([command, ...args].join(' '));
        if (refuse.test(commands.at(-1) ?? '')) throw new Error('refused');
        return '';
      },
    }) as unknown as Shell;
  const all = () => true;
  expect(await findIpsec(shell(/never/), all)).toBe('kernel');
  expect(await findIpsec(shell(/type xfrm/), all)).toBe('userspace');
  expect(await findIpsec(shell(/state add/), all)).toBe('userspace');
  const lacks = (part: string) => (path: string) => !path.includes(part);
  expect(await findIpsec(shell(/state add/), lacks('kernel-libipsec'))).toBe(undefined);
  for (const part of ['charon', 'vici', 'eap-mschapv2']) {
    expect(await findIpsec(shell(/never/), lacks(part))).toBe(undefined);
  }
  // The test is cleaned up, also after a refusal.
  commands.length = 0;
  await findIpsec(shell(/state add/), all);
  const last = commands.slice(commands.findIndex((line) => line.includes('state add')) + 1);
  expect(last).toEqual([
    'ip link del rahaprobe',
    'ip xfrm state delete src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x72616861',
  ]);
});
