import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from './app/build-app.ts';
import { buildWorkerApp } from './app/build-worker-app.ts';
import type { Deps } from './app/deps.ts';
import { appointOperator, welcomeDeveloper } from './app/first-start.ts';
import { missingForLocalNode, startLocalNode } from './app/local-node.ts';
import { FOLLOW_MS, followSealingKey, readMasterKey, requireMasterKey } from './app/master-key.ts';
import type { Metrics } from './app/metrics.ts';
import { migrate } from './app/migrate.ts';
import { openDeps } from './app/open-deps.ts';
import { publishStatus } from './app/status/publish.ts';
import { watchWorker } from './app/watch-worker.ts';
import { startWork } from './app/work.ts';
import { ConfigError, readConfig } from './platform/config.ts';
import { DataDirectoryInUse, startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { createLog } from './platform/log.ts';

/**
 * One program, four roles, chosen by argument: `server` (HTTP), `worker` (jobs and schedules), `migrate`, and `all`, the
 * default, which also owns the embedded PostgreSQL and the local node. Any number of servers and workers may share one
 * database.
 */
const roles = ['all', 'server', 'worker', 'migrate'] as const;
type Role = (typeof roles)[number];

const HARD_LIMIT_MS = 15_000;
type Stop = () => Promise<unknown>;

const stops: Stop[] = [];

async function main(): Promise<void> {
  const role = (process.argv[2] ?? 'all') as Role;
  if (!roles.includes(role)) throw new ConfigError(`There is no role "${role}". Roles: ${roles.join(', ')}.`);
  const config = readConfig();
  if (config.unmetNeeds.length > 0) throw new ConfigError(config.unmetNeeds.join('\n'));
  const log = createLog(config.logLevel);
  stopInOrder(stops);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o711 });
  const masterKey = readMasterKey(config);
  const databaseUrl = config.databaseUrl ?? (await ownDatabase(config.dataDir, log, stops));
  if (role === 'all' || role === 'migrate') await migrate(databaseUrl);
  if (role === 'migrate') return await stopNow(stops, 0);

  const worker = role === 'all' || role === 'worker';
  const deps = await openDeps({ config, databaseUrl, masterKey, log, worker });
  stops.push(() => deps.close());
  await requireMasterKey(deps.db, deps.vault, deps.clock.now());
  stops.push(followSealingKeyAlways(deps));
  if (role !== 'worker') await appointOperator(deps, say);
  if (role === 'all') await welcomeDeveloper(deps, say);
  let metrics: Metrics | undefined;
  if (role !== 'worker') {
    const built = await buildApp(deps);
    const { app } = built;
    metrics = built.metrics;
    deps.address.origin = loopback(await app.listen({ host: config.host, port: config.port }));
    stops.push(() => drain(deps, role, app));
    stops.push(watchWorker(deps), publishStatus(deps));
  }
  if (worker) await work(deps, metrics);
  if (role === 'all') await maybeLocalNode(deps, stops);
  say(role === 'worker' ? 'Raha works on jobs.' : `Raha is ready: ${deps.publicUrl}`);
}

/**
 * Readiness ends, and with it long polls and event streams; everything else is served until the proxy sends it elsewhere. The role
 * `all` has no other server that could serve it.
 */
async function drain(deps: Deps & { drain(): void }, role: Role, app: { close(): Promise<unknown> }): Promise<void> {
  deps.drain();
  if (role === 'server') await sleep(deps.config.drainMs);
  await app.close();
}

/** Runs jobs and schedules; a worker without a server shows on a port of its own how it is. */
async function work(deps: Deps, metrics: Metrics | undefined): Promise<void> {
  const running = await startWork(deps);
  stops.push(() => running.stop());
  metrics?.showLeader(running.isLeading);
  const { host, workerPort } = deps.config;
  if (metrics || workerPort === 0) return;
  const app = await buildWorkerApp(deps, running);
  await app.listen({ host, port: workerPort });
  stops.push(() => app.close());
}

/** In every process, because any of them seals: the key may be replaced while they run. */
function followSealingKeyAlways({ db, vault, log }: Deps): () => Promise<void> {
  const follow = () =>
    followSealingKey(db, vault).catch((err: unknown) => log.warn({ err }, 'the sealing key was not read'));
  const timer = setInterval(() => void follow(), FOLLOW_MS);
  return async () => clearInterval(timer);
}

async function ownDatabase(dataDir: string, log: ReturnType<typeof createLog>, stops: Stop[]): Promise<string> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, 'postgres'),
    log: (line) => log.debug(line),
    onExit: (reason) => {
      log.error(reason);
      void stopNow(stops, 1);
    },
  });
  stops.push(() => postgres.stop());
  return postgres.url;
}

async function maybeLocalNode(deps: Parameters<typeof startLocalNode>[0], stops: Stop[]): Promise<void> {
  if (deps.config.localNode === 'off') return;
  const missing = missingForLocalNode(deps.config.programPath);
  if (missing.length > 0) {
    const sentence = `No VPN server on this machine: it lacks ${missing.join(', ')}.`;
    if (deps.config.localNode === 'on') throw new ConfigError(sentence);
    return say(sentence);
  }
  const node = await startLocalNode(deps);
  stops.push(() => node.stop());
}

/** The loopback address of this server, whatever interface it listens on. */
function loopback(listening: string): string {
  const url = new URL(listening);
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = '127.0.0.1';
  return url.origin;
}

let ending: Promise<void> | undefined;

/** Stops what was started last first; the process exits anyway if a part hangs. */
function stopNow(stops: Stop[], code: number): Promise<void> {
  ending ??= (async () => {
    setTimeout(() => process.exit(1), HARD_LIMIT_MS).unref();
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => console.error(error));
    process.exit(code);
  })();
  return ending;
}

function stopInOrder(stops: Stop[]): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stopNow(stops, 0));
  // The parent process that started us has ended.
  process.on('disconnect', () => void stopNow(stops, 0));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await main();
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof DataDirectoryInUse || isAddressInUse(error);
  console.error(expected ? sentenceOf(error as Error) : error);
  await stopNow(stops, 1);
}

function isAddressInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException)?.code === 'EADDRINUSE';
}

function sentenceOf(error: Error): string {
  return isAddressInUse(error)
    ? `${error.message}. Another program uses this address; choose another PORT.`
    : error.message;
}
