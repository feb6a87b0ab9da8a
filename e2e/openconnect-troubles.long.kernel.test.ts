import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntilGone } from '../server/src/platform/processes.ts';
import { openconnectFile } from '../web/src/pages/user/configs/openconnect-file.ts';
import { addresses } from './world/network.ts';
import { must, run, until } from './world/processes.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/** What may happen to OpenConnect beside the main job (decision 127), with Debian's client. */
const PORT = 4443;

describe.skipIf(whyNoTunnels())('OpenConnect in trouble', () => {
  let world: World;
  let witness: Witness;
  let user: TestUser;
  let own: Made;
  let other: Made;

  stopAtFirstFailure();
  beforeAll(async () => {
    world = await createWorld({ protocol: 'openconnect', settings: { 'trial.passwordlessDays': 0 } });
    witness = await createWitness(world.network);
    user = await signUp(world.controlPlane.url, world.mailbox, 'arash@example.com');
    await activate(world.controlPlane, user.api, 20);
    await waitForServer(world, 'openvpn');
    await raha('nodes', 'openconnect', '--name', 'frankfurt-1', '--port', String(PORT));
    await until('the node to serve it', isServed, 30_000, 500);
    // A daemon that was given another way is briefly not there.
    await waitForServer(world, 'openvpn');
    other = await create('other');
    own = await create('own');
  });
  afterAll(() => world?.close());

  test('where UDP is blocked it comes over TCP, and where UDP dies in the middle it goes on over TCP', async () => {
    await dropUdp(true);
    const begun = performance.now();
    await world.device.up(own.file);
    await until('a page over TCP', isThrough);
    say('UDP blocked from the start: a page', begun);
    await world.device.down();
    await dropUdp(false);

    await world.device.up(own.file);
    await until('a page', isThrough);
    // Its worker may call only what it needs (seccomp).
    for (const pid of await pidsOf('ocserv-worker')) expect(await readStatus(pid)).toMatch(/^Seccomp:\s+2$/m);
    await until('UDP to be used', async () => logged().includes('Established DTLS connection'));
    await dropUdp(true);
    const died = performance.now();
    await until('a page over TCP', isThrough, 150_000);
    say('UDP died in the middle: a page', died);
    expect(await world.device.seenAs(6, 5)).toBe(addresses.node6);
    await dropUdp(false);
  });

  test('a packet with the inner address of another config is dropped, and nobody is billed for it', async () => {
    const send = async () => {
      const tun = `rc${world.network.id}oc`;
      for (const [address, length] of [
        [other.address4, 32],
        [other.address6, 128],
      ] as const) {
        await must('ip', ['-n', world.network.client, 'addr', 'replace', `${address}/${length}`, 'dev', tun]);
      }
      // Nothing comes back to a device that has no session: one packet each is what it can send.
      for (const [family, address, target] of [
        ['-4', other.address4, addresses.web4],
        ['-6', other.address6, addresses.web6],
      ] as const) {
        const ping = ['ping', family, '-c', '2', '-i', '0.2', '-W', '1', '-I', address, target];
        await run('ip', ['netns', 'exec', world.network.client, ...ping]);
      }
      for (const address of [other.address4, other.address6]) {
        await run('ip', ['-n', world.network.client, 'addr', 'del', address, 'dev', tun]);
      }
    };
    const before = await settled();
    await send();
    expect(await settled()).toBe(before);
    expect(await usedBytes(other.id)).toBe(0n);
    // Without the rule they pass, and the check sees it. The agent soon notices and builds its table anew, with what was counted just then.
    const flush = ['netns', 'exec', world.network.node, 'nft', 'flush', 'chain', 'inet', table(), 'raha_source'];
    await until('somebody else to be billed', async () => {
      await must('ip', flush);
      await send();
      return (await usedBytes(other.id)) > 0n;
    });
  });

  test('a new certificate ends no session, and is the one that is shown next', async () => {
    const before = await shownCertificate();
    const at = ['--address', '203.0.113.77', '--exit', addresses.node4];
    await raha('relays', 'add', '--name', 'ir1', '--node', 'frankfurt-1', ...at);
    const shown = await until('the new one', async () => {
      const now = await shownCertificate();
      return now !== before && now;
    });
    expect(shown).toContain('203.0.113.77');
    expect(await world.device.isRunning()).toBe(true);
    expect(await world.device.seenAs(4, 5)).toBe(addresses.node4);
    await world.device.down();
    await world.device.up(own.file);
    await until('a page with the new one', isThrough);
  });

  test('a stranger without a certificate sees that it is a VPN, and gets no session', async () => {
    const ask = async (...words: string[]) => {
      const visit = ['netns', 'exec', world.network.internet, 'curl', '-ski', '-m', '5', ...words];
      return (await run('ip', visit)).stdout;
    };
    const url = `https://${addresses.node4}:${PORT}`;
    // Version 1.1.6 cannot hide it (decision 127): a web server has no such header.
    expect(await ask(`${url}/`)).toMatch(/^HTTP\/1.1 200 OK.*X-Transcend-Version: 1/s);
    expect(await ask(`${url}/index.html`)).toMatch(/^HTTP\/1.1 404 /);
    expect(await ask('-X', 'POST', `${url}/`)).toMatch(/^HTTP\/1.1 401 No certificate/);
    expect(await ask('-X', 'CONNECT', `${url}/CSCOSSLC/tunnel`)).toMatch(/^HTTP\/1.1 503 /);
    const devices = await must('ip', ['-n', world.network.node, '-brief', 'link']);
    expect(devices.split('\n').filter((line) => line.startsWith(`${world.vpnNode.interfaceName}oc`))).toHaveLength(1);
  });

  test('ocserv killed: the agent starts it again, and the device is through once it has connected anew', async () => {
    const [main] = await pidsOf('ocserv-main');
    process.kill(main!, 'SIGKILL');
    await waitUntilGone(main!, 5_000);
    await until('another', async () => {
      const [next] = await pidsOf('ocserv-main');
      return next !== undefined && next !== main;
    });
    await comeBack();
    await expectBilled();
  });

  test('the node boots again: the device is through once it has connected anew', async () => {
    await world.vpnNode.kill();
    for (const pid of await listPids()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited with another.
      }
      await waitUntilGone(pid, 5_000);
    }
    await must('ip', ['netns', 'exec', world.network.node, 'nft', 'delete', 'table', 'inet', table()]);
    for (const part of ['', 'ov', 'oc', 'ik', 'dn'])
      rmSync(`/run/raha/${world.vpnNode.interfaceName}${part}`, { recursive: true, force: true });
    await world.vpnNode.start();
    await until('the node to serve it', async () => (await pidsOf('ocserv-main')).length === 1);
    await comeBack();
    await expectBilled();
  });

  interface Made {
    readonly id: string;
    readonly file: string;
    readonly address4: string;
    readonly address6: string;
  }

  async function create(name: string): Promise<Made> {
    const serverId = await waitForServer(world, 'openvpn');
    const { data } = await user.api.createConfig({ body: { name, serverId, protocol: 'openvpn', keepKey: true } });
    const { id } = data.config;
    const read = async () => (await user.api.getConfig({ params: { id } })).data.config;
    await until('the node to serve the config', async () => (await read()).applied);
    const file = openconnectFile(data.file, (await read()).server.openconnect!, 'phone.pem')!;
    const commonName = /CN = (\S+)/.exec(await must('openssl', ['x509', '-noout', '-subject'], { input: file }))?.[1];
    const device = readFileSync(`/run/raha/${world.vpnNode.interfaceName}oc/devices/${commonName}`, 'utf8');
    const [, address4 = '', address6 = ''] = /explicit-ipv4 = (\S+)\nexplicit-ipv6 = (\S+)/.exec(device) ?? [];
    return { id, file, address4, address6 };
  }

  /** Some clients exit when their session ends, and are connected again as their user would do. */
  async function comeBack(): Promise<void> {
    await until(
      'a page',
      async () => {
        if (!(await world.device.isRunning())) await world.device.up(own.file);
        return await isThrough();
      },
      120_000,
    );
  }

  async function isThrough(): Promise<boolean> {
    return (await world.device.seenAs(4, 2)) === addresses.node4;
  }

  async function expectBilled(): Promise<void> {
    const before = await usedBytes(own.id);
    expect((await world.device.download(1_000_000)).complete).toBe(true);
    await until('the download to be billed', async () => (await usedBytes(own.id)) - before > 1_000_000n);
  }

  /** All usage, once it is what the kernel counted. */
  function settled(): Promise<bigint> {
    return witness.settled(async () => (await usedBytes(own.id)) + (await usedBytes(other.id)));
  }

  async function usedBytes(id: string): Promise<bigint> {
    return BigInt((await user.api.getConfig({ params: { id } })).data.config.totalTraffic);
  }

  async function isServed(): Promise<boolean> {
    const { nodes } = await raha<{ nodes: { openconnect: { isServed: boolean } }[] }>('nodes', 'list');
    return nodes[0]!.openconnect.isServed;
  }

  async function dropUdp(isDropped: boolean): Promise<void> {
    const rules = `add table ip filter_udp
      add chain ip filter_udp forward { type filter hook forward priority 0; }
      add rule ip filter_udp forward meta l4proto udp drop`;
    const input = isDropped ? rules : 'delete table ip filter_udp';
    await must('ip', ['netns', 'exec', world.network.internet, 'nft', '-f', '-'], { input });
  }

  async function shownCertificate(): Promise<string> {
    const script = `openssl s_client -connect ${addresses.node4}:${PORT} < /dev/null 2> /dev/null | openssl x509 -noout -text`;
    return await must('ip', ['netns', 'exec', world.network.internet, 'sh', '-c', script]);
  }

  function logged(): string {
    return readFileSync(`${world.directory}/openconnect-client.log`, 'utf8');
  }

  const table = () => `raha_${world.vpnNode.interfaceName}`;
  const say = (what: string, since: number) =>
    console.info(`${what} after ${((performance.now() - since) / 1000).toFixed(1)} s`);

  async function listPids(): Promise<number[]> {
    return (await must('ip', ['netns', 'pids', world.network.node])).split('\n').filter(Boolean).map(Number);
  }

  async function readStatus(pid: number): Promise<string> {
    return (await run('cat', [`/proc/${pid}/status`])).stdout;
  }

  async function pidsOf(name: string): Promise<number[]> {
    const isNamed = (pid: number) => run('cat', [`/proc/${pid}/comm`]).then(({ stdout }) => stdout.trim() === name);
    const pids = await listPids();
    const named = await Promise.all(pids.map(isNamed));
    return pids.filter((_, index) => named[index]);
  }

  function raha<T>(...words: string[]): Promise<T> {
    return world.controlPlane.raha<T>(...words);
  }
});
