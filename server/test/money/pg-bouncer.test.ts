import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkPool } from '../../src/app/doctor/pool.ts';
import { readConfig } from '../../src/platform/config.ts';
import { byIndex, type Database, inTransaction, openDatabase, readSessionFacts } from '../../src/platform/database.ts';
import { type DebianPostgres, startDebianPostgres } from './debian-postgres.ts';
import { type PgBouncer, startPgBouncer } from './pg-bouncer.ts';

/** Many callers on few connections of Debian's PgBouncer in transaction mode. Journeys over it: `npm run test:servers`. */
let postgres: DebianPostgres;
let pool: PgBouncer;
let bare: PgBouncer;
let db: Database;
beforeAll(async () => {
  postgres = await startDebianPostgres();
  const url = await postgres.makeDatabase('raha');
  pool = await startPgBouncer(url, { connections: 2 });
  bare = await startPgBouncer(url, { limits: '' });
  db = openDatabase(pool.url, { pooled: true, statementMs: 1_000 });
  await sql`CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)`.execute(db);
  await sql`INSERT INTO account VALUES (1, 0), (2, 0)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await Promise.all([pool.stop(), bare.stop()]);
  await postgres.stop();
});

test('transactions of twenty callers take turns on two connections, each statement with its parameters', async () => {
  const move = (n: number) =>
    inTransaction(db, async (tx) => {
      await sql`UPDATE account SET balance = balance + ${n} WHERE id = ${1}`.execute(tx);
      await sql`UPDATE account SET balance = balance - ${n} WHERE id = ${2}`.execute(tx);
    });
  await Promise.all(Array.from({ length: 100 }, (_, n) => move(n + 1)));
  const { rows } = await sql<{ balance: number }>`SELECT balance FROM account WHERE id > ${0} ORDER BY id`.execute(db);
  expect(rows).toEqual([{ balance: 5_050 }, { balance: -5_050 }]);
});

test('what a transaction asks of its session is gone after it; limit and planner are those of PgBouncer', async () => {
  await inTransaction(db, byIndex);
  const { rows } = await sql<{ on: string }>`SELECT current_setting('enable_seqscan') AS on`.execute(db);
  expect(rows).toEqual([{ on: 'on' }]);
  expect(await readSessionFacts(db)).toEqual({ limitMs: 60_000, pageCost: 1.1 });
});

test('the doctor says what PgBouncer lacks, and that it is not there', async () => {
  const check = async (poolUrl: string) =>
    (await checkPool({ config: readConfig({ DATABASE_URL: pool.url, DATABASE_POOL_URL: poolUrl }) })).map(
      ({ sentence }) => sentence,
    );
  expect(await check(pool.url)).toEqual([expect.stringMatching(/answers/)]);
  expect(await check(bare.url)).toEqual([
    expect.stringMatching(/No statement has a limit/),
    expect.stringMatching(/random_page_cost is 4/),
  ]);
  expect(await check('postgres://raha@127.0.0.1:9/raha')).toEqual([expect.stringMatching(/does not answer/)]);
});
