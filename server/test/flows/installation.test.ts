import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveHealth } from '../../src/app/health.ts';
import { createMetrics } from '../../src/app/metrics.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createHttp } from '../../src/platform/http/create-http.ts';
import { inherited } from '../inherited.ts';
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

describe('S6 /metrics behind a token', () => {
  const TOKEN = 'a token of the scraper, thirty-two or more';

  test('is read with the token from anywhere, and without it by nobody, not even on this machine', async () => {
    const app = await createHttp({
      publicUrl: world.origin,
      log: world.deps.log,
      clock: world.deps.clock,
      trustedProxies: ['loopback'],
    });
    serveHealth(app, { ...world.deps, config: { ...world.deps.config, metricsToken: TOKEN } }, createMetrics());
    const read = async (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
      (await app.inject({ url: '/metrics', headers: { host: 'localhost', ...headers }, remoteAddress })).statusCode;
    expect(await read({ authorization: `Bearer ${TOKEN}` })).toBe(200);
    expect(await read({ authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '203.0.113.9' }, '203.0.113.1')).toBe(200);
    for (const authorization of [undefined, `Bearer ${TOKEN}x`, 'Bearer', `Basic ${TOKEN}`, TOKEN])
      expect(await read(authorization === undefined ? {} : { authorization })).toBe(404);
    await app.close();
  });

  test('a short token is refused at the start', () => {
    expect(() => readConfig({ NODE_ENV: 'test', METRICS_TOKEN: 'short' })).toThrow('METRICS_TOKEN');
  });
});

describe('S1 an incomplete production set-up does not start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-production-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const start = (environment: Record<string, string>) =>
    spawnSync(process.execPath, ['server/src/main.ts', 'all'], {
      env: { ...inherited, DATA_DIR: dataDir, LOCAL_NODE: 'off', PORT: '0', ...environment },
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
