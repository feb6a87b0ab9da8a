import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/app/migrate.ts';
import { startEmbeddedPostgres, stopAbandonedPostgres } from '../src/platform/embedded-postgres.ts';
import { startDebianPostgres } from './money/debian-postgres.ts';
import { addUuidv7 } from './uuidv7.ts';

/** Prefix of the directories in which a run keeps its PostgreSQL; used to find what a killed run left. */
export const PREFIX = 'raha-test-postgres-';
export const TEMPLATE_DATABASE = 'raha_template';

/**
 * Vitest's global set-up of the flow tests: one cluster per run, with one migrated database to clone from. With
 * TEST_POSTGRES=debian (`npm run test:postgres`) it is the PostgreSQL of the distribution, 15 on Debian 12, instead of our own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned();
  const isDebian = process.env.TEST_POSTGRES === 'debian';
  const postgres = isDebian ? await openDebian() : await openEmbedded();
  await asClient(postgres.url, (client) => client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`));
  const template = new URL(postgres.url);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  await migrate(template.href);
  if (isDebian) await asClient(template.href, addUuidv7);
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}

interface Cluster {
  readonly url: string;
  stop(): Promise<void>;
}

async function openEmbedded(): Promise<Cluster> {
  const dataDir = mkdtempSync(join(tmpdir(), PREFIX));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openDebian(): Promise<Cluster> {
  const postgres = await startDebianPostgres();
  await postgres.allowDatabases();
  return { url: await postgres.makeDatabase('raha'), stop: () => postgres.stop() };
}

async function asClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await work(client);
  await client.end();
}

/** Removes what killed runs left. */
async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const dataDir = join(tmpdir(), name);
    try {
      await stopAbandonedPostgres(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    } catch {
      // Another run is using it.
    }
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of this run. Its `raha` database is used only to create others. */
    postgresUrl: string;
  }
}
