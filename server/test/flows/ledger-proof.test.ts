import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger, shareOut } from '../../src/app/check-ledger.ts';
import { proveNew, proveWhole } from '../../src/app/prove-ledger.ts';
import { listProvedMonths, readProofState, readProofs } from '../../src/modules/ledger/proofs.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { addSeconds, manualClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/database.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

let world: TestWorld;
let walletId: string;
let start: Date;
beforeAll(async () => {
  world = await openTestWorld();
  start = world.deps.clock.now();
  walletId = (await getUserAccounts(world.deps.db, (await world.user()).id)).walletId;
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

/** As a database owner could do it, past every trigger. */
async function forge(statement: string): Promise<void> {
  for (const [table, action] of [
    ['ledger_entry', 'DISABLE'],
    ['ledger_transfer', 'DISABLE'],
  ])
    await sql.raw(`ALTER TABLE ${table} ${action} TRIGGER USER`).execute(world.deps.db);
  await sql.raw(statement.replaceAll('$wallet', `'${walletId}'`)).execute(world.deps.db);
  for (const table of ['ledger_entry', 'ledger_transfer'])
    await sql.raw(`ALTER TABLE ${table} ENABLE TRIGGER USER`).execute(world.deps.db);
}

const broken = async (since?: Date) =>
  (await checkLedger(world.deps.db, since && { since })).violations.map(({ invariant }) => invariant.split(' ')[0]);

describe.each([
  [
    'an amount changed',
    'UPDATE ledger_entry SET amount = amount + 1 WHERE account_id = $wallet',
    'UPDATE ledger_entry SET amount = amount - 1 WHERE account_id = $wallet',
    ['L1', 'L2', 'L4'],
  ],
  [
    'a balance changed',
    'UPDATE ledger_account SET balance = balance + 1 WHERE id = $wallet',
    'UPDATE ledger_account SET balance = balance - 1 WHERE id = $wallet',
    ['L3'],
  ],
  [
    'a version skipped',
    'UPDATE ledger_entry SET account_version = account_version + 5 WHERE account_id = $wallet',
    'UPDATE ledger_entry SET account_version = account_version - 5 WHERE account_id = $wallet',
    ['L3', 'L4'],
  ],
])('%s', (_what, forgery, undo, names) => {
  test('is found by the whole proof and by that of the last minute, but not by one that begins later', async () => {
    await forge(forgery);
    const now = world.deps.clock.now();
    expect(await broken()).toEqual(expect.arrayContaining(names));
    expect(await broken(addSeconds(now, -600))).toEqual(expect.arrayContaining(names));
    const later = await broken(addSeconds(now, 600));
    for (const name of names) expect(later).not.toContain(name);
    await forge(undo);
    expect(await broken()).toEqual([]);
  });
});

test('the minute’s proof covers what is new, the daily one every month; after a violation both are repeated', async () => {
  const clock = manualClock(world.deps.clock.now());
  const deps = { ...world.deps, clock };
  const state = () => readProofState(world.deps.db);
  expect(await state()).toMatchObject({ lastAt: null, wholeAt: null });
  expect(await proveNew(deps)).toEqual([]);
  expect(await proveWhole(deps)).toBe(1);
  const first = clock.now();
  expect(await state()).toEqual({ violations: 0, lastAt: first, wholeAt: first });
  clock.advance(3_600_000);
  expect(await proveNew(deps)).toEqual([]);
  clock.advance(3_600_000);
  // Far older than the last proof, so the minute's proof does not look there.
  await forge('UPDATE ledger_entry SET balance_after = balance_after + 1 WHERE account_id = $wallet');
  expect(await proveNew(deps)).toEqual([]);
  expect(await proveWhole(deps)).toBe(0);
  expect(await state()).toEqual({ violations: 0, lastAt: clock.now(), wholeAt: first });
  clock.advance(86_400_000);
  await proveWhole(deps);
  expect((await state()).violations).toBeGreaterThan(0);
  clock.advance(60_000);
  await proveWhole(deps);
  expect(await state()).toMatchObject({ wholeAt: first });
  await forge('UPDATE ledger_entry SET balance_after = balance_after - 1 WHERE account_id = $wallet');
  await proveWhole(deps);
  expect(await state()).toMatchObject({ violations: 0, wholeAt: clock.now() });
});

test('what is wrong stays in the time of the minute’s proof until it is mended, also for another process', async () => {
  const clock = manualClock(start);
  const deps = { ...world.deps, clock };
  await proveNew(deps);
  await forge('UPDATE ledger_account SET balance = balance + 1 WHERE id = $wallet');
  await sql`UPDATE ledger_proof SET proved_at = ${clock.now()} WHERE part = 'new'`.execute(world.deps.db);
  expect(await proveNew(deps)).toContain('L3');
  clock.advance(3_600_000);
  expect(await proveNew({ ...deps })).toContain('L3');
  expect((await readProofState(world.deps.db)).violations).toBeGreaterThan(0);
  await forge('UPDATE ledger_account SET balance = balance - 1 WHERE id = $wallet');
  expect(await proveNew(deps)).toEqual([]);
});

test('what a transaction wrote that was open at a proof is looked at by the next one, however long it took', async () => {
  const clock = manualClock(start);
  const deps = { ...world.deps, clock };
  const other = openDatabase(world.deps.databaseUrl, { max: 1 });
  try {
    await other.transaction().execute(async (tx) => {
      await sql`SELECT pg_sleep(1.1)`.execute(tx);
      await proveNew(deps);
    });
    expect((await readProofs(world.deps.db)).get('new')?.proved_at?.getTime()).toBeLessThan(start.getTime() - 1_000);
  } finally {
    await other.destroy();
  }
});

test('the months of the proof follow each other, from the beginning of time to no end', async () => {
  const months = await listProvedMonths(world.deps.db, addSeconds(world.deps.clock.now(), 100 * 86_400));
  expect(months.length).toBeGreaterThan(2);
  expect(months[0]?.since).toEqual(new Date(0));
  expect(months.at(-1)?.until).toBeUndefined();
  for (const [at, { until }] of months.slice(0, -1).entries()) expect(months[at + 1]?.since).toEqual(until);
});

test('the state of each wallet is proved with one month, whenever its user signed up and however many months there are', async () => {
  const { db, clock } = world.deps;
  const foundIn = async (wallet: string, now: Date) => {
    await sql`UPDATE ledger_account SET reserved = reserved + 1 WHERE id = ${wallet}`.execute(db);
    const months = await shareOut(db, await listProvedMonths(db, now));
    const found: number[] = [];
    for (const [at, month] of months.entries()) {
      const { violations } = await checkLedger(db, month);
      if (violations.some(({ invariant }) => invariant.startsWith('L15 '))) found.push(at);
    }
    await sql`UPDATE ledger_account SET reserved = reserved - 1 WHERE id = ${wallet}`.execute(db);
    return found;
  };
  const wallets = [walletId];
  for (let count = 0; count < 3; count += 1)
    wallets.push((await getUserAccounts(db, (await world.user()).id)).walletId);
  const [now, later] = [clock.now(), addSeconds(clock.now(), 120 * 86_400)];
  const inLater: number[] = [];
  for (const wallet of wallets) {
    expect(await foundIn(wallet, now)).toHaveLength(1);
    const found = await foundIn(wallet, later);
    expect(found).toHaveLength(1);
    inLater.push(...found);
  }
  // Four who signed up on the same day are shared out among the months.
  expect(new Set(inLater).size).toBeGreaterThan(2);
});
