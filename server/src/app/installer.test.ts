import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestWorld, type TestWorld } from '../../test/world.ts';
import { readManifest } from '../modules/fleet/release.ts';
import { requireRelease } from './agent-release.ts';
import { installCommand } from './installer.ts';

const sources = join(import.meta.dirname, '../../../node-agent/install');

describe('what a new VPN server downloads', () => {
  let world: TestWorld;
  const download = (path: string) => fetch(`${world.origin}${path}`);

  beforeAll(async () => {
    world = await openTestWorld();
  });
  afterAll(() => world.close());

  test('a server that serves no real user signs for itself: every file is the one of its manifest', async () => {
    const text = await (await download('/node/release/manifest.json')).text();
    const files = Object.entries(readManifest(text)?.files ?? {});
    expect(files.map(([name]) => name)).toEqual(
      expect.arrayContaining(['install.sh', 'raha-agent.mjs', 'raha-agent.service', 'run']),
    );
    for (const [name, { sha256, size }] of files) {
      const bytes = Buffer.from(await (await download(`/node/release/${name}`)).arrayBuffer());
      expect([name, bytes.length, hashOf(bytes)]).toEqual([name, size, sha256]);
    }
  });

  test.each(['release.key', '..%2frelease.key', '..%2fmaster.key', 'constructor', 'none'])(
    'nothing else is served: %s',
    async (name) => {
      expect((await download(`/node/release/${name}`)).status).toBe(404);
    },
  );

  test('an agent of before signed releases finds the agent where it looks for it', async () => {
    const { manifest } = requireRelease(world.deps.config);
    const bytes = Buffer.from(await (await download('/node/raha-agent.mjs')).arrayBuffer());
    expect(hashOf(bytes)).toBe(manifest.files['raha-agent.mjs']?.sha256);
  });

  test('the printed command pins the script, the key and the release, and has no secret among its arguments', async () => {
    const release = requireRelease(world.deps.config);
    const command = installCommand('https://raha.example', release, 'enrol_secret');
    const script = Buffer.from(await (await download('/node/install.sh')).arrayBuffer());
    expect(command.split('\n')).toEqual([
      '{ curl -fsSo install-raha.sh https://raha.example/node/install.sh || wget -qO install-raha.sh https://raha.example/node/install.sh; } &&',
      `echo '${hashOf(script)}  install-raha.sh' | sha256sum -c - &&`,
      `sh install-raha.sh --control https://raha.example --key ${release.publicKey} --release ${release.manifest.release} --token-file - <<'TOKEN'`,
      'enrol_secret',
      'TOKEN',
    ]);
    expect(spawnSync('sh', ['-n'], { input: command }).stderr.toString()).toBe('');
  });
});

describe('the starter', () => {
  let directory: string;
  const path = (name: string) => join(directory, name);
  const start = (...args: string[]) => spawnSync(path('run'), args, { encoding: 'utf8' }).stdout.trim();

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'raha-starter-'));
    copyFileSync(join(sources, 'run'), path('run'));
    // Options of Node.js itself stand before the file.
    const options = 'while case "$1" in --*) ;; *) false ;; esac; do shift; done';
    writeFileSync(path('node'), `#!/bin/sh\n${options}; FILE="$1"; shift; echo "$(cat "$FILE") $*"\n`);
    for (const name of ['run', 'node']) chmodSync(path(name), 0o755);
    writeFileSync(path('raha-agent.mjs'), 'fresh');
    writeFileSync(path('raha-agent.mjs.previous'), 'old');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('starts the agent with its arguments, any number of times', () => {
    for (let count = 0; count < 5; count += 1) expect(start('--state', 'a b')).toBe('fresh --state a b');
  });

  test('after three unproved starts it restores the previous agent and records the failed one', () => {
    writeFileSync(path('raha-agent.mjs.unproved'), '0');
    expect([start(), start(), start()]).toEqual(['fresh', 'fresh', 'fresh']);
    expect(start()).toBe('old');
    expect(existsSync(path('raha-agent.mjs.unproved'))).toBe(false);
    const refused = readFileSync(path('raha-agent.mjs.refused'), 'utf8').trim();
    expect(refused).toBe(hashOf('fresh'));
    expect(start()).toBe('old');
  });
});

function hashOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
