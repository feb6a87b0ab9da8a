import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/app/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { isRunning, waitUntilGone } from '../../src/platform/processes.ts';
import type { TestDatabase } from '../database.ts';
import { freePort } from '../free-port.ts';
import { PREFIX } from '../postgres-setup.ts';

/** A PostgreSQL that a test may harm: its own data and port, with the product's durability settings. */
export interface OwnPostgres {
  readonly database: TestDatabase;
  readonly logFile: string;
  /** Its first process, from the pid file. */
  readonly postmaster: number;
  readonly isUp: boolean;
  /** Removes the data of one that was killed. */
  loseDisk(): Promise<void>;
  /** Starts it again at the same address. */
  startAgain(): Promise<void>;
  /** Stops it and removes its data; never fails. */
  remove(): Promise<void>;
}

export async function openOwnPostgres(dataDir = mkdtempSync(join(tmpdir(), PREFIX))): Promise<OwnPostgres> {
  let running: EmbeddedPostgres | undefined;
  const start = async () => {
    running = await startEmbeddedPostgres({ dataDir });
    return running.url;
  };
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  const remove = async () => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await start();
    await stop();
    // A port that the system gives to no other connection while PostgreSQL is down.
    await choosePort(join(dataDir, 'postgres.url'));
    const url = await start();
    await migrate(url);
    const postmaster = () => Number(readFileSync(join(dataDir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]);
    let first = postmaster();
    return {
      database: { url, drop: async () => {} },
      logFile: join(dataDir, 'postgres.log'),
      get postmaster() {
        return first;
      },
      get isUp() {
        return isRunning(first);
      },
      async loseDisk() {
        if (!(await waitUntilGone(first, 60_000))) throw new Error('the PostgreSQL of this test did not end');
        await stop();
        rmSync(join(dataDir, 'cluster'), { recursive: true });
        rmSync(join(dataDir, 'postgres.url'));
      },
      async startAgain() {
        if (!(await waitUntilGone(first, 60_000))) throw new Error('the PostgreSQL of this test did not end');
        await stop();
        if ((await start()) !== url) throw new Error('the PostgreSQL of this test has another address now');
        first = postmaster();
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function choosePort(urlFile: string): Promise<void> {
  const url = new URL(readFileSync(urlFile, 'utf8').trim());
  url.port = String(await freePort());
  writeFileSync(urlFile, `${url.href}\n`, { mode: 0o600 });
}
