import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEmbeddedPostgres, stopAbandonedPostgres } from '../../server/src/platform/embedded-postgres.ts';
import { freePort } from '../../server/test/free-port.ts';
import { must, node, type Running, root, run, start, until } from './processes.ts';
import { openSeveralServers } from './several-servers.ts';

/** The product as a separate process with its own PostgreSQL, as `npm start` runs it. */
export interface ControlPlane {
  readonly dataDir: string;
  readonly url: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  start(): Promise<void>;
  /** SIGTERM, and waits for a clean shutdown. */
  stop(): Promise<number | null>;
  /** kill -9 of the server process. Its PostgreSQL goes on until the next start. */
  kill(): Promise<void>;
  killPostgres(): void;
  /** Resolves when the server process has exited by itself. */
  ended(): Promise<void>;
  output(): string;
  /** Of the running database, without a pooler. */
  databaseUrl(): Promise<string>;
  /** `npm run raha -- …` with its JSON answer. */
  raha<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  dispose(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/**
 * `extra` may depend on the address that the product will have. With TEST_SERVERS=two (`npm run test:servers`) it runs as two servers
 * and a worker, which `several-servers.ts` describes.
 */
export async function createControlPlane(
  dataDir: string,
  extra: Environment | ((url: string) => Promise<Environment>) = {},
): Promise<ControlPlane> {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: dataDir,
    LOCAL_NODE: 'off',
    // A busy machine is no database that is away.
    DATABASE_SILENT_SECONDS: '30',
    DATABASE_CONNECT_SECONDS: '30',
    LOG_LEVEL: 'warn',
    ...(typeof extra === 'function' ? await extra(url) : extra),
  };
  const logFile = join(dataDir, 'server.log');
  const postgresDir = join(dataDir, 'postgres');
  const options = { cwd: root, env: environment };
  if (process.env.TEST_SERVERS === 'two') {
    const servers = await openSeveralServers({ dataDir, port, url, environment });
    const databaseUrl = async () => String(environment.DATABASE_URL);
    return { dataDir, url, port, environment, ...servers, databaseUrl, raha: (...args) => raha(args, options) };
  }
  let running: Running | undefined;
  return {
    dataDir,
    url,
    port,
    environment,
    start: async () => {
      running = start(node, ['server/src/main.ts', 'all'], { ...options, logFile });
      await running.waitFor(/Raha is ready/, 90_000);
      await until('the server to be ready', async () => (await fetch(`${url}/readyz`)).ok);
    },
    stop: async () => {
      await running?.kill('SIGTERM');
      return running?.child.exitCode ?? null;
    },
    kill: async () => running?.kill('SIGKILL'),
    killPostgres: () => {
      const pid = Number(readFileSync(join(postgresDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
      process.kill(pid, 'SIGKILL');
    },
    ended: async () => {
      const child = running?.child;
      if (child && child.exitCode === null && child.signalCode === null) {
        await new Promise<void>((done) => child.once('exit', () => done()));
      }
    },
    output: () => running?.output() ?? '',
    async databaseUrl() {
      const found = await findEmbeddedPostgres(postgresDir);
      if (!found) throw new Error('the control plane has no database');
      return found;
    },
    raha: (...args) => raha(args, options),
    dispose: async () => {
      await running?.kill('SIGTERM');
      await stopAbandonedPostgres(postgresDir).catch(() => {});
    },
  };
}

async function raha<T>(args: readonly string[], options: { cwd: string; env: Environment }): Promise<T> {
  return JSON.parse(await must(node, ['server/src/cli.ts', ...args, '--json'], options)) as T;
}

/** Codes of new gift cards from the operator. */
export async function issueGiftCards(controlPlane: ControlPlane, count: number, usd: number): Promise<string[]> {
  const order = ['gift-cards', 'issue', '--count', String(count), '--usd', String(usd)];
  return (await controlPlane.raha<{ codes: string[] }>(...order)).codes;
}

/** Checks the ledger's invariants and all other books on the live database; returns `ok` or the violations. */
export async function checkBooks(controlPlane: ControlPlane): Promise<string> {
  const options = { cwd: root, env: controlPlane.environment };
  const { code, stdout, stderr } = await run(node, ['server/src/cli.ts', 'ledger', 'check', '--json'], options);
  return code === 0 ? 'ok' : `${code}: ${stdout}${stderr}`;
}
