import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';
import { describeSchema, SCHEMA_FILE } from './describe-schema.ts';

test('server/schema.sql is what the migrations add up to; if not, `npm run schema` writes it', async () => {
  const database = await createTestDatabase();
  try {
    expect(await describeSchema(database.url)).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  } finally {
    await database.drop();
  }
});
