import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findObstacle, until } from '../processes.ts';
import { makeRelease, makeReleaseKey } from '../release.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);
const root = join(import.meta.dirname, '../../..');

/** An agent as it is installed: one file beside its start script, restarted whenever it exits, as by the service. */
describe.skipIf(obstacle)('an agent that replaces itself', { timeout: 180_000 }, () => {
  let world: World;
  let device: Device;
  let home: string;
  const path = (name: string) => join(home, name);
  const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
  const running = () => world.control.reports.at(-1)?.health.agentVersion.split('+')[1];
  const bundle = async (mark: string): Promise<Buffer> => {
    const { outputFiles } = await build({
      entryPoints: [join(root, 'node-agent/src/main.ts')],
      ...{
        bundle: true,
        write: false,
        platform: 'node',
        format: 'esm',
        target: 'node20',
        banner: { js: `// ${mark}` },
      },
    });
    return Buffer.from(outputFiles[0]?.contents ?? []);
  };

  beforeAll(async () => {
    world = await createWorld();
    home = join(world.state, '../opt');
    mkdirSync(home);
    writeFileSync(path('raha-agent.mjs'), await bundle('the first'));
    copyFileSync(join(root, 'node-agent/install/run'), path('run'));
    chmodSync(path('run'), 0o755);
    writeFileSync(path('raha-agent.mjs.release'), '100\n');
    symlinkSync(join(root, 'node_modules/.bin/node'), path('node'));
    // As systemd does: Restart=always, and the agent ends with the service.
    const again = `while :; do ${path('run')} "$@" & AGENT=$!; wait $AGENT; sleep 0.2; done`;
    writeFileSync(path('service'), `#!/bin/sh\ntrap 'kill -9 $AGENT; exit' TERM\n${again}\n`);
    chmodSync(path('service'), 0o755);
    world.startProgram(path('service'));
    device = world.device(0, 2);
    await world.serve(device, 100_000_000);
    await device.connect();
    expect(await device.fetch()).toBe('198.51.100.2');
  }, 60_000);

  afterAll(async () => {
    await world?.agent()?.end('SIGTERM');
    await world?.close();
  });

  test.each([
    ['unsigned', (agent: Buffer) => makeRelease(makeReleaseKey(), 101, { 'raha-agent.mjs': agent })],
    ['older', (agent: Buffer) => makeRelease(world.control.releaseKey, 99, { 'raha-agent.mjs': agent })],
  ] as const)('an %s release is refused, and the control plane is told so', async (reason, releaseOf) => {
    const before = running();
    world.control.offer(releaseOf(await bundle(reason)));
    await until('the report', () => world.control.reports.at(-1)?.health.releaseRefusal === reason);
    expect(running()).toBe(before);
    expect(readFileSync(path('raha-agent.mjs.release'), 'utf8')).toBe('100\n');
  });

  test('the desired agent takes over during a download: no byte is lost, none counted twice', async () => {
    const fresh = await bundle('the second');
    const download = device.download(6_000_000, '--limit-rate', '1500K');
    await until('the first bytes', async () => (await world.passed(2)) > 500_000);
    world.control.offerAgent(fresh, 101);
    await until('the new agent', () => running() === hashOf(fresh).slice(0, 8));
    expect(await download.ended()).toBe('6000000');
    await until('the report', async () => world.control.billed(device.id) === (await world.passed(2)));
    expect(new Set(world.control.reports.map(({ epoch }) => epoch)).size).toBe(1);
    await until('the proof', () => !existsSync(path('raha-agent.mjs.unproved')));
    expect(readFileSync(path('raha-agent.mjs.release'), 'utf8')).toBe('101\n');
    expect(world.control.reports.at(-1)?.health.releaseRefusal).toBeUndefined();
  });

  test('an agent that does not work is replaced by the previous one, and not tried again', async () => {
    const before = hashOf(readFileSync(path('raha-agent.mjs')));
    // It starts with --version, and otherwise exits.
    const broken = Buffer.from('if (!process.argv.includes("--version")) process.exit(1);\n');
    world.control.offerAgent(broken, 102);
    await until('the failed agent to be recorded', () => existsSync(path('raha-agent.mjs.refused')));
    const reports = world.control.reports.length;
    await until('the previous agent', () => world.control.reports.length > reports + 3);
    expect(running()).toBe(before.slice(0, 8));
    expect(readFileSync(path('raha-agent.mjs.refused'), 'utf8').trim()).toBe(hashOf(broken));
    expect(await device.fetch()).toBe('198.51.100.2');
    await until('the report', async () => world.control.billed(device.id) === (await world.passed(2)));
  });
});
