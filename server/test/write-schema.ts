import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { migrateSchema } from '../src/platform/migrate.ts';
import { describeSchema, SCHEMA_FILE } from './describe-schema.ts';

/** `npm run schema`: migrates an empty database and writes the resulting schema. */
const dataDir = mkdtempSync(join(tmpdir(), 'raha-schema-'));
const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
try {
  await migrateSchema(postgres.url);
  writeFileSync(SCHEMA_FILE, await describeSchema(postgres.url));
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
