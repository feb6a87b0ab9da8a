import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/app/migrate.ts';
import { startEmbeddedPostgres, stopAbandonedPostgres } from '../src/platform/embedded-postgres.ts';

/** Prefix of the directories in which a run keeps its PostgreSQL; used to find what a killed run left. */
export const PREFIX = 'raha-test-postgres-';
export const TEMPLATE_DATABASE = 'raha_template';

/** Vitest's global set-up of the flow tests: one cluster per run, with one migrated database to clone from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned();
  const dataDir = mkdtempSync(join(tmpdir(), PREFIX));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  const template = new URL(postgres.url);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  await migrate(template.href);
  project.provide('postgresUrl', postgres.url);
  return async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
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
