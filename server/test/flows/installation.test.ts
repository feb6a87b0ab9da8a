import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestWorld, type TestWorld } from '../world.ts';

/** S1: what an operator who follows the documents could publish by mistake. */
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
  await world.user({ usdCents: 0 });
});
afterAll(() => world.close());

/** `fetch` does not let a program choose Host. */
function status(path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    request(world.origin + path, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('S1 a development server behind a proxy does not expose its outbox, its test banks and its metrics', () => {
  const paths = ['/dev/outbox', '/metrics'];

  test.each(paths)('%s answers this machine', async (path) => {
    expect(await status(path)).toBe(200);
  });

  test.each([
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-real-ip': '203.0.113.9' },
    { forwarded: 'for=203.0.113.9' },
    { via: '1.1 proxy' },
    { host: 'raha.example' },
  ])('and refuses requests with %o', async (headers) => {
    for (const path of paths) expect(await status(path, headers as Record<string, string>)).toBe(404);
  });
});

describe('S1 an incomplete production set-up does not start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-production-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const start = (environment: Record<string, string>) =>
    spawnSync(process.execPath, ['server/src/main.ts', 'all'], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOCAL_NODE: 'off', PORT: '0', ...environment },
      encoding: 'utf8',
      timeout: 60_000,
    });

  test('with only a public address: a sentence for each missing thing, and exit code 1', () => {
    const { status: code, stderr, stdout } = start({ PUBLIC_URL: 'https://raha.example' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/SMTP_URL is not set.*\n.*MASTER_KEY_FILE/);
    expect(stderr).not.toMatch(/at .*\.ts/);
    expect(stdout).not.toContain('ready');
  });

  test('with a master-key file that does not exist', () => {
    const { status: code, stderr } = start({
      MASTER_KEY_FILE: join(dataDir, 'none'),
      DATABASE_URL: 'postgres:///none',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/MASTER_KEY_FILE is .*none, which does not hold a key/);
  });
});
