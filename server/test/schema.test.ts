import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';
import { describeSchema, SCHEMA_FILE } from './describe-schema.ts';

test('server/schema.sql is the result of the migrations; if not, run `npm run schema`', async () => {
  const database = await createTestDatabase();
  try {
    expect(await describeSchema(database.url)).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  } finally {
    await database.drop();
  }
});
