import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeSettlementFile } from '../../src/adapters/test-bank/settlement.ts';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { reconcileSettlements } from '../../src/modules/settlements/reconcile.ts';
import { selectBalances } from '../balances.ts';
import { inherited } from '../inherited.ts';
import { seedPayments } from '../seed-payments.ts';
import { actor, eventually, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** Imports that run at once, and one that is killed in the middle, in processes of their own. */
const root = join(import.meta.dirname, '../../..');
const directory = mkdtempSync(join(tmpdir(), 'raha-settlement-races-'));
let world: TestWorld;
let content: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await world.proveLedger();
  await world.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Each test has payments of its own: 300 that fit, and a stranger. */
beforeEach(async () => {
  const user = await world.user();
  const at = new Date(Date.now() - 5 * 86_400_000);
  const wanted = Array.from({ length: 300 }, (_, n) => ({ amountToman: BigInt(20_000 + n), at }));
  const payments = await seedPayments(world, user.id, 'idpay', wanted);
  const lines = payments.map(({ reference, session, amountToman }, n) => {
    return {
      reference,
      session,
      amountRial: amountToman * 10n,
      feeRial: 1_200n,
      payout: `P${n % 3}`,
      day: '2026-11-20',
    };
  });
  const stranger = { reference: `5${lines[0]?.reference}`, session: 'x', amountRial: 10n, feeRial: 0n };
  content = writeSettlementFile('idpay', [...lines, { ...stranger, payout: 'P0', day: '2026-11-20' }]);
});

/** `raha settlements import` in its own process. */
function importInProcess(text: string): { child: ChildProcess; ended: Promise<{ code: number | null; out: string }> } {
  const file = join(directory, `${children.length}.csv`);
  writeFileSync(file, text);
  const args = ['server/src/cli.ts', 'settlements', 'import', '--gateway', 'idpay', '--file', file, '--json'];
  const child = spawn(join(root, 'node_modules/.bin/node'), args, {
    cwd: root,
    env: {
      ...inherited,
      DATABASE_URL: world.deps.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      DATA_DIR: directory,
    },
  });
  children.push(child);
  let out = '';
  child.stdout?.on('data', (data) => (out += String(data)));
  child.stderr?.on('data', (data) => (out += String(data)));
  return { child, ended: new Promise((resolve) => child.once('exit', (code) => resolve({ code, out }))) };
}

async function state() {
  const houses = (await selectBalances(world.deps.db)).filter(({ kind }) => kind === 'house');
  const { rows } = await sql<Record<'files' | 'lines' | 'bookings' | 'differences' | 'items' | 'transfers', bigint>>`
    SELECT (SELECT count(*) FROM settlement_file) AS files, (SELECT count(*) FROM settlement_line) AS lines,
      (SELECT count(*) FROM settlement_booking) AS bookings, (SELECT count(*) FROM settlement_difference) AS differences,
      (SELECT count(*) FROM settled_item) AS items, (SELECT count(*) FROM ledger_transfer WHERE kind = 'settlement') AS transfers
  `.execute(world.deps.db);
  const [counts] = rows;
  if (!counts) throw new Error('no counts');
  return { ...counts, books: Object.fromEntries(houses.map(({ code, balance }) => [code, balance])) };
}

describe('imports at once', () => {
  test('the same file in two processes: one does it, the other finds it done', async () => {
    const before = await state();
    const runs = await Promise.all([importInProcess(content).ended, importInProcess(content).ended]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const done = runs.map(({ out }) => JSON.parse(out) as { again: boolean; settled: number; opened: number });
    expect(done.filter(({ again }) => again)).toHaveLength(1);
    expect(done.reduce((sum, { settled }) => sum + settled, 0)).toBe(300);
    const after = await state();
    const more = { files: before.files + 1n, lines: before.lines + 301n, transfers: before.transfers + 3n };
    expect(after).toMatchObject(more);
    await world.proveLedger();
  });

  test('overlapping files in two connections, and the schedule beside them: every line once', async () => {
    const [head = '', ...lines] = content.split('\n');
    const part = (from: number, to?: number) => Buffer.from([head, ...lines.slice(from, to)].join('\n'));
    const order = { actor, gateway: 'idpay', name: 'part.csv' } as const;
    const done = await Promise.all([
      importSettlementFile(world.deps, { ...order, bytes: part(0, 200) }),
      importSettlementFile(world.deps, { ...order, bytes: part(100) }),
      reconcileSettlements(world.deps),
      importSettlementFile(world.deps, { ...order, bytes: part(50, 250) }),
      reconcileSettlements(world.deps),
    ]);
    const imported = done.filter((each) => each !== undefined);
    expect(imported.reduce((sum, { newLines }) => sum + newLines, 0)).toBe(301);
    expect(imported.reduce((sum, { settled }) => sum + settled, 0)).toBe(300);
    expect(imported.reduce((sum, { opened }) => sum + opened, 0)).toBe(1);
    await world.proveLedger();
  });
});

test('an import that is killed in the middle leaves nothing half, and can be repeated', async () => {
  const before = await state();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Differences are written last: the import waits here with lines, transfers and bookings written.
  let isHeld: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const lock = world.deps.db.transaction().execute(async (tx) => {
    await sql`LOCK TABLE settlement_difference IN EXCLUSIVE MODE`.execute(tx);
    isHeld();
    await released;
  });
  await held;
  const { child, ended } = importInProcess(content);
  const waiting = async () => {
    const { rows } = await sql<{ waiting: boolean }>`
      SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'settlement_difference'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS waiting
    `.execute(world.deps.db);
    return rows[0]?.waiting === true;
  };
  await eventually(waiting);
  child.kill('SIGKILL');
  await ended;
  release();
  await lock;
  await eventually(async () => !(await waiting()));
  // The next import waits until the killed one's transaction is gone.
  await reconcileSettlements(world.deps);
  expect(await state()).toEqual(before);
  await world.proveLedger();
  const again = await importInProcess(content).ended;
  expect(JSON.parse(again.out)).toMatchObject({ again: false, newLines: 301, settled: 300, opened: 1 });
  await world.proveLedger();
});
