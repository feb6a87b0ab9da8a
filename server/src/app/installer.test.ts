import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestWorld } from '../../test/world.ts';
import { installCommand, starter } from './installer.ts';

/** The set-up script runs on an operator's machine, so a shell must be able to parse it. */
describe('the set-up script', () => {
  test('is a valid script, requires its token, and writes the starter unchanged', async () => {
    const world = await openTestWorld();
    try {
      const script = await (await fetch(`${world.origin}/node/install.sh`)).text();
      expect(spawnSync('sh', ['-n'], { input: script }).stderr.toString()).toBe('');
      expect(script).toContain(starter);
      const isRoot = process.getuid?.() === 0;
      const { status, stderr } = spawnSync('sh', ['-s'], { input: script });
      expect([status, stderr.toString()]).toEqual([
        1,
        expect.stringMatching(isRoot ? /usage: install.sh/ : /usage|root/),
      ]);
      expect(installCommand('https://raha.example', 'token')).toBe(
        'curl -fsSL https://raha.example/node/install.sh | sudo sh -s -- token',
      );
    } finally {
      await world.close();
    }
  });
});

describe('the starter', () => {
  let directory: string;
  const path = (name: string) => join(directory, name);
  const start = (...args: string[]) => spawnSync(path('run'), args, { encoding: 'utf8' }).stdout.trim();

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'raha-starter-'));
    writeFileSync(path('run'), starter);
    writeFileSync(path('node'), '#!/bin/sh\nFILE="$1"; shift; echo "$(cat "$FILE") $*"\n');
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
    expect(refused).toBe(createHash('sha256').update('fresh').digest('hex'));
    expect(start()).toBe('old');
  });
});
