import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inherited } from '../inherited.ts';
import { openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** S5: releases of the agent are signed with a key that the server does not hold. */
let world: TestWorld;
const directory = mkdtempSync(join(tmpdir(), 'raha-releases-'));
const dataDir = join(directory, 'data');
const keys = join(directory, 'keys');

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await world.close();
});

function raha(args: readonly string[], more: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../src/cli.ts'), ...args],
    {
      encoding: 'utf8',
      env: {
        ...inherited,
        DATABASE_URL: world.deps.databaseUrl,
        MASTER_KEY: TEST_MASTER_KEY,
        DATA_DIR: dataDir,
        PUBLIC_URL: 'https://raha.example',
        ...more,
      },
    },
  );
  return { status, stdout, stderr };
}

const refused = (sentence: RegExp) => ({ status: 1, stdout: '', stderr: expect.stringMatching(sentence) });
const add = ['nodes', 'add', '--name', 'de1', '--country', 'DE', '--city', 'Frankfurt'];
const upgrade = ['nodes', 'upgrade', '--all'];

describe('in production', () => {
  let releaseKey = '';
  const withKey = () => ({ RELEASE_PUBLIC_KEY: releaseKey });

  test('without a release key nodes are neither added nor upgraded, and no token is made', async () => {
    for (const command of [add, upgrade]) {
      expect(raha(command)).toEqual(refused(/^RELEASE_PUBLIC_KEY is not set: make a key .*"raha release key".*\n$/));
    }
    const { rows } = await sql`SELECT FROM node`.execute(world.deps.db);
    expect(rows).toEqual([]);
  });

  test('release key makes a private file and prints the public half, once', () => {
    const { status, stdout } = raha(['release', 'key', '--out', keys, '--json']);
    expect(status).toBe(0);
    const { file, publicKey } = JSON.parse(stdout) as { file: string; publicKey: string };
    releaseKey = publicKey;
    expect([file, statSync(file).mode & 0o777]).toEqual([join(keys, 'release.key'), 0o600]);
    const pem = readFileSync(file, 'utf8');
    expect(stdout).not.toContain(pem.split('\n')[1]);
    expect(raha(['release', 'key', '--out', keys])).toEqual(refused(/There is a key in .* already/));
    expect(readFileSync(file, 'utf8')).toBe(pem);
  });

  test('without a signed release neither, with a sentence that says what to do', () => {
    for (const command of [add, upgrade]) {
      expect(raha(command, withKey())).toEqual(
        refused(/^There is no signed release of the agent in .*release sign.*\n$/),
      );
    }
  });

  test('release sign makes the release, and nodes add prints a command that pins it', () => {
    const out = join(dataDir, 'release');
    const signed = raha(['release', 'sign', '--key', join(keys, 'release.key'), '--json']);
    expect(signed).toMatchObject({ status: 0 });
    expect(JSON.parse(signed.stdout)).toMatchObject({
      directory: out,
      files: { 'install.sh': {}, 'raha-agent.mjs': {} },
    });
    const added = raha([...add, '--json'], withKey());
    expect(added).toMatchObject({ status: 0 });
    const { command, token } = JSON.parse(added.stdout) as { command: string; token: string };
    expect(command).toContain(`--control https://raha.example --key ${releaseKey} --release `);
    expect(command.split('\n').filter((line) => line.includes(token))).toEqual([token]);
    expect(raha(upgrade, withKey())).toMatchObject({ status: 0 });
  });

  test('a private key is not left on the server by any of this', () => {
    expect(existsSync(join(dataDir, 'release.key'))).toBe(false);
  });

  test('a release that was changed after it was signed is refused, with the name of the file', () => {
    appendFileSync(join(dataDir, 'release/raha-agent.mjs'), '//');
    for (const command of [['nodes', 'token', '--name', 'de1'], upgrade]) {
      expect(raha(command, withKey())).toEqual(refused(/^raha-agent.mjs in .* does not have the size that was signed/));
    }
  });

  test('a key that is none is refused at once', () => {
    expect(raha(['release', 'sign', '--key', '/dev/null'])).toEqual(refused(/^--key takes a file with an Ed25519/));
    expect(raha(add, { RELEASE_PUBLIC_KEY: 'AAAA' })).toEqual(refused(/RELEASE_PUBLIC_KEY/));
  });
});

test('an http address is not told to VPN servers, unless it is this machine', () => {
  const other = { PUBLIC_URL: 'http://192.0.2.7:3000', DEMO: 'on' };
  expect(raha(add, other)).toEqual(refused(/^PUBLIC_URL is http:\/\/192\.0\.2\.7:3000, .* need an https address/));
});
