import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { listMonths } from '../src/modules/books/close-month.ts';
import { reportMonth } from '../src/modules/books/month-report.ts';
import { exportJournal } from '../src/modules/ledger/export-journal.ts';
import { selectBalances } from './balances.ts';
import type { TestWorld } from './world.ts';

export const hasHledger = spawnSync('hledger', ['--version']).status === 0;

/** What hledger computes of a journal: every account with its balance. */
export function hledgerBalances(file: string, ...options: string[]): Map<string, bigint> {
  const command = ['-f', file, 'balance', '--flat', '--no-total', '--output-format', 'csv', ...options];
  const { status, stdout, stderr } = spawnSync('hledger', command, { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const rows = stdout.trim().split('\n').slice(1);
  const cells = rows.map((row) => row.split('","').map((cell) => cell.replaceAll('"', '')));
  return new Map(cells.map(([account = '', amount = '']) => [account, BigInt(amount.replace(' toman', ''))]));
}

/** Compares all balances, and each month's journal with the months before and after it and with the report. */
export async function compareWithHledger({ deps }: Pick<TestWorld, 'deps'>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'raha-hledger-'));
  const balancesOf = async (days?: Parameters<typeof exportJournal>[2]) => {
    const parts: string[] = [];
    await exportJournal(deps.db, async (part) => void parts.push(part), days);
    const file = join(directory, 'raha.journal');
    writeFileSync(file, parts.join(''));
    return (...options: string[]) => hledgerBalances(file, ...options);
  };
  try {
    const ours = (await selectBalances(deps.db)).filter(({ balance }) => balance !== 0n);
    expect((await balancesOf())()).toEqual(new Map(ours.map(({ code, balance }) => [code, balance])));
    let opening = new Map<string, bigint>();
    for (const { month, from, to } of await listMonths(deps)) {
      const balances = await balancesOf({ from, to });
      expect(balances('desc:opening balances'), month).toEqual(opening);
      opening = balances();
      expectSame(month, opening, (await reportMonth(deps.db, month)).closing);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The report has the accounts of all users as two sums. */
function expectSame(
  month: string,
  theirs: ReadonlyMap<string, bigint>,
  ours: readonly { readonly account: string; readonly toman: bigint }[],
): void {
  const isOfHouse = (account: string) => !account.startsWith('user');
  expect(new Map([...theirs].filter(([account]) => isOfHouse(account))), month).toEqual(
    new Map(ours.filter(({ account }) => isOfHouse(account)).map(({ account, toman }) => [account, toman])),
  );
  const sumOf = (rows: readonly (readonly [string, bigint])[]) =>
    rows.filter(([account]) => !isOfHouse(account)).reduce((sum, [, toman]) => sum + toman, 0n);
  expect(sumOf([...theirs]), month).toBe(sumOf(ours.map(({ account, toman }) => [account, toman])));
}
