import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type Bus, openBus } from '../src/platform/bus.ts';
import { type Database, inTransaction, openDatabase } from '../src/platform/database.ts';
import { createLog } from '../src/platform/log.ts';
import { defineSetting, getSetting, keepSettings, setSetting } from '../src/platform/settings.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { costOf } from './scale/counters.ts';

/** Two processes of one installation: each keeps the settings in memory. */
const price = defineSetting('test.price', z.int(), 3);
let database: TestDatabase;
let here: { db: Database; bus: Bus };
let there: { db: Database; bus: Bus };
const now = new Date('2026-11-24T12:00:00Z');

beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLog('silent');
  const open = async () => {
    const db = openDatabase(database.url);
    const bus = await openBus(database.url, db, log);
    keepSettings(db, bus);
    return { db, bus };
  };
  here = await open();
  there = await open();
});
afterAll(async () => {
  for (const { db, bus } of [here, there]) {
    await bus.close();
    await db.destroy();
  }
  await database.drop();
});

test('a setting that was read once costs no query', async () => {
  await getSetting(here.db, price);
  const cost = await costOf(here.db, async () => {
    expect(await getSetting(here.db, price)).toBe(3);
    expect(await inTransaction(here.db, (tx) => getSetting(tx, price))).toBe(3);
  });
  expect(cost.queries).toBe(0);
});

test('a change is seen at once by the process that makes it, and soon by the others', async () => {
  expect(await getSetting(there.db, price)).toBe(3);
  await setSetting(here.db, price, '4', now);
  expect(await getSetting(here.db, price)).toBe(4);
  await expect.poll(() => getSetting(there.db, price)).toBe(4);
});

test('a transaction sees its own change, and nobody else before it commits or after it fails', async () => {
  const failing = inTransaction(here.db, async (tx) => {
    await setSetting(tx, price, '5', now);
    expect(await getSetting(tx, price)).toBe(5);
    expect(await getSetting(here.db, price)).toBe(4);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await getSetting(here.db, price)).toBe(4);
  await inTransaction(here.db, async (tx) => {
    await setSetting(tx, price, '6', now);
    // Read again by others, before the change is there to be read.
    expect(await getSetting(here.db, price)).toBe(4);
  });
  await expect.poll(() => getSetting(here.db, price)).toBe(6);
});

test('what was being read while it changed is not kept', async () => {
  await setSetting(here.db, price, '7', now);
  const slow = getSetting(here.db, price);
  await setSetting(here.db, price, '8', now);
  expect([7, 8]).toContain(await slow);
  expect(await getSetting(here.db, price)).toBe(8);
});
