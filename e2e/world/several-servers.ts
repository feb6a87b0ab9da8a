import { join } from 'node:path';
import { freePort } from '../../server/test/free-port.ts';
import { startDebianPostgres } from '../../server/test/money/debian-postgres.ts';
import { startPgBouncer } from '../../server/test/money/pg-bouncer.ts';
import { openReadyProxy, type ReadyProxy } from '../../server/test/ready-proxy.ts';
import type { ControlPlane } from './control-plane.ts';
import { must, node, type Running, root, start } from './processes.ts';

type SeveralServers = Pick<ControlPlane, 'start' | 'stop' | 'kill' | 'killPostgres' | 'ended' | 'output' | 'dispose'>;

/**
 * The product as a larger installation runs it: two servers, of which a proxy gives every request to the other one, a worker, Debian's
 * PostgreSQL, and PgBouncer in transaction mode between it and the servers. What a process keeps in its memory shows here.
 */
export async function openSeveralServers({
  dataDir,
  port,
  url,
  environment,
}: Pick<ControlPlane, 'dataDir' | 'port' | 'url'> & {
  readonly environment: Record<string, string>;
}): Promise<SeveralServers> {
  const postgres = await startDebianPostgres();
  environment.DATABASE_URL = await postgres.makeDatabase('raha');
  const pool = await startPgBouncer(environment.DATABASE_URL);
  environment.DATABASE_POOL_URL = pool.url;
  let running: Running[] = [];
  let proxy: ReadyProxy | undefined;
  const begin = async (role: string, extra: Record<string, string>, ready: RegExp) => {
    const logFile = join(dataDir, `${role}-${extra.PORT ?? ''}.log`);
    const one = start(node, ['server/src/main.ts', role], { cwd: root, env: { ...environment, ...extra }, logFile });
    running.push(one);
    await one.waitFor(ready, 180_000);
  };
  const end = async (signal: NodeJS.Signals) => {
    const all = running;
    running = [];
    await Promise.all(all.map((one) => one.kill(signal)));
    await proxy?.close();
    proxy = undefined;
  };
  const nowhere = () => {
    throw new Error('This journey needs the built-in PostgreSQL, or one server.');
  };
  return {
    async start() {
      await must(node, ['server/src/main.ts', 'migrate'], { cwd: root, env: environment });
      const ports = [await freePort(), await freePort()];
      const server = (one: number) => begin('server', { PORT: String(one), PUBLIC_URL: url }, /Raha is ready/);
      await Promise.all([...ports.map(server), begin('worker', {}, /Raha works on jobs/)]);
      proxy = await openReadyProxy(
        ports.map((one) => `http://127.0.0.1:${one}`),
        port,
      );
    },
    async stop() {
      await end('SIGTERM');
      return 0;
    },
    kill: () => end('SIGKILL'),
    killPostgres: nowhere,
    ended: nowhere,
    output: () => running.map((one) => one.output()).join('') + (proxy?.failures ?? []).join('\n'),
    async dispose() {
      await end('SIGTERM');
      await pool.stop();
      await postgres.stop();
    },
  };
}
