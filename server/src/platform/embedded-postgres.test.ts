import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataDirectoryInUse, findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { isRunning, waitUntilGone } from './processes.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'raha-pg-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('embedded PostgreSQL', () => {
  test('starts, protects its password, and is found by the command line', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
    try {
      expect(await findEmbeddedPostgres(dataDir)).toBe(postgres.url);
      expect(statSync(join(dataDir, 'postgres.url')).mode & 0o777).toBe(0o600);
      const [row] = await query(postgres.url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user');
      expect(row).toEqual({ rolsuper: false });
      const wrong = new URL(postgres.url);
      wrong.password = 'guess';
      await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    } finally {
      await postgres.stop();
    }
    expect(await findEmbeddedPostgres(dataDir)).toBeUndefined();
  });

  test('starts again on the same port, even if the number in the pid file belongs to another program', async () => {
    const first = await startEmbeddedPostgres({ dataDir, durable: false });
    await first.stop();
    writeFileSync(join(dataDir, 'cluster', 'postmaster.pid'), `${process.pid}\n${dataDir}\n`);
    const second = await startEmbeddedPostgres({ dataDir, durable: false });
    expect(second).toMatchObject({ url: first.url, adopted: false });
    await second.stop();
  });

  test('creates the cluster again if its creation was interrupted', async () => {
    mkdirSync(join(dataDir, 'cluster.new'));
    writeFileSync(join(dataDir, 'cluster.new', 'PG_VERSION'), '18\n');
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test('a second start on the same data is refused and does not disturb the first', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
    await expect(startEmbeddedPostgres({ dataDir, durable: false })).rejects.toThrow(DataDirectoryInUse);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test('reports that PostgreSQL was killed, and loses no acknowledged row', async () => {
    let tell: (reason: string) => void = () => {};
    const ended = new Promise<string>((done) => {
      tell = done;
    });
    const postgres = await startEmbeddedPostgres({ dataDir, onExit: (reason) => tell(reason) });
    await query(postgres.url, 'CREATE TABLE paid (n int PRIMARY KEY)');
    await query(postgres.url, 'INSERT INTO paid VALUES (1)');
    process.kill(postmasterPid(), 'SIGKILL');
    expect(await ended).toContain('SIGKILL');
    await postgres.stop();
    const again = await startEmbeddedPostgres({ dataDir });
    expect(await query(again.url, 'SELECT n FROM paid')).toEqual([{ n: 1 }]);
    await again.stop();
  });

  test('kill -9 of the parent during writes: the next start stops the orphan and has every acknowledged row', async () => {
    let acknowledged = 0;
    for (let round = 1; round <= 3; round++) {
      const parent = startWriter();
      for await (const line of createInterface(parent.stdout)) {
        acknowledged = Number(line);
        if (acknowledged >= round * 200) break;
      }
      parent.kill('SIGKILL');
      await once(parent, 'exit');
    }
    const orphan = postmasterPid();
    expect(isRunning(orphan)).toBe(true);
    const postgres = await startEmbeddedPostgres({ dataDir });
    expect(postgres.adopted).toBe(true);
    expect(await waitUntilGone(orphan, 0)).toBe(true);
    const [row] = await query(postgres.url, 'SELECT max(n) AS max, count(*)::int AS count FROM written');
    expect(row?.count).toBe(row?.max);
    expect(row?.max).toBeGreaterThanOrEqual(acknowledged);
    await postgres.stop();
  });
});

/** A process that starts PostgreSQL and writes rows one by one, printing each number after its commit. */
function startWriter() {
  const program = `
    import pg from 'pg';
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./embedded-postgres.ts', import.meta.url).href)};
    const { url } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    const client = new pg.Client(url);
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS written (n int PRIMARY KEY)');
    for (;;) {
      const { rows } = await client.query('INSERT INTO written SELECT coalesce(max(n), 0) + 1 FROM written RETURNING n');
      console.log(rows[0].n);
    }`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function postmasterPid(): number {
  return Number(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
