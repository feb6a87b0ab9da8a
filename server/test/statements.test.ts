import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, inTransaction, openDatabase, readRows, readTogether } from '../src/platform/database.ts';
import { prepare, type Statement } from '../src/platform/statements.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { withStatements } from './own-statements.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, { max: 1 });
  await sql`CREATE TABLE note (id integer PRIMARY KEY, text text)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const write = prepare<{ id: number; text: string | null }, { id: number; text: string | null }>(
  ({ id, text }) => sql`INSERT INTO note (id, text) VALUES (${id}, ${text}) RETURNING id, text`,
);
const all = prepare<object, { id: number }>(() => sql`SELECT id FROM note ORDER BY id`);
const failing: Statement<never> = { text: 'SELECT 1 / ($1::int - 1)', values: [1] };
const idsNow = async () => (await readRows(db, all({}))).map(({ id }) => id);

const seenIn = async (work: () => Promise<unknown>) => {
  const seen: string[] = [];
  await withStatements((text, run) => {
    seen.push(text.trim().split(/\s/)[0] as string);
    return run();
  }, work);
  return seen;
};

test('statements that are sent together are answered in their order, the first time and later', async () => {
  for (const id of [1, 3]) {
    const [one, two, nothing, ids] = await readTogether(db, [
      write({ id, text: 'سلام ' }),
      write({ id: id + 1, text: null }),
      { text: 'UPDATE note SET text = text WHERE id = $1', values: [-1] },
      all({}),
    ]);
    expect(one).toEqual([{ id, text: 'سلام ' }]);
    expect(two).toEqual([{ id: id + 1, text: null }]);
    expect(nothing).toEqual([]);
    // Each sees what those before it did.
    expect(ids.map((row) => row.id).slice(-2)).toEqual([id, id + 1]);
  }
});

test('bytes, dates, large numbers, lists and objects arrive as they were', async () => {
  const values = { bytes: Buffer.from([0, 255, 92, 39]), at: new Date(1_700_000_000_123), big: 2n ** 62n };
  const both = prepare<typeof values & { list: readonly string[]; json: object }, object>(
    ({ bytes, at, big, list, json }) => sql`
      SELECT ${bytes}::bytea AS bytes, ${at}::timestamptz AS at, ${big}::bigint AS big, ${list}::text[] AS list, ${json}::jsonb AS json`,
  );
  const list = ['a', '"b"', 'c,d\\', 'ه'];
  expect(await readRows(db, both({ ...values, list, json: { deep: [1] } }))).toEqual([
    { ...values, list, json: { deep: [1] } },
  ]);
});

test('the first that fails ends the rest, what was before it is not kept, and the connection goes on', async () => {
  for (const id of [10, 11]) {
    const before = await idsNow();
    const together = readTogether(db, [write({ id, text: 'lost' }), failing, write({ id: id + 50, text: 'never' })]);
    await expect(together).rejects.toMatchObject({ code: '22012' });
    expect(await idsNow()).toEqual(before);
  }
  // Its text is one that the connection was told and did not accept.
  const wrong: Statement<never> = { text: 'SELECT nothing_like_it FROM note WHERE id = $1', values: [1] };
  for (let turn = 0; turn < 2; turn += 1) await expect(readRows(db, wrong)).rejects.toMatchObject({ code: '42703' });
  expect(await idsNow()).toContain(1);
});

test('a transaction begins with its first statement, and one in which nothing is asked is not sent', async () => {
  expect(await seenIn(() => inTransaction(db, async () => 'nothing'))).toEqual([]);
  expect(await seenIn(() => inTransaction(db, (tx) => readRows(tx, all({}))))).toEqual(['begin', 'SELECT', 'commit']);
  const before = await idsNow();
  const failed = inTransaction(db, async (tx) => {
    await readTogether(tx, [write({ id: 20, text: 'first' }), write({ id: 21, text: 'second' })]);
    throw new Error('changed my mind');
  });
  await expect(failed).rejects.toThrow('changed my mind');
  expect(await idsNow()).toEqual(before);
  const plain = inTransaction(db, async (tx) => {
    // Without parameters.
    await sql`LOCK TABLE note`.execute(tx);
    await sql`DELETE FROM note`.execute(tx);
    throw new Error('changed my mind');
  });
  await expect(plain).rejects.toThrow('changed my mind');
  expect(await idsNow()).toEqual(before);
});

test('a transaction whose first statement fails is rolled back, and the next one is another', async () => {
  const before = await idsNow();
  await expect(inTransaction(db, (tx) => readRows(tx, failing))).rejects.toMatchObject({ code: '22012' });
  await inTransaction(db, (tx) => readRows(tx, write({ id: 30, text: 'kept' })));
  expect(await idsNow()).toEqual([...before, 30]);
});

test('over a pooler no statement has a name', async () => {
  const pooled = openDatabase(database.url, { max: 1, pooled: true });
  try {
    for (const id of [40, 41])
      expect(await readTogether(pooled, [write({ id, text: 'a' }), all({})])).toMatchObject([[{ id }], {}]);
    const { rows } = await sql`SELECT name FROM pg_prepared_statements`.execute(pooled);
    expect(rows).toEqual([]);
  } finally {
    await pooled.destroy();
  }
});

test('a statement that is made once contains nothing of the request that made it', () => {
  const leaking = prepare<{ id: number }, object>(({ id }) => sql`SELECT ${id}::int, ${42}::int`);
  expect(() => leaking({ id: 1 })).toThrow('contains a value');
  const computing = prepare<{ id: number }, object>(({ id }) => sql`SELECT ${id + 1}::int`);
  expect(() => computing({ id: 1 })).toThrow(TypeError);
  expect(write({ id: 1, text: 'x' }).text).toBe(write({ id: 2, text: 'y' }).text);
  const twice = prepare<{ id: number }, object>(({ id }) => sql`SELECT ${id}::int, ${id}::int`);
  expect(twice({ id: 7 })).toMatchObject({ text: 'SELECT $1::int, $1::int', values: [7] });
});
