import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installCommand } from '../../../server/src/app/installer.ts';
import { readManifest } from '../../../server/src/modules/fleet/release.ts';
import { makeRelease, makeReleaseKey } from '../release.ts';

/**
 * The install script, run for real as root in a mount namespace of its own, where /opt, /etc and /var/lib are copies. Only
 * the package manager and what changes the kernel are replaced; the runtime is a script that prints how it was started.
 */
const sources = join(import.meta.dirname, '../../install');
const script = readFileSync(join(sources, 'install.sh'), 'utf8');
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!canMount) console.warn('SKIPPED: the installer cannot be tested here: it needs root');

const TOKEN = 'enrol_the-only-token-of-this-test';
const NODE_PROGRAM = '#!/bin/sh\necho "STARTED $*"\ntr "\\0" " " < /proc/$$/cmdline\n';
const key = makeReleaseKey();

describe.skipIf(!canMount)('the installer', () => {
  let directory: string;
  let server: Server;
  let control: string;
  /** What the server answers, by path. */
  let served: Map<string, Buffer>;
  const at = (...names: string[]) => join(directory, ...names);
  const opt = (name: string) => at('opt/raha', name);
  const read = (path: string) => readFileSync(path, 'utf8');

  beforeAll(async () => {
    server = createServer((request, response) => {
      const bytes = served.get((request.url ?? '').replace(/^\/node\/(release\/)?/, ''));
      response.writeHead(bytes ? 200 : 404);
      response.end(bytes);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    control = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server?.close());

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'raha-install-'));
    for (const name of ['bin', 'opt', 'etc', 'lib', 'home']) mkdirSync(at(name));
    for (const name of ['apt-get', 'modprobe', 'sysctl', 'systemctl', 'apparmor_parser']) {
      writeFileSync(at('bin', name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    }
    spawnSync('cp', ['-a', '/etc/.', at('etc')]);
    rmSync(at('etc/raha'), { recursive: true, force: true });
    served = releaseOf(100);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function releaseOf(release: number, changes: Record<string, string> = {}, signer = key): Map<string, Buffer> {
    return makeRelease(signer, release, {
      'install.sh': script,
      run: read(join(sources, 'run')),
      'raha-agent.service': read(join(sources, 'raha-agent.service')),
      'raha-agent.mjs': `agent ${release}`,
      'node-linux-x64': NODE_PROGRAM,
      'node-linux-arm64': NODE_PROGRAM,
      ...changes,
    });
  }

  /** Runs a command as on a machine of its own. The server runs in this process, so this must not block it. */
  function run(command: string): Promise<{ code: number | null; output: string }> {
    const mounts = `mount --bind ${at('opt')} /opt; mount --bind ${at('etc')} /etc; mount --bind ${at('lib')} /var/lib;`;
    const inside = `${mounts} mount -t tmpfs none /run; cd ${at('home')}; PATH=${at('bin')}:$PATH; export PATH; eval "$COMMAND"`;
    const child = spawn('unshare', ['--mount', 'sh', '-euc', inside], { env: { ...process.env, COMMAND: command } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
    return new Promise((done) => child.once('close', (code) => done({ code, output })));
  }

  function printedCommand(): string {
    const manifest = readManifest(String(served.get('manifest.json')));
    if (!manifest) throw new Error('no manifest');
    return installCommand(control, { directory: '', manifest, publicKey: key.publicKey }, TOKEN);
  }

  async function refused(command: string, sentence: string) {
    const before = existsSync(opt('raha-agent.mjs')) && read(opt('raha-agent.mjs'));
    const { code, output } = await run(command);
    expect(output).toContain(sentence);
    expect(code).not.toBe(0);
    expect(output).not.toContain('STARTED');
    expect(existsSync(opt('raha-agent.mjs')) && read(opt('raha-agent.mjs'))).toBe(before);
  }

  test('the printed command sets up a machine; the token is in a file of root, and in no argument', async () => {
    const { code, output } = await run(printedCommand());
    expect([code, output]).toEqual([0, expect.stringMatching(/STARTED (--\S+ )*\.\/raha-agent\.mjs/)]);
    expect(output).toContain(`--control ${control} --state /var/lib/raha-agent`);
    expect(output).not.toContain(TOKEN);
    expect(read(at('lib/raha-agent/enrolment-token')).trim()).toBe(TOKEN);
    expect(statSync(at('lib/raha-agent/enrolment-token')).mode & 0o777).toBe(0o600);
    expect(read(at('etc/raha/release.pub')).trim()).toBe(key.publicKey);
    expect([read(opt('raha-agent.mjs')), read(opt('raha-agent.mjs.release')).trim()]).toEqual(['agent 100', '100']);
    expect(read(opt('install.sh'))).toBe(script);
  });

  test('the machine is ready for many devices, after a reboot as well', async () => {
    await run(printedCommand());
    const settings = read(at('etc/sysctl.d/90-raha.conf'));
    for (const name of ['rmem_default', 'wmem_default']) expect(settings).toContain(`net.core.${name} = 4194304\n`);
    expect(settings).toContain('net.netfilter.nf_conntrack_max = 1048576\n');
    // Settings of a module that is not loaded yet are lost at boot.
    expect(read(at('etc/modules-load.d/raha.conf'))).toBe('nf_conntrack\n');
  });

  test('a machine of the release before is updated by its own copy of the installer, and keeps its options', async () => {
    await run(printedCommand());
    const environment = read(at('etc/raha/agent.env')).replace('OPTIONS=""', 'OPTIONS="--dns-forward 192.0.2.53"');
    writeFileSync(at('etc/raha/agent.env'), environment);
    writeFileSync(at('lib/raha-agent/identity.json'), '{}');
    served = releaseOf(101, { 'install.sh': `${script}echo unreachable\n` });
    const { code, output } = await run('sh /opt/raha/install.sh');
    expect([code, output]).toEqual([0, expect.stringContaining('--dns-forward 192.0.2.53')]);
    expect([read(opt('raha-agent.mjs')), read(opt('raha-agent.mjs.release')).trim()]).toEqual(['agent 101', '101']);
    // The newer release brought another installer, which did the work and stays.
    expect(read(opt('install.sh'))).toBe(String(served.get('install.sh')));
    expect(read(at('etc/raha/agent.env'))).toBe(environment);
  });

  test.each([
    [
      'a script that was changed',
      'install.sh',
      (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('\nid\n')]),
      'FAILED',
    ],
    [
      'a changed agent',
      'raha-agent.mjs',
      () => Buffer.from('AGENT 100'),
      'raha-agent.mjs is not the file that was signed',
    ],
    ['an agent that was cut short', 'raha-agent.mjs', () => Buffer.from('agent'), 'raha-agent.mjs was cut short'],
    [
      'an agent with an addition',
      'raha-agent.mjs',
      () => Buffer.from('agent 100 and more'),
      'not the file that was signed',
    ],
    [
      'a changed runtime',
      `node-linux-${process.arch}`,
      () => Buffer.from(NODE_PROGRAM.replace('STARTED', 'stolen!')),
      'not the file',
    ],
    ['a runtime that was cut short', `node-linux-${process.arch}`, () => Buffer.from('#!/bin/sh'), 'cut short'],
    [
      'a changed starter',
      'run',
      (bytes: Buffer) => Buffer.from(String(bytes).replace('exec', 'EXEC')),
      'run is not the file',
    ],
    [
      'a changed unit',
      'raha-agent.service',
      (bytes: Buffer) => Buffer.from(String(bytes).replace('root', 'ROOT').replace('Raha', 'Reha')),
      'raha-agent.service is not',
    ],
    [
      'a changed manifest',
      'manifest.json',
      (bytes: Buffer) => Buffer.from(String(bytes).replace('1.2.3', '1.2.4')),
      'is not signed',
    ],
    ['a signature that was cut short', 'manifest.sig', (bytes: Buffer) => bytes.subarray(0, 63), 'is not signed'],
    ['no signature', 'manifest.sig', () => undefined, 'is not signed'],
  ])('%s is refused', async (_what, name, change, sentence) => {
    const command = printedCommand();
    const changed = change(served.get(name) as Buffer);
    if (changed) served.set(name, changed);
    else served.delete(name);
    await refused(command, sentence);
    expect(existsSync(at('lib/raha-agent/enrolment-token'))).toBe(false);
  });

  test('a release that another key signed is refused, whole as it is', async () => {
    const command = printedCommand();
    served = releaseOf(100, {}, makeReleaseKey());
    await refused(command, 'is not signed');
  });

  test('an older release with a good signature is refused: at the first set-up, and on a machine that has a newer one', async () => {
    const command = printedCommand();
    served = releaseOf(99);
    await refused(command, 'is older (99) than what this machine has or expects (100)');
    served = releaseOf(100);
    await run(command);
    writeFileSync(at('lib/raha-agent/identity.json'), '{}');
    served = releaseOf(99);
    await refused('sh /opt/raha/install.sh', 'is older (99)');
  });

  test('a machine trusts the key of its set-up, until root removes it', async () => {
    await run(printedCommand());
    const other = makeReleaseKey();
    served = releaseOf(101, {}, other);
    const command = printedCommand().replace(key.publicKey, other.publicKey);
    await refused(command, 'trusts another release key');
    rmSync(at('etc/raha/release.pub'));
    expect(await run(command)).toMatchObject({ code: 0 });
    expect(read(at('etc/raha/release.pub')).trim()).toBe(other.publicKey);
  });

  test.each([
    'http://raha.example',
    'http://127.0.0.1@raha.example',
    'http://localhost.raha.example',
    'ftp://127.0.0.1',
  ])('%s is refused as the address of the control plane', async (address) => {
    const command = printedCommand().replace(`--control ${control}`, `--control '${address}'`);
    await refused(command, 'address');
  });
});
