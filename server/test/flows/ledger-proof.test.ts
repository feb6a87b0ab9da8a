import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { createLedgerProof } from '../../src/app/prove-ledger.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { addSeconds, manualClock } from '../../src/platform/clock.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

let world: TestWorld;
let walletId: string;
beforeAll(async () => {
  world = await openTestWorld();
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
  (await checkLedger(world.deps.db, since)).violations.map(({ invariant }) => invariant.split(' ')[0]);

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

test('the minute’s proof covers what is new, the daily one everything; after a violation the whole proof is repeated', async () => {
  const clock = manualClock(world.deps.clock.now());
  const counts: number[] = [];
  const prove = createLedgerProof({ ...world.deps, clock }, (count) => counts.push(count));
  await prove();
  clock.advance(3_600_000);
  await prove();
  // Far older than the last proof, so the minute's proof does not look there.
  await forge('UPDATE ledger_entry SET balance_after = balance_after + 1 WHERE account_id = $wallet');
  clock.advance(3_600_000);
  await prove();
  expect(counts).toEqual([0, 0, 0]);
  clock.advance(86_400_000);
  await prove();
  expect(counts[3]).toBeGreaterThan(0);
  clock.advance(60_000);
  await prove();
  expect(counts[4]).toBe(counts[3]);
  await forge('UPDATE ledger_entry SET balance_after = balance_after - 1 WHERE account_id = $wallet');
  await prove();
  expect(counts[5]).toBe(0);
});
