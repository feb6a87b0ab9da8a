import { readdirSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { TraceAnswer, TraceQuestion } from '@raha/contract/node/trace.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE4, NODE6, WEB4, WEB6 } from '../network.ts';
import { findObstacle, type Running, until } from '../processes.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle(['conntrack', 'ss']);
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

const UNUSED: TraceAnswer = { kind: 'unused' };
/** Ports of devices, which the node keeps where it can. No other number of the test resembles them. */
const ports = { shared: 46_813, name: 46_827, silent: 46_839 } as const;

describe.skipIf(obstacle)('which config uses a port', { timeout: 240_000 }, () => {
  let world: World;
  let device: Device;
  let neighbour: Device;
  const downloads: Running[] = [];
  const asked = new Set<number>();

  beforeAll(async () => {
    world = await createWorld();
    world.startAgent();
    [device, neighbour] = [world.device(0, 2), world.device(1, 3)];
    for (const each of [device, neighbour]) {
      await world.serve(each, 100_000_000);
      await each.connect();
    }
  }, 60_000);

  afterAll(async () => {
    for (const download of downloads) await download.end('SIGKILL');
    await world?.close();
  });

  const trace = (question: Omit<TraceQuestion, 'id'>) => {
    asked.add(question.port);
    return world.control.trace(question);
  };
  const named = (each: Device): TraceAnswer => ({ kind: 'config', config: each.id });

  test.each([
    ['IPv4', 4, WEB4, NODE4],
    ['IPv6', 6, WEB6, NODE6],
  ] as const)(
    'a connection that is open over %s leads to its config, and another one to another',
    async (_, family, web, exit) => {
      const used: number[] = [];
      for (const each of [device, neighbour]) {
        const url = `http://${isIPv6(web) ? `[${web}]` : web}/blob?n=50000000`;
        downloads.push(each.download(0, '-g', '--limit-rate', '1000', '--url', url));
        used.push(await newExitPort(exit, used));
      }
      const [one, two] = used as [number, number];
      expect(await trace({ family, protocol: 'tcp', port: one })).toEqual(named(device));
      expect(await trace({ family, protocol: 'tcp', port: two })).toEqual(named(neighbour));
      expect(await trace({ family, protocol: 'tcp', port: one, remotePort: 80 })).toEqual(named(device));
      // The same number is another port of another protocol, family or remote port.
      expect(await trace({ family, protocol: 'udp', port: one })).toEqual(UNUSED);
      expect(await trace({ family: family === 4 ? 6 : 4, protocol: 'tcp', port: one })).toEqual(UNUSED);
      expect(await trace({ family, protocol: 'tcp', port: one, remotePort: 81 })).toEqual(UNUSED);
    },
  );

  test('a port that nobody uses leads to nobody', async () => {
    expect(await trace({ family: 4, protocol: 'udp', port: ports.silent })).toEqual(UNUSED);
  });

  test('two configs that use one port are not told apart, unless the remote port does it', async () => {
    await sendFrom(device, ports.shared, WEB4, 7_001);
    expect(await trace({ family: 4, protocol: 'udp', port: ports.shared })).toEqual(named(device));
    await sendFrom(neighbour, ports.shared, WEB4, 7_002);
    expect(await trace({ family: 4, protocol: 'udp', port: ports.shared })).toEqual({ kind: 'several', configs: 2 });
    const at = (remotePort: number) => trace({ family: 4, protocol: 'udp', port: ports.shared, remotePort });
    expect([await at(7_001), await at(7_002)]).toEqual([named(device), named(neighbour)]);
  });

  test('what does not leave the node is nobody’s: a name that its resolver is asked for, and its own connections', async () => {
    await sendFrom(device, ports.name, '10.64.0.1', 53);
    const flows = await conntrack();
    expect(flows).toContain(`sport=${ports.name} dport=53`);
    expect(await trace({ family: 4, protocol: 'udp', port: ports.name })).toEqual(UNUSED);
    const own = /tcp .*ESTABLISHED src=10\.254\S+ dst=\S+ sport=(\d+)/.exec(flows)?.[1];
    expect(await trace({ family: 4, protocol: 'tcp', port: Number(own) })).toEqual(UNUSED);
  });

  test('of all that, nothing stands in the log, the reports, the files or the firewall of the node', async () => {
    const table = await world.network.inside(world.network.node, 'nft', 'list', 'ruleset');
    const files = readdirSync(world.state, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(files.length).toBeGreaterThan(1);
    const kept = [world.agent().output(), JSON.stringify(world.control.reports), table, ...files].join('\n');
    expect(asked.size).toBeGreaterThan(5);
    for (const word of [WEB4, WEB6, 'conntrack', 'trace']) expect(kept).not.toContain(word);
    // Bytes of a report may happen to be the same number.
    for (const port of asked) expect(kept).not.toMatch(new RegExp(`(port|dst)\\W{1,3}${port}\\b|[\\d\\]]:${port}\\b`));
  });

  const conntrack = () => world.network.inside(world.network.node, 'conntrack', '-L');

  /** The port of the one connection to the web server that was not there before. */
  async function newExitPort(exit: string, known: readonly number[]): Promise<number> {
    let found: number | undefined;
    await until('the connection', async () => {
      const open = await world.network.inside(
        world.network.internet,
        'ss',
        '-Htn',
        'state',
        'established',
        'sport = :80',
      );
      const remote = open.split('\n').map((line) => line.trim().split(/\s+/).at(-1) ?? '');
      const used = remote
        .map((text) => ({
          address: text.replace(/:\d+$/, '').replace(/^\[(?:::ffff:)?|\]$/g, ''),
          port: Number(text.split(':').at(-1)),
        }))
        .filter(({ address, port }) => address === exit && !known.includes(port))
        .map(({ port }) => port);
      found = used[0];
      return found !== undefined;
    });
    return found as number;
  }

  async function sendFrom(from: Device, port: number, address: string, to: number): Promise<void> {
    const namespace = world.network.clients[from === device ? 0 : 1];
    const script = `
      const socket = require('node:dgram').createSocket('udp4');
      socket.bind(${port}, () => socket.send('x', ${to}, '${address}', () => socket.close()));
    `;
    await world.network.inside(namespace, process.execPath, '-e', script);
    await until('the packet', async () => (await conntrack()).includes(`sport=${port} dport=${to} `));
  }
});
