import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueGiftCards } from '../../src/modules/gift-cards/issue-cards.ts';
import { monthOf, nextMonth } from '../../src/modules/ledger/jalali-month.ts';
import { adjustBalance } from '../../src/modules/wallet/correct-books.ts';
import { addDays, systemClock } from '../../src/platform/clock.ts';
import { inherited } from '../inherited.ts';
import { makeUser } from '../money/bench.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** The accountant's commands, as they are typed: cards that are sold, the month, closing it. */
const directory = mkdtempSync(join(tmpdir(), 'raha-books-'));
let world: TestWorld;
let last: string;

beforeAll(async () => {
  world = await openTestWorld();
  const { email } = await makeUser(world);
  // Something of the month before this one.
  // In Tehran, ten minutes after its midnight, as closing counts days.
  const today = addDays(systemClock.now(), (3.5 - 1 / 6) / 24)
    .toISOString()
    .slice(0, 10);
  last = nextMonth(monthOf(today), -1);
  const clock = { now: () => addDays(systemClock.now(), -31) };
  const correction = { actor, operator: 'tests', reason: 'tests', email, amountToman: 5_000n };
  await adjustBalance({ ...world.deps, clock }, { ...correction, day: monthDay(last) });
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await world.proveLedger();
  await world.close();
});

/** A day in the middle of a month. */
function monthDay(month: string): string {
  for (let back = 0; ; back += 1) {
    const day = addDays(systemClock.now(), -back).toISOString().slice(0, 10);
    if (monthOf(day) === month) return day;
  }
}

function raha(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../src/cli.ts'), ...args],
    {
      encoding: 'utf8',
      env: {
        ...inherited,
        DATABASE_URL: world.deps.databaseUrl,
        MASTER_KEY: 'a master key for tests, of no other use',
        DATA_DIR: directory,
        USD_RATE_TOMAN: '80000',
      },
    },
  );
  return { status, stdout, stderr };
}

function done(...args: string[]): string {
  const { status, stdout, stderr } = raha(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

test('a batch is sold, paid in part, and the rest written off', async () => {
  const { batchId } = await issueGiftCards(world.deps, { count: 2, usdCents: 100 });
  const by = ['--batch', batchId, '--by', 'sara', '--reason', 'order 17'];
  expect(done('gift-cards', 'sold', ...by, '--to', 'a shop', '--toman', '100000')).toContain(
    '2 cards are sold to a shop',
  );
  expect(done('gift-cards', 'paid', ...by, '--toman', '90000')).toContain('10000 are still owed');
  expect(raha('writeoff', 'cards', ...by, '--toman', '10001')).toMatchObject({
    status: 1,
    stderr: `For the batch ${batchId} 10000 toman are owed.\n`,
  });
  done('writeoff', 'cards', ...by, '--toman', '10000');
  const [head, row] = done('report', 'cards', '--csv').split('\n');
  expect(head).toMatch(/^batch,buyer,sold_at,toman,paid,written_off,owed,/);
  expect(row).toContain(`${batchId},a shop,`);
  expect(row).toContain(',100000,90000,10000,0,2,');
});

test('the month is reported, written for hledger, and closed once', () => {
  const month = ['--jalali', last];
  expect(done('report', 'month', ...month)).toMatch(/corrections\tadjusted in favour of users\t5000\n/);
  expect(done('report', 'month', ...month, '--csv')).toContain('at the end,user_wallet,5000');
  expect(done('report', 'invoices', ...month)).toBe('Nothing in this time.\n');
  const file = join(directory, 'month.journal');
  expect(done('books', 'journal', ...month, '--out', file)).toContain(`1 transfers of ${last}`);
  expect(readFileSync(file, 'utf8')).toContain('adjustment correction');
  expect(done('books', 'list')).toContain(`${last}\t`);
  expect(done('books', 'close', ...month, '--by', 'sara')).toBe(`The month ${last} is closed.\n`);
  expect(done('books', 'close', ...month, '--by', 'sara')).toBe(`The month ${last} was closed already.\n`);
  expect(done('books', 'list')).toMatch(/\tclosed\t1\t.*\tsara\n/);
  expect(raha('books', 'close', '--jalali', nextMonth(last), '--by', 'sara')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not over: its last day is '),
  });
  expect(raha('books', 'close', '--jalali', '1405-14', '--by', 'sara')).toMatchObject({
    status: 1,
    stderr: '--jalali takes a Jalali month such as 1405-08.\n',
  });
});
