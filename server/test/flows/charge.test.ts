import { chargeToman } from '@raha/contract/money.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/database.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

/** The price of bytes is computed twice: `chargeToman` in TypeScript, `charge_toman` (migration 0005) in SQL. */
let own: TestDatabase;
let db: Database;

beforeAll(async () => {
  own = await createTestDatabase();
  db = openDatabase(own.url, { max: 1 });
});
afterAll(async () => {
  await db.destroy();
  await own.drop();
});

const BATCHES = 10;
const BATCH = 100_000;
const MAX_BYTES = 2n ** 53n;
const MAX_PRICE = 10n ** 9n;

/** xorshift64*, so that a failure can be reproduced from its seed. */
function randomBits(seed: bigint): () => bigint {
  let state = BigInt.asUintN(64, seed) || 1n;
  return () => {
    state ^= state >> 12n;
    state = BigInt.asUintN(64, state ^ (state << 25n));
    state ^= state >> 27n;
    return BigInt.asUintN(64, state * 0x2545f4914f6cdd1dn);
  };
}

test('both give the same toman for a million random byte counts and prices', async () => {
  const seed = BigInt(Date.now());
  const next = randomBits(seed);
  // Every magnitude is equally likely, because rounding shows in small numbers.
  const upTo = (max: bigint) => (next() >> (next() % 64n)) % max;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const cases = Array.from({ length: BATCH }, () => {
      const [bytes, price] = [upTo(MAX_BYTES), upTo(MAX_PRICE + 1n)];
      return { bytes, price, toman: chargeToman(bytes, price) };
    });
    const { rows } = await sql<{ bytes: bigint; price: bigint; toman: bigint; got: bigint }>`
      SELECT bytes, price, toman, charge_toman(bytes, price) AS got FROM unnest(
        ${cases.map(({ bytes }) => String(bytes))}::bigint[], ${cases.map(({ price }) => String(price))}::bigint[],
        ${cases.map(({ toman }) => String(toman))}::bigint[]
      ) AS i (bytes, price, toman) WHERE charge_toman(bytes, price) <> toman LIMIT 5
    `.execute(db);
    expect(rows, `seed ${seed}`).toEqual([]);
  }
});

test.each([
  [0n, MAX_PRICE],
  [MAX_BYTES - 1n, MAX_PRICE],
  [999_999n, 1n],
  [1_000_000n, 999_999n],
  [10n ** 12n - 1n, 1n],
])('both give the same at the edges: %d bytes at %d', async (bytes, price) => {
  const { rows } = await sql<{ toman: bigint }>`
    SELECT charge_toman(${bytes}::bigint, ${price}::bigint) AS toman
  `.execute(db);
  expect(rows[0]?.toman).toBe(chargeToman(bytes, price));
});
