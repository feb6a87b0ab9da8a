import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';

test('every test has a migrated database to itself', async () => {
  const databases = await Promise.all(Array.from({ length: 4 }, createTestDatabase));
  expect(new Set(databases.map((database) => database.url)).size).toBe(4);
  const client = new pg.Client(databases[0]?.url);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(`SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'`);
  expect(rows[0].count).toBeGreaterThan(0);
  await Promise.all(databases.map((database) => database.drop()));
});
