import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { listSettlementDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { resolveDifference } from '../../src/modules/settlements/resolve-difference.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { selectBalances } from '../balances.ts';
import { inherited } from '../inherited.ts';
import { type SeededPayment, seedPayments, seedRefund } from '../seed-payments.ts';
import { actor, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** Differences as the operator meets them, on the command line: listed, solved by what comes later, resolved. */
const directory = mkdtempSync(join(tmpdir(), 'raha-differences-'));
const hledger = spawnSync('hledger', ['--version']).status === 0;
const DAY_MS = 86_400_000;
const PAID_AT = new Date(Date.now() - 10 * DAY_MS);
let world: TestWorld;
let userId: string;

beforeAll(async () => {
  world = await openTestWorld({ clock: manualClock(new Date()) });
  userId = (await world.user()).id;
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
  rmSync(directory, { recursive: true, force: true });
});

function raha(...args: string[]): { code: number | null; out: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../src/cli.ts'), ...args],
    {
      encoding: 'utf8',
      env: {
        ...inherited,
        DATABASE_URL: world.deps.databaseUrl,
        MASTER_KEY: TEST_MASTER_KEY,
        DATA_DIR: directory,
      },
    },
  );
  return { code: status, out: stdout.trim(), errors: stderr.trim() };
}

let files = 0;
const isoDay = (days: number) => new Date(Date.now() - days * DAY_MS + 3.5 * 3_600_000).toISOString().slice(0, 10);

const fileOf = (rows: readonly string[]) => ['ref_id,amount (rial),fee (rial),payout,date', ...rows].join('\n');

async function importText(text: string) {
  files += 1;
  const order = { actor, gateway: 'zarinpal', name: `${files}.csv`, bytes: Buffer.from(text) } as const;
  return await importSettlementFile(world.deps, { ...order, from: isoDay(10), to: isoDay(0) });
}

/** Imports lines of reference, rial amount and rial fee, in a file that covers the last days. */
async function importLines(lines: readonly (readonly [string, bigint, bigint])[]) {
  return await importText(
    fileOf(lines.map(([reference, amount, fee]) => `${reference},${amount},${fee},P${files + 1},${isoDay(9)}`)),
  );
}

const listed = (all = false) => listSettlementDifferences(world.deps, { gateway: 'zarinpal', all });

const pay = async (amountToman: bigint): Promise<SeededPayment> => {
  const [payment] = await seedPayments(world, userId, 'zarinpal', [{ amountToman, at: PAID_AT }]);
  return payment as SeededPayment;
};

async function houses() {
  const balances = new Map((await selectBalances(world.deps.db)).map(({ code, balance }) => [code, balance]));
  const of = (code: string) => -(balances.get(code) ?? 0n);
  return {
    clearing: of('gateway:zarinpal:clearing'),
    bank: of('bank'),
    fee: of('fee'),
    odd: of('settlement:difference'),
  };
}

/** Resolves a difference, and returns what that moved: what clearing, bank and fees hold more than before. */
async function resolve(id: string | undefined, book?: 'bank' | 'difference') {
  const before = await houses();
  const order = { actor, operator: 'Maryam', reason: 'the bank wrote so', id: id ?? '', book };
  await resolveDifference(world.deps, order);
  const after = await houses();
  await world.proveLedger();
  return Object.fromEntries(
    (Object.keys(after) as (keyof typeof after)[]).map((key) => [key, Number(after[key] - before[key])]),
  );
}

const nothing = { clearing: 0, bank: 0, fee: 0, odd: 0 };

describe('a difference', () => {
  // First of all: days that a file has covered are compared once.
  test('of a missing payment is booked as arrived all the same', async () => {
    await pay(70_000n);
    await importLines([['990003', 10n, 0n]]);
    const missing = (await listed()).find(({ kind }) => kind === 'missing');
    expect(await resolve(missing?.id, 'bank')).toEqual({
      ...nothing,
      clearing: -70_000,
      bank: 70_000,
    });
    await resolve((await listed())[0]?.id);
  });

  test('of an unknown line closes when its payment is credited, and says by what', async () => {
    const before = await houses();
    const payment = await pay(30_000n);
    await sql`UPDATE payment SET state = 'needs_review' WHERE id = ${payment.id}`.execute(world.deps.db);
    expect(await importLines([[payment.reference, 300_000n, 3_000n]])).toMatchObject({ settled: 0, opened: 1 });
    expect(await listed()).toMatchObject([{ kind: 'unknown-payment', payment_id: payment.id }]);
    // The operator credits it.
    await sql`UPDATE payment SET state = 'completed' WHERE id = ${payment.id}`.execute(world.deps.db);
    expect(await listed()).toEqual([]);
    const closed = (await listed(true)).find(({ payment_id }) => payment_id === payment.id);
    expect(closed).toMatchObject({ kind: 'unknown-payment', state: 'solved', solved_by: 'books' });
    const after = await houses();
    expect([after.clearing, after.bank - before.bank, after.fee - before.fee]).toEqual([0n, 29_700n, 300n]);
    await world.proveLedger();
  });

  test('of an unknown line is resolved without a booking, or as money that arrived', async () => {
    await importLines([
      ['990001', 100_000n, 1_000n],
      ['990002', 200_000n, 2_000n],
    ]);
    const [first, second] = await listed();
    expect(await resolve(first?.id)).toEqual(nothing);
    expect(await resolve(second?.id, 'bank')).toEqual({
      clearing: 0,
      bank: 19_800,
      fee: 200,
      odd: -20_000,
    });
    expect(await listed()).toEqual([]);
    await expect(resolve(first?.id)).rejects.toThrow(`The difference ${first?.id} is resolved.`);
  });

  test('of another amount settles the payment with what arrived; the rest is a difference', async () => {
    const payment = await pay(50_000n);
    await importLines([[payment.reference, 480_000n, 1_000n]]);
    const [found] = await listed();
    expect(found).toMatchObject({ kind: 'other-amount', payment_id: payment.id });
    expect(await resolve(found?.id, 'bank')).toEqual({
      clearing: -50_000,
      bank: 47_900,
      fee: 100,
      odd: 2_000,
    });
    expect(await listed()).toEqual([]);
  });

  test('of another amount that is resolved without a booking leaves its payment missing', async () => {
    const payment = await pay(50_000n);
    await importLines([[payment.reference, 480_000n, 1_000n]]);
    expect(await resolve((await listed())[0]?.id)).toEqual(nothing);
    const [missing] = await listed();
    expect(missing).toMatchObject({ kind: 'missing', payment_id: payment.id });
    expect(await resolve(missing?.id, 'difference')).toEqual({
      ...nothing,
      clearing: -50_000,
      odd: 50_000,
    });
  });

  test('of a refund that the bank never took back: it was sent from our own account', async () => {
    const payment = await pay(60_000n);
    await seedRefund(world, userId, 'zarinpal', payment, { amountToman: 20_000n, at: PAID_AT });
    await importLines([[payment.reference, 600_000n, 0n]]);
    const [found] = await listed();
    expect(found).toMatchObject({ kind: 'not-taken-back', payment_id: payment.id });
    expect(await resolve(found?.id, 'bank')).toEqual({ ...nothing, clearing: 20_000, bank: -20_000 });
    expect((await houses()).clearing).toBe(0n);
  });

  test('of a fee above the amount is booked as the bank has it', async () => {
    const payment = await pay(15_000n);
    await importLines([[payment.reference, 150_000n, 160_000n]]);
    const [found] = await listed();
    expect(found?.kind).toBe('fee-above-amount');
    expect(await resolve(found?.id, 'bank')).toEqual({
      clearing: -15_000,
      bank: -1_000,
      fee: 16_000,
      odd: 0,
    });
  });

  test('of a line that cannot be read cannot be booked, and names its line', async () => {
    await importText(fileOf([`1,x,0,P,${isoDay(5)}`, `990004,10,0,P,${isoDay(5)}`]));
    const unreadable = (await listed()).find(({ kind }) => kind === 'unreadable');
    expect(unreadable).toMatchObject({
      line: { number: 2 },
      sentence: 'The line cannot be read: it has an amount that cannot be read.',
    });
    await expect(resolve(unreadable?.id, 'bank')).rejects.toThrow('cannot be booked');
    for (const { id } of await listed()) await resolve(id);
    expect(await listed()).toEqual([]);
  });
});

test('a payment that was credited under its name at the bank, because the answer was lost, is found by that', async () => {
  const payment = await pay(45_000n);
  await sql`UPDATE payment SET ref_id = gateway_reference WHERE id = ${payment.id}`.execute(world.deps.db);
  const row = `880001,${payment.session},450000,0,P9,${isoDay(9)}`;
  const done = await importText(['ref_id,authority,amount (rial),fee,payout,date', row].join('\n'));
  expect(done).toMatchObject({ settled: 1, opened: 0 });
});

test('the command line imports, lists, resolves and sums up', async () => {
  const payment = await pay(40_000n);
  const file = join(directory, 'november.csv');
  writeFileSync(file, fileOf([`${payment.reference},400000,2000,N1,${isoDay(9)}`, `990005,10000,0,N1,${isoDay(9)}`]));
  const run = raha('settlements', 'import', '--gateway', 'zarinpal', '--file', file, '--json');
  expect(JSON.parse(run.out)).toMatchObject({ again: false, newLines: 2, settled: 1, opened: 1 });
  expect(raha('settlements', 'import', '--gateway', 'zarinpal', '--file', file).out).toBe(
    'november.csv was imported before: nothing was done.',
  );
  const { differences } = JSON.parse(raha('settlements', 'differences', 'list', '--json').out);
  expect(differences).toMatchObject([
    { kind: 'unknown-payment', line: { file: 'november.csv', number: 3, reference: '990005' } },
  ]);
  const flags = ['--id', differences[0].id, '--by', 'Maryam', '--reason', 'a test of theirs', '--book', 'bank'];
  expect(raha('settlements', 'differences', 'resolve', ...flags).out).toBe(
    `The difference ${differences[0].id} is resolved. Booked: clearing 0, bank 1000, fee 0, difference -1000 toman.`,
  );
  expect(raha('settlements', 'differences', 'list').out).toBe('Files and books do not differ.');
  const [head, ...payouts] = raha('settlements', 'payouts', '--csv').out.split('\n');
  expect(head).toBe('gateway,payout,from,to,lines,settled,bank,fee,open lines,open toman');
  expect(payouts).toContain(`zarinpal,N1,${isoDay(9)},${isoDay(9)},2,40000,40800,200,0,0`);
});

describe('a whole file that is probably a mistake is refused, and leaves nothing', () => {
  const count = async () =>
    (await sql<{ lines: bigint }>`SELECT count(*) AS lines FROM settlement_line`.execute(world.deps.db)).rows[0]?.lines;

  test('in the other unit', async () => {
    const [first, second] = [await pay(33_000n), await pay(44_000n)];
    const before = await count();
    const rows = [first, second].map(({ reference, amountToman }) => `${reference},${amountToman},0,T,${isoDay(9)}`);
    const toman = ['ref_id,amount,fee,payout,date', ...rows].join('\n');
    await expect(importText(toman)).rejects.toThrow('No amount fits, and all would in toman: say --unit toman.');
    expect(await count()).toBe(before);
    expect(await importText(toman.replace('amount,', 'amount (toman),'))).toMatchObject({ settled: 2, opened: 0 });
  });

  test('of somebody else, unless the operator insists', async () => {
    const before = await count();
    const file = join(directory, 'strangers.csv');
    writeFileSync(file, fileOf([1, 2, 3, 4, 5].map((n) => `66000${n},10000,0,S,${isoDay(9)}`)));
    const order = ['settlements', 'import', '--gateway', 'zarinpal', '--file', file];
    expect(raha(...order)).toMatchObject({
      code: 1,
      errors:
        'No line of it is about a payment of ours: it seems to be of another gateway or another shop. If the file is right all the same, say --force.',
    });
    expect(await count()).toBe(before);
    expect(raha(...order, '--force').out).toContain('5 differences are new');
    for (const { id } of await listed()) await resolve(id);
  });
});

describe('mistakes of the operator are sentences', () => {
  test.each([
    ['no such file', ['import', '--gateway', 'zarinpal', '--file', 'nowhere.csv'], 'cannot be read: ENOENT.'],
    [
      'no such gateway',
      ['import', '--gateway', 'x', '--file', 'y'],
      '--gateway takes one of zarinpal, idpay, nextpay.',
    ],
    ['no verb', ['differences'], 'Say: settlements differences list'],
    [
      'no reason',
      ['differences', 'resolve', '--id', '01a6988a-4f40-75b4-b1f1-82f1e0b870d8', '--by', 'x'],
      '--reason is needed.',
    ],
    [
      'no such difference',
      ['differences', 'resolve', '--id', '01a6988a-4f40-75b4-b1f1-82f1e0b870d8', '--by', 'x', '--reason', 'y'],
      'There is no difference 01a6988a-4f40-75b4-b1f1-82f1e0b870d8.',
    ],
  ])('%s', (_what, args, sentence) => {
    const { code, errors } = raha('settlements', ...args);
    expect(code).toBe(1);
    expect(errors).toContain(sentence);
  });
});

test.skipIf(!hledger)('hledger computes the same balances of bank, fees and differences', async () => {
  const file = join(directory, 'raha.journal');
  expect(raha('report', 'hledger', '--out', file).code).toBe(0);
  const { stdout } = spawnSync('hledger', ['-f', file, 'balance', '--flat', '--empty', '--output-format', 'csv'], {
    encoding: 'utf8',
  });
  const computed = new Map(
    [...stdout.matchAll(/^"([^"]+)","(-?\d+)(?: toman)?"$/gm)].map(([, code, sum]) => [code, BigInt(sum ?? 0)]),
  );
  const books = (await selectBalances(world.deps.db)).filter(({ balance }) => balance !== 0n);
  expect(books.map(({ code }) => code)).toEqual(expect.arrayContaining(['bank', 'fee', 'settlement:difference']));
  expect(books.map(({ code }) => [code, computed.get(code)])).toEqual(
    books.map(({ code, balance }) => [code, balance]),
  );
  const report = JSON.parse(raha('report', 'clearing', '--json').out) as { gateway: string }[];
  expect(report.find(({ gateway }) => gateway === 'zarinpal')).toMatchObject({ expected: 0, booked: 0, difference: 0 });
});
