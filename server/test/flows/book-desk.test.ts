import type { adminEndpoints } from '@raha/contract/admin/table.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { output } from 'zod/mini';
import { closeMonth } from '../../src/modules/books/close-month.ts';
import { reportClearing } from '../../src/modules/reports/reports.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { seedPayments } from '../seed-payments.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** Settlement files and months of the books in the console, against what the command line does with them. */
type Answer<C extends 'getReconciliation' | 'listDifferences' | 'listBookMonths'> = output<
  (typeof adminEndpoints)[C]['response']
>['data'];

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const YESTERDAY = '2026-11-19';
let world: TestWorld;
let finance: Colleague;
let references: string[];

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  const user = await world.user({ usdCents: 0 });
  const at = addDays(clock.now(), -1);
  const then = { ...world.deps, clock: manualClock(at) };
  const seeded = await seedPayments({ deps: then }, user.id, 'zarinpal', [
    { amountToman: 300_000n, at },
    { amountToman: 20_000n, at },
  ]);
  references = seeded.map(({ reference }) => reference);
  finance = await openColleague(world, 'finance');
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function read<T>(path: string): Promise<T> {
  const { status, body } = await finance.browser.call('GET', `/admin/${path}`);
  expect(status).toBe(200);
  return body.data as T;
}

async function send(path: string, body: object): Promise<{ status: number; code: unknown; data: unknown }> {
  const answer = await finance.browser.call('POST', `/admin/${path}`, body);
  return { status: answer.status, code: answer.body.code, data: answer.body.data };
}

const line = (reference: string, toman: number) => `${reference},${toman * 10},${toman / 10},P1,${YESTERDAY}`;

function file(lines: readonly string[], more: object = {}) {
  const text = ['ref_id,amount (rial),fee (rial),payout,date', ...lines].join('\n');
  return { gateway: 'zarinpal', name: 'payouts.csv', content: Buffer.from(text).toString('base64'), ...more };
}

test('a file is imported once, settles what fits, and lists what does not', async () => {
  const body = file([line(references[0] as string, 300_000), line('stranger', 50_000)]);
  expect(await send('reconciliation/files', body)).toMatchObject({
    status: 200,
    data: { again: false, lines: 2, new_lines: 2, from: YESTERDAY, to: YESTERDAY, settled: 1, opened: 1, solved: 0 },
  });
  expect(await send('reconciliation/files', body)).toMatchObject({ data: { again: true, settled: 0, opened: 0 } });
  const { differences, next } = await read<Answer<'listDifferences'>>('reconciliation/differences');
  expect(next).toBeNull();
  expect(differences).toMatchObject([
    {
      ...{ gateway: 'zarinpal', kind: 'unknown-payment', state: 'open', toman: 50_000, payment: null },
      line: { file: 'payouts.csv', number: 3, reference: 'stranger' },
    },
  ]);
});

test('what each gateway owes is what the command line reports', async () => {
  clock.advance(61_000);
  const { gateways, payouts } = await read<Answer<'getReconciliation'>>('reconciliation');
  const [reported] = await reportClearing(world.deps.db);
  expect(gateways.find(({ gateway }) => gateway === 'zarinpal')).toEqual({
    ...{ gateway: 'zarinpal', credited: 320_000, refunded: 0, reversed: 0, settled: 300_000, owed: 20_000 },
    ...{ difference: 0, open: 1 },
  });
  expect(reported).toMatchObject({ credited: 320_000n, settled: 300_000n, expected: 20_000n, difference: 0n });
  // The fee is a tenth of a per cent in this file.
  expect(payouts).toEqual([
    {
      ...{ gateway: 'zarinpal', payout: 'P1', from: YESTERDAY, to: YESTERDAY, lines: 2 },
      ...{ bank: 297_000, fee: 3_000, open_lines: 1, open: 49_500 },
    },
  ]);
});

