import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { buildApp } from '../server/src/app/build-app.ts';
import { openDeps } from '../server/src/app/open-deps.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { createLog } from '../server/src/platform/log.ts';
import { hashPassword, verifyPassword } from '../server/src/platform/password-hash.ts';

/**
 * A server process whose processor time is measured: the product, and beside it the yardsticks: a hello by the same HTTP
 * library without anything of ours, and bare argon2. `calls.ts` starts it and speaks with it over the channel of `fork`.
 */
const [databaseUrl = '', masterKey = ''] = process.argv.slice(2);
const dataDir = mkdtempSync(join(tmpdir(), 'raha-bench-calls-'));
const config = readConfig({
  NODE_ENV: 'test',
  PORT: '0',
  DATA_DIR: dataDir,
  LOCAL_NODE: 'off',
  USD_RATE_TOMAN: '100000',
});
const deps = await openDeps({
  config,
  databaseUrl,
  masterKey,
  log: createLog('silent'),
  worker: false,
  overrides: { minuteLimit: { take: () => undefined } },
});
const { app } = await buildApp(deps);
deps.address.origin = await app.listen({ host: '127.0.0.1', port: 0 });
const hello = fastify({ logger: false });
hello.get('/hello', async () => ({ success: true }));
const helloOrigin = await hello.listen({ host: '127.0.0.1', port: 0 });
const stored = await hashPassword('a password for the bench');

process.on('message', (wanted: { verifications: number; atATime: number }) => void verify(wanted));
process.on('disconnect', () => void stop());
process.send?.({ origin: deps.address.origin, hello: helloOrigin });

/** As many at a time as there are calls, because hashes disturb each other in the processor's caches. */
async function verify({ verifications, atATime }: { verifications: number; atATime: number }): Promise<void> {
  let left = verifications;
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      await verifyPassword(stored, 'a password for the bench', 'session');
    }
  };
  await Promise.all(Array.from({ length: atATime }, loop));
  process.send?.('verified');
}

async function stop(): Promise<void> {
  await hello.close();
  await app.close();
  await deps.close();
  rmSync(dataDir, { recursive: true, force: true });
  process.exit(0);
}
