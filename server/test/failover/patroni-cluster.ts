import { execFileSync, spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresUser } from '../../src/platform/postgres-binaries.ts';
import { freePort } from '../free-port.ts';

/**
 * PostgreSQL that fails over, of Debian's parts and as docs/operations.md says: three machines, which are network namespaces on one
 * bridge, with etcd on each and Patroni with PostgreSQL on two; HAProxy here leads to the primary.
 */
export interface PatroniCluster {
  /** The database `raha` through HAProxy. */
  readonly url: string;
  /** The machine whose PostgreSQL is the primary, once it has a synchronous standby. */
  primary(): Promise<Machine>;
  /** kill -9 of everything on a machine except its etcd. */
  kill(machine: Machine): Promise<void>;
  /** Starts what was killed. */
  revive(machine: Machine): void;
  /** The cable of a machine is drawn out, or put back. */
  cut(machine: Machine): void;
  join(machine: Machine): void;
  switchOver(from: Machine): Promise<void>;
  stop(): Promise<void>;
}

export type Machine = 1 | 2;

const DATABASE_MACHINES = [1, 2] as const;
const MACHINES = [1, 2, 3] as const;

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'raha-patroni-'));
  own(directory);
  const port = await freePort();
  const machines = openMachines(directory);
  const startPatroni = (one: Machine) =>
    machines.launch(one, 'patroni', [...asPostgres(), 'patroni', join(directory, `patroni${one}.yml`)]);
  for (const one of MACHINES) {
    const options = etcdOptions(machines.base, one, join(directory, `etcd${one}`));
    machines.launch(one, 'etcd', ['etcd', ...options]);
  }
  for (const one of DATABASE_MACHINES) {
    const file = join(directory, `patroni${one}.yml`);
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(patroniSettings(machines.base, one, directory)));
    own(file);
    startPatroni(one);
  }
  writeFileSync(join(directory, 'haproxy.cfg'), proxySettings(machines.base, port));
  const proxy = spawn('haproxy', ['-db', '-f', join(directory, 'haproxy.cfg')], { stdio: 'ignore' });
  const primary = () => findPrimary(machines.base);
  const first = await primary();
  for (const command of ['CREATE ROLE raha LOGIN', 'CREATE DATABASE raha OWNER raha']) {
    const reach = ['-h', `${machines.base}.${first}`, '-U', 'postgres'];
    execFileSync('psql', [...reach, '-qc', command], { cwd: '/', stdio: 'pipe' });
  }
  return {
    url: `postgres://raha@127.0.0.1:${port}/raha`,
    primary,
    kill: machines.killAllBut('etcd'),
    revive: startPatroni,
    cut: (machine) => machines.setCable(machine, 'down'),
    join: (machine) => machines.setCable(machine, 'up'),
    async switchOver(from) {
      const body = JSON.stringify({ leader: `db${from}` });
      const answer = await fetch(`http://${machines.base}.${from}:8008/switchover`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`no switchover: ${await answer.text()}`);
    },
    async stop() {
      proxy.kill('SIGKILL');
      machines.close();
      await sleep(500);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Three network namespaces on a bridge, of which this machine is a part. */
function openMachines(directory: string) {
  const bridge = `rh${process.pid.toString(36)}`;
  const base = `10.252.${process.pid % 250}`;
  const nameOf = (one: number) => `raha-${process.pid}-ha-${one}`;
  const running = new Map<string, number | undefined>();
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  const pidsOf = (one: number) =>
    execFileSync('ip', ['netns', 'pids', nameOf(one)], { encoding: 'utf8' })
      .split('\n')
      .map(Number)
      .filter(Boolean);
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('addr', 'add', `${base}.254/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  for (const one of MACHINES) {
    ip('netns', 'add', nameOf(one));
    ip('link', 'add', `${bridge}${one}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', nameOf(one));
    ip('link', 'set', `${bridge}${one}`, 'master', bridge, 'up');
    ip('-n', nameOf(one), 'link', 'set', 'lo', 'up');
    ip('-n', nameOf(one), 'addr', 'add', `${base}.${one}/24`, 'dev', 'eth0');
    ip('-n', nameOf(one), 'link', 'set', 'eth0', 'up');
  }
  return {
    base,
    launch(one: number, name: string, command: readonly string[]) {
      const log = openSync(join(directory, `${name}${one}.log`), 'a');
      const args = ['netns', 'exec', nameOf(one), ...command];
      running.set(`${name}${one}`, spawn('ip', args, { cwd: '/', stdio: ['ignore', log, log] }).pid);
      closeSync(log);
    },
    killAllBut: (name: string) => async (one: number) => {
      for (const pid of pidsOf(one)) if (pid !== running.get(`${name}${one}`)) end(pid);
    },
    setCable: (one: number, state: 'up' | 'down') => void ip('link', 'set', `${bridge}${one}`, state),
    close() {
      for (const one of MACHINES) {
        for (const pid of pidsOf(one)) end(pid);
        ip('netns', 'del', nameOf(one));
      }
      ip('link', 'del', bridge);
    },
  };
}

/** The machine that says so itself, once it has a synchronous standby: one that was isolated a moment ago still names the former one. */
async function findPrimary(base: string): Promise<Machine> {
  const deadline = performance.now() + 300_000;
  const ask = (one: Machine, path: string) =>
    fetch(`http://${base}.${one}:8008${path}`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  while (performance.now() < deadline) {
    for (const one of DATABASE_MACHINES) {
      if (!(await ask(one, '/primary'))?.ok) continue;
      const answer = await ask(one, '/cluster');
      const { members = [] } = ((await answer?.json()) ?? {}) as { members?: { role: string }[] };
      if (members.some(({ role }) => role === 'sync_standby')) return one;
    }
    await sleep(500);
  }
  throw new Error('There is no primary with a standby.');
}

function asPostgres(): string[] {
  const { uid, gid } = postgresUser();
  return ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function own(path: string): void {
  const { uid, gid } = postgresUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function etcdOptions(base: string, one: number, dataDir: string): string[] {
  const options = {
    name: `etcd${one}`,
    'data-dir': dataDir,
    'listen-client-urls': `http://${base}.${one}:2379`,
    'advertise-client-urls': `http://${base}.${one}:2379`,
    'listen-peer-urls': `http://${base}.${one}:2380`,
    'initial-advertise-peer-urls': `http://${base}.${one}:2380`,
    'initial-cluster': MACHINES.map((other) => `etcd${other}=http://${base}.${other}:2380`).join(','),
    'initial-cluster-state': 'new',
    'enable-v2': 'true',
    // A busy machine is no cable that was drawn out.
    'heartbeat-interval': '500',
    'election-timeout': '5000',
    'log-level': 'warn',
  };
  return Object.entries(options).flatMap(([name, value]) => `--${name}=${value}`);
}

function patroniSettings(base: string, one: number, directory: string) {
  const [major] = readdirSync('/usr/lib/postgresql').sort().reverse();
  const sockets = join(directory, `sockets${one}`);
  mkdirSync(sockets);
  own(sockets);
  const network = `${base}.0/24`;
  return {
    scope: 'raha',
    name: `db${one}`,
    restapi: { listen: `${base}.${one}:8008`, connect_address: `${base}.${one}:8008` },
    // Patroni 3.0.2 overwrites the leader's key by version 3 of etcd's protocol, even one that another holds; by version 2 it compares first.
    etcd: { hosts: MACHINES.map((other) => `${base}.${other}:2379`) },
    bootstrap: {
      dcs: {
        ...{ ttl: 30, loop_wait: 5, retry_timeout: 10, maximum_lag_on_failover: 0 },
        // A failover goes only to a standby that has every acknowledged commit.
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { wal_log_hints: 'on', max_connections: 200 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums', { auth: 'trust' }],
      pg_hba: [`host replication replicator ${network} trust`, `host all all ${network} trust`, 'local all all trust'],
    },
    postgresql: {
      listen: `${base}.${one}:5432`,
      connect_address: `${base}.${one}:5432`,
      data_dir: join(directory, `data${one}`),
      bin_dir: `/usr/lib/postgresql/${major}/bin`,
      pgpass: join(directory, `pgpass${one}`),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
        rewind: { username: 'rewinder' },
      },
      parameters: { unix_socket_directories: sockets },
    },
  };
}

function proxySettings(base: string, port: number): string {
  const servers = DATABASE_MACHINES.map((one) => `  server db${one} ${base}.${one}:5432 check port 8008\n`).join('');
  return `defaults
  mode tcp
  timeout connect 3s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  maxconn 500
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers}`;
}