test('a file that is none is refused in a sentence, and nothing is kept of it', async () => {
  const before = await read<Answer<'listDifferences'>>('reconciliation/differences?state=all');
  const workbook = { ...file([]), content: Buffer.from('PK\u0003\u0004').toString('base64') };
  expect(await send('reconciliation/files', workbook)).toMatchObject({ status: 422, code: 'settlement_file' });
  expect(await send('reconciliation/files', file([]))).toMatchObject({ status: 422, code: 'settlement_days' });
  const backwards = file([line('x', 10)], { from: '2026-11-19', to: '2026-11-18' });
  expect(await send('reconciliation/files', backwards)).toMatchObject({ status: 422, code: 'settlement_days' });
  // Five lines that nobody knows are probably of another shop.
  const strangers = file(['a', 'b', 'c', 'd', 'e'].map((name) => line(name, 10_000)));
  expect(await send('reconciliation/files', strangers)).toMatchObject({ status: 409, code: 'settlement_unlikely' });
  expect(await read('reconciliation/differences?state=all')).toEqual(before);
});

test('a difference is resolved once, for a reason, by a member whom the books name', async () => {
  const open = (await read<Answer<'listDifferences'>>('reconciliation/differences')).differences[0];
  const path = `reconciliation/differences/${open?.id}/resolve`;
  expect(await send(path, { book: 'difference', reason: 'never came' })).toMatchObject({
    ...{ status: 409, code: 'difference_refused' },
  });
  expect(await send(path, { book: 'bank', reason: 'it is on the statement' })).toMatchObject({
    ...{ status: 200, data: { clearing: 0, bank: 49_500, fee: 500, difference: -50_000 } },
  });
  expect(await send(path, { book: 'bank', reason: 'once more' })).toMatchObject({ code: 'difference_refused' });
  const all = await read<Answer<'listDifferences'>>('reconciliation/differences?state=all');
  expect(all.differences).toMatchObject([
    { id: open?.id, state: 'resolved', by: finance.email, reason: 'it is on the statement' },
  ]);
  expect((await read<Answer<'listDifferences'>>('reconciliation/differences')).differences).toEqual([]);
});

test('differences go on after the last of a page', async () => {
  const many = Array.from({ length: 60 }, (_, n) => line(`page-${n}`, 10_000));
  await send('reconciliation/files', file(many, { all_the_same: true }));
  const first = await read<Answer<'listDifferences'>>('reconciliation/differences');
  const second = await read<Answer<'listDifferences'>>(`reconciliation/differences?after=${first.next}`);
  expect([first.differences.length, second.differences.length, second.next]).toEqual([50, 10, null]);
  expect(new Set([...first.differences, ...second.differences].map(({ id }) => id)).size).toBe(60);
});

test('a month is closed by its name when it is over, and its journal can be taken', async () => {
  const close = (month: string, name = month) => send(`books/${month}/close`, { name, reason: 'the books are done' });
  expect(await close('1405-08')).toMatchObject({ status: 409, code: 'month_open' });
  expect((await read<Answer<'listBookMonths'>>('books')).months).toMatchObject([
    { month: '1405-08', closed: null, can_be_closed: false },
  ]);
  clock.advance(3 * 86_400_000);
  const { browser } = await openColleague(world, 'finance');
  finance = { ...finance, browser };
  expect((await read<Answer<'listBookMonths'>>('books')).months).toMatchObject([
    { month: '1405-09', closed: null, can_be_closed: false },
    { month: '1405-08', closed: null, can_be_closed: true },
  ]);
  expect(await close('1405-08', '1405-07')).toMatchObject({ code: 'month_name_differs' });
  expect(await close('1405-08')).toMatchObject({ status: 200, data: { closed: true } });
  expect(await close('1405-08')).toMatchObject({ status: 200, data: { closed: false } });
  expect(await closeMonth(world.deps, { actor, month: '1405-08' })).toBe(false);
  const journal = await fetch(`${world.origin}/api/v1/admin/books/1405-08/journal`, {
    headers: { cookie: finance.browser.cookies() },
  });
  expect(journal.headers.get('content-disposition')).toBe('attachment; filename="raha-1405-08.journal"');
  const text = await journal.text();
  expect(text).toContain('gateway:zarinpal:clearing  -300000 toman');
  expect((await finance.browser.call('GET', '/admin/books/1405-13/journal')).status).toBe(404);
});
