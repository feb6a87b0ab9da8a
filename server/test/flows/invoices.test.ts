import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { closeMonth } from '../../src/modules/books/close-month.ts';
import { reportMonth } from '../../src/modules/books/month-report.ts';
import { invoiceUsage } from '../../src/modules/invoices/invoice-usage.ts';
import { issueDocument } from '../../src/modules/invoices/issue-document.ts';
import { reportInvoices } from '../../src/modules/invoices/report-invoices.ts';
import { numberOf } from '../../src/modules/invoices/rules.ts';
import { type DocumentRow, selectDocuments } from '../../src/modules/invoices/tables.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { postTransfer } from '../../src/modules/ledger/post-transfer.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { checkForReversal } from '../../src/modules/payments/reverse-payment.ts';
import { sendRefund } from '../../src/modules/payments/send-refund.ts';
import { buyPlan, cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inTransaction, type Tx } from '../../src/platform/database.ts';
import { newId } from '../../src/platform/random.ts';
import { selectBalances } from '../balances.ts';
import { adjust, charge, makeUser, payer } from '../money/bench.ts';
import { changePlan } from '../plans.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** Numbered receipts, invoices and credit notes (audit M13, decision 66). */
const DAY = 86_400_000;
// 1405-08-15, 13:30 in Tehran.
const clock = manualClock(new Date('2026-11-06T10:00:00Z'));
const seller = { name: 'شرکت نمونهٔ رها', nationalId: '14001234567', economicCode: '411112223334' };
let world: TestWorld;
let user: { id: string; email: string };

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false });
  await set('invoices.vatPercent', '10');
  await set('invoices.seller', JSON.stringify(seller));
  await changePlan(world, 'basic', { priceToman: 110_000n, isOn: true });
});
beforeEach(async () => {
  user = await makeUser(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const set = (key: string, value: string) => setSettingByKey(world.deps.db, key, value, clock.now());
const documents = (id = user.id): Promise<DocumentRow[]> => selectDocuments(world.deps.db, id, undefined, 100);
const order = { giftCode: undefined, seenRateToman: undefined, expectedDueToman: undefined, idempotent: undefined };
const buy = async (planId = 'basic') =>
  (await buyPlan(world.deps, { ...order, userId: user.id, order: { planId } })).periodId;
const balanceOf = async (code: string) =>
  Number((await selectBalances(world.deps.db)).find((account) => account.code === code)?.balance ?? 0n);

async function paid(toman: number, id = user.id): Promise<string> {
  const payment = await charge(world, id, 'zarinpal', toman);
  await payer(world, payment, 'PAID');
  await confirmPayment(world.deps, payment, { returned: 'ok' });
  return payment;
}

/** What usage cost, booked on some day. */
async function use(toman: number, day?: string, id = user.id): Promise<void> {
  const { walletId } = await getUserAccounts(world.deps.db, id);
  const now = clock.now();
  const movements = [
    { accountId: walletId, amountToman: BigInt(-toman) },
    { accountId: house.usageRevenue, amountToman: BigInt(toman) },
  ];
  const cause = { kind: 'usage', sourceType: 'test', sourceId: newId(now), purpose: 'usage' } as const;
  await postTransfer(world.deps.db, { ...cause, movements, ...(day === undefined ? {} : { day }) }, now);
}

const briefly = ({ kind, amountToman, vatToman }: DocumentRow) => [kind, Number(amountToman), Number(vatToman)];
const broken = async (since?: Date) =>
  (await checkLedger(world.deps.db, since && { since })).violations.map(({ invariant }) => invariant.split(' ')[0]);

describe('one document for each fact', () => {
  test('a credited payment has its receipt with the seller of then, and asking the bank again makes no other', async () => {
    const payment = await paid(50_000);
    await set('invoices.seller', JSON.stringify({ ...seller, name: 'فروشندهٔ تازه' }));
    await Promise.all(Array.from({ length: 5 }, () => confirmPayment(world.deps, payment, { returned: 'ok' })));
    const found = await documents();
    expect(found.map(briefly)).toEqual([['receipt', 50_000, 0]]);
    expect(found[0]).toMatchObject({ sourceId: payment, year: 1405, seller, corrects: null });
    await set('invoices.seller', JSON.stringify(seller));
  });

  test('a plan has its invoice with VAT, and a credit note that takes its share back', async () => {
    await adjust(world, user.id, 500_000);
    const before = await balanceOf('tax:vat');
    const period = await buy();
    expect(await balanceOf('tax:vat')).toBe(before + 10_000);
    expect(await balanceOf('revenue:vat')).toBe(-before - 10_000);
    clock.advance(5 * DAY);
    // The rate of the sale counts, not that of the day.
    await set('invoices.vatPercent', '20');
    const { creditedToman } = await cancelPlan(world.deps, {
      userId: user.id,
      periodId: period,
      idempotent: undefined,
    });
    await set('invoices.vatPercent', '10');
    const [note, invoice] = await documents();
    expect(briefly(note as DocumentRow)).toEqual(['plan_credit', creditedToman, Math.round(creditedToman / 11)]);
    expect(note).toMatchObject({ corrects: { year: invoice?.year, number: invoice?.number }, vatPercent: 10 });
    expect(await balanceOf('tax:vat')).toBe(before + 10_000 - Math.round(creditedToman / 11));
  });

  test('a plan that replaces another: the credit note before the new invoice', async () => {
    await adjust(world, user.id, 900_000);
    await buy('basic');
    await buy('premium');
    const kinds = (await documents()).map(({ kind }) => kind);
    expect(kinds).toEqual(['plan', 'plan_credit', 'plan']);
  });

  test('a purchase that is refused takes no number', async () => {
    const next = (await lastNumber()) + 1;
    await expect(buy()).rejects.toMatchObject({ code: 'insufficient_balance' });
    await paid(20_000);
    expect((await documents())[0]?.number).toBe(next);
  });

  test('a refund that arrived and a reversal have their notes, which name the receipt', async () => {
    const [first, second] = [await paid(60_000), await paid(70_000)];
    await requestRefund(world.deps, { userId: user.id, paymentId: first });
    expect((await documents()).map(({ kind }) => kind)).toEqual(['receipt', 'receipt']);
    await sendRefund(world.deps, await idOfRefund(first));
    await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${second}`.execute(world.deps.db);
    await checkForReversal(world.deps, second);
    await checkForReversal(world.deps, second);
    const [reversal, note, receipt, other] = await documents();
    expect([reversal, note].map((one) => briefly(one as DocumentRow))).toEqual([
      ['reversal', 70_000, 0],
      ['refund', 60_000, 0],
    ]);
    expect(numberOf(reversal?.corrects as DocumentRow)).toBe(numberOf(receipt as DocumentRow));
    expect(numberOf(note?.corrects as DocumentRow)).toBe(numberOf(other as DocumentRow));
  });
});

async function idOfRefund(paymentId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM refund WHERE payment_id = ${paymentId}`.execute(
    world.deps.db,
  );
  return rows[0]?.id as string;
}

async function lastNumber(year = 1405): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    SELECT last_number AS last FROM invoice_year WHERE year = ${year}
  `.execute(world.deps.db);
  return rows[0]?.last ?? 0;
}

describe('numbers have no gap', () => {
  test('when payments are credited at once, transactions fail, and connections are killed while they hold a number', async () => {
    const first = (await lastNumber()) + 1;
    const people = await Promise.all(Array.from({ length: 6 }, () => makeUser(world)));
    const payments: { id: string; owner: string }[] = [];
    for (let count = 0; count < 30; count += 1) {
      const owner = people[count % people.length]?.id as string;
      const id = await charge(world, owner, 'zarinpal', 20_000 + count);
      await payer(world, id, 'PAID');
      payments.push({ id, owner });
    }
    const take = async (tx: Tx) => {
      const fact = { kind: 'receipt', sourceId: newId(clock.now()), userId: user.id, amountToman: 1_000n } as const;
      await issueDocument(tx, { ...fact, subject: { gateway: 'zarinpal' } }, clock.now());
    };
    const fails = () =>
      inTransaction(world.deps.db, async (tx) => {
        await take(tx);
        throw new Error('the work after it fails');
      });
    const killed = () =>
      inTransaction(world.deps.db, async (tx) => {
        await take(tx);
        await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(tx);
      });
    const outcomes = await Promise.allSettled(
      payments.flatMap(({ id }, index) => [
        confirmPayment(world.deps, id),
        confirmPayment(world.deps, id),
        ...(index % 3 === 0 ? [fails()] : []),
        ...(index % 10 === 0 ? [killed()] : []),
      ]),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(13);
    const found = (await Promise.all(people.map(({ id }) => documents(id)))).flat();
    const numbers = found.map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => first + index));
    expect(await lastNumber()).toBe(first + 29);
    expect(await broken()).toEqual([]);
  });

  test('a document cannot be changed or removed, and a fact cannot get a second one', async () => {
    const payment = await paid(30_000);
    const change = sql`UPDATE invoice SET amount_toman = 1 WHERE source_id = ${payment}`.execute(world.deps.db);
    await expect(change).rejects.toThrow();
    await expect(sql`DELETE FROM invoice WHERE source_id = ${payment}`.execute(world.deps.db)).rejects.toThrow();
    const last = await lastNumber();
    const again = { kind: 'receipt', sourceId: payment, userId: user.id, amountToman: 30_000n } as const;
    await expect(inTransaction(world.deps.db, (tx) => issueDocument(tx, again, clock.now()))).rejects.toThrow(
      /invoice_once_per_fact/,
    );
    expect(await lastNumber()).toBe(last);
  });
});

describe('usage', () => {
  test('a month has one invoice per user once it is over, whoever writes it, and late usage is in the next one', async () => {
    await adjust(world, user.id, 1_000_000);
    const idle = await makeUser(world);
    await use(11_000);
    await use(22_000);
    expect(await invoiceUsage(world.deps)).toBe(0);
    // 1405-09-01, 00:09 in Tehran: what was booked until midnight may not be committed yet.
    clock.advance(new Date('2026-11-21T20:39:00Z').getTime() - clock.now().getTime());
    expect(await invoiceUsage(world.deps)).toBe(0);
    clock.advance(120_000);
    await use(5_500);
    const before = await balanceOf('tax:vat');
    await Promise.all(Array.from({ length: 4 }, () => invoiceUsage(world.deps)));
    const [invoice, ...others] = await documents();
    expect(others).toEqual([]);
    expect(briefly(invoice as DocumentRow)).toEqual(['usage', 33_000, 3_000]);
    expect(invoice).toMatchObject({ subject: { month: '1405-08' }, sourceId: `1405-08 ${user.id}` });
    expect(await documents(idle.id)).toEqual([]);
    expect(await balanceOf('tax:vat')).toBe(before + 3_000);
    // In the books of the month itself.
    const vat = (await reportMonth(world.deps.db, '1405-08')).figures.find(({ section }) => section === 'VAT');
    expect(vat?.toman).toBeGreaterThanOrEqual(3_000n);

    await use(1_100, '2026-11-20');
    clock.advance(31 * DAY);
    await invoiceUsage(world.deps);
    expect((await documents()).map(briefly)).toEqual([
      ['usage', 6_600, 600],
      ['usage', 33_000, 3_000],
    ]);
    expect(await broken()).toEqual([]);
  });

  test('closing a month writes its invoices first; what is booked in it later is in the invoice of the open one', async () => {
    await adjust(world, user.id, 1_000_000);
    await use(44_000);
    clock.advance(30 * DAY);
    for (const month of ['1405-08', '1405-09', '1405-10']) {
      await closeMonth(world.deps, { actor, operator: 'tests', month });
    }
    expect((await documents()).map(briefly)).toEqual([['usage', 44_000, 4_000]]);
    expect((await documents())[0]?.subject).toEqual({ month: '1405-10' });
    await use(5_500, '2026-12-25');
    clock.advance(30 * DAY);
    await invoiceUsage(world.deps);
    expect((await documents()).map(briefly)).toEqual([
      ['usage', 5_500, 500],
      ['usage', 44_000, 4_000],
    ]);
    expect(await broken()).toEqual([]);
  });
});

test('numbers begin anew with the Jalali year', async () => {
  const last = await lastNumber();
  // 23:59 of the last day of 1405, and two minutes later.
  clock.advance(new Date('2027-03-20T20:29:00Z').getTime() - clock.now().getTime());
  await paid(20_000);
  clock.advance(120_000);
  await paid(21_000);
  await paid(22_000);
  expect((await documents()).map(numberOf)).toEqual([
    '1406-000002',
    '1406-000001',
    numberOf({ year: 1405, number: last + 1 }),
  ]);
  const report = await reportInvoices(world.deps.db, '1406-01');
  expect(report.map(({ number }) => number)).toEqual(['1406-000001', '1406-000002']);
});

describe('what is wrong is found', () => {
  /** As a database owner could do it, past the triggers. */
  async function forge(statement: string): Promise<void> {
    await sql`ALTER TABLE invoice DISABLE TRIGGER USER`.execute(world.deps.db);
    await sql.raw(statement).execute(world.deps.db);
    await sql`ALTER TABLE invoice ENABLE TRIGGER USER`.execute(world.deps.db);
  }
  test.each([
    ['a gap', 'UPDATE invoice SET number = 900000 WHERE id = $id', 'N1'],
    ['a number that was counted and never given', 'UPDATE invoice_year SET last_number = last_number + 1', 'N1'],
    ['a receipt of another amount', 'UPDATE invoice SET amount_toman = amount_toman + 1 WHERE id = $id', 'N2'],
    ['a receipt of nothing', "UPDATE invoice SET source_id = 'none' WHERE id = $id", 'N2'],
    [
      'a receipt of someone else',
      'UPDATE invoice SET user_id = (SELECT id FROM users WHERE id <> user_id LIMIT 1) WHERE id = $id',
      'N2',
    ],
    ['a note of no refund', "UPDATE invoice SET kind = 'refund' WHERE id = $id", 'N3'],
    ['an invoice of no plan', "UPDATE invoice SET kind = 'plan' WHERE id = $id", 'N4'],
    [
      'usage that was never charged',
      'UPDATE invoice SET kind = \'usage\', subject = \'{"month":"1405-12"}\' WHERE id = $id',
      'N5',
    ],
    ['VAT of another rate', "UPDATE invoice SET vat_percent = vat_percent + 1 WHERE kind = 'plan'", 'N6'],
    ['VAT that is not booked', "UPDATE invoice SET vat_toman = vat_toman + 1 WHERE kind = 'usage'", 'N7'],
    [
      'VAT that is booked for something else',
      "UPDATE invoice SET id = gen_random_uuid() WHERE kind = 'plan_credit'",
      'N8',
    ],
  ])('%s', async (_what, forgery, name) => {
    const payment = await paid(90_000);
    expect(await broken()).toEqual([]);
    const before = await sql`SELECT * FROM invoice`.execute(world.deps.db);
    const years = await sql`SELECT * FROM invoice_year`.execute(world.deps.db);
    await forge(
      forgery.replaceAll('$id', `(SELECT id FROM invoice WHERE kind = 'receipt' AND source_id = '${payment}')`),
    );
    expect(await broken()).toContain(name);
    // VAT of usage is a sum over a month's invoices, which only the whole query compares.
    if (name !== 'N7') expect(await broken(new Date(0))).toContain(name);
    await restore(before.rows, years.rows);
    expect(await broken()).toEqual([]);
  });

  async function restore(rows: unknown[], years: unknown[]): Promise<void> {
    const json = (value: unknown) =>
      JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? Number(each) : each));
    await forge('DELETE FROM invoice');
    await sql`INSERT INTO invoice SELECT * FROM json_populate_recordset(null::invoice, ${json(rows)})`.execute(
      world.deps.db,
    );
    await sql`
      UPDATE invoice_year y SET last_number = o.last_number FROM json_populate_recordset(null::invoice_year, ${json(years)}) o WHERE o.year = y.year
    `.execute(world.deps.db);
  }
});
