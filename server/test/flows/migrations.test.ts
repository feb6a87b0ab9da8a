import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { house } from '../../src/modules/ledger/house.ts';
import { migrateSchema, runMigration } from '../../src/platform/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { addUuidv7 } from '../uuidv7.ts';

/** How migrations run: in steps, over each other and over kills, and while others write. */
/** `npm run test:long` upgrades a ledger of a million rows, and says how long a call had to wait. */
const ROWS = Number(process.env.UPGRADE_ROWS ?? 20_000);
/** The last migration of the release before. */
const BEFORE = '0057_store_addresses';

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  client = new pg.Client(database.url);
  await client.connect();
  await client.query(
    'CREATE TABLE kysely_migration (name varchar(255) PRIMARY KEY, "timestamp" varchar(255) NOT NULL)',
  );
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const rowsOf = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows.flat().map(String);

test('a migration in steps goes on where it ended', async () => {
  const text = `-- Why.
-- step
CREATE TABLE made AS SELECT n, NULL::int AS twice FROM generate_series(1, 10) n;
-- step: repeat
UPDATE made SET twice = 2 * n WHERE n IN (SELECT n FROM made WHERE twice IS NULL LIMIT 3);
-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS made_n;
CREATE INDEX CONCURRENTLY made_n ON made (n);
-- step
SELECT $;
-- step
ALTER TABLE made ADD COLUMN last int DEFAULT 7;
`;
  await expect(runMigration(client, 'test', text)).rejects.toThrow(/syntax/);
  const marks = await rowsOf('SELECT name FROM kysely_migration ORDER BY 1');
  expect(marks).toEqual(['test step 1', 'test step 2', 'test step 3']);
  await runMigration(client, 'test', text.replace('SELECT $', 'SELECT 1'), new Set(marks));
  expect(await rowsOf('SELECT name FROM kysely_migration')).toEqual(['test']);
  expect(await rowsOf('SELECT sum(twice), sum(last) FROM made')).toEqual(['110', '70']);
});

test('a file without steps is one transaction', async () => {
  const text = 'CREATE TABLE made (n int);\nSELECT $;';
  await expect(runMigration(client, 'test', text)).rejects.toThrow(/syntax/);
  expect(await rowsOf(`SELECT to_regclass('made') IS NULL`)).toEqual(['true']);
});

test('a change that would wait for a long reader gives way, and is made after it', async () => {
  await client.query('CREATE TABLE made (n int)');
  const reader = new pg.Client(database.url);
  await reader.connect();
  await reader.query('BEGIN; SELECT * FROM made');
  const migrated = runMigration(client, 'test', 'ALTER TABLE made ADD COLUMN more int;');
  // Longer than a change waits for its lock.
  await sleep(2_500);
  await reader.query('COMMIT');
  await reader.end();
  await migrated;
  expect(await rowsOf(`SELECT count(more) FROM made`)).toEqual(['0']);
});

test('two processes at once migrate once', async () => {
  await client.query('DROP TABLE kysely_migration');
  await Promise.all([
    migrateSchema(database.url, { to: '0005_metering' }),
    migrateSchema(database.url, { to: '0005_metering' }),
  ]);
  expect(await rowsOf('SELECT count(*) FROM kysely_migration')).toEqual(['5']);
});

test('a ledger is upgraded while usage is booked: nothing is lost, every transfer gets its day', {
  timeout: 1_200_000,
}, async () => {
  await client.query('DROP TABLE kysely_migration');
  await migrateSchema(database.url, { to: BEFORE });
  await addUuidv7(client);
  const both = `'${house.adjustment}', '${house.writeOff}'`;
  await client.query(`
    CREATE TEMP TABLE made AS SELECT uuidv7(-(n * interval '1 minute')) AS id, now() - n * interval '1 minute' AS at FROM generate_series(1, ${ROWS / 2}) n;
    INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at) SELECT id, 'usage', 'made', id, 'charge', at FROM made;
    INSERT INTO ledger_entry (transfer_id, account_id, amount)
    SELECT id, account, CASE account WHEN '${house.adjustment}' THEN 1 ELSE -1 END FROM made, unnest(ARRAY[${both}]::uuid[]) account`);
  const writer = new pg.Client(database.url);
  await writer.connect();
  let [isOver, written, longest] = [false, 0, 0];
  const writing = (async () => {
    while (!isOver) {
      const begin = performance.now();
      await writer.query(`
        WITH transfer AS (
          INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
          VALUES (uuidv7(), 'usage', 'written', '${written}', 'charge', now()) RETURNING id
        ) INSERT INTO ledger_entry (transfer_id, account_id, amount)
        SELECT id, account, CASE account WHEN '${house.adjustment}' THEN 1 ELSE -1 END FROM transfer, unnest(ARRAY[${both}]::uuid[]) account`);
      longest = Math.max(longest, performance.now() - begin);
      written += 1;
    }
  })();
  const begin = performance.now();
  await migrateSchema(database.url);
  const seconds = (performance.now() - begin) / 1_000;
  isOver = true;
  await writing;
  await writer.end();
  console.log(
    `upgrade of ${ROWS} ledger rows: ${seconds.toFixed(1)} s; meanwhile ${written} bookings, the slowest ${longest.toFixed(0)} ms`,
  );
  expect(await rowsOf(`SELECT count(*) FROM ledger_transfer WHERE source_type = 'written'`)).toEqual([String(written)]);
  expect(await rowsOf(`SELECT count(*), count(booked_on) FROM ledger_transfer WHERE source_type = 'made'`)).toEqual(
    Array(2).fill(String(ROWS / 2)),
  );
  expect(
    await rowsOf(
      `SELECT count(*) FROM ledger_transfer WHERE booked_on <> (created_at AT TIME ZONE 'Asia/Tehran')::date`,
    ),
  ).toEqual(['0']);
});
