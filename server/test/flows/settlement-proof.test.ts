import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeSettlementFile } from '../../src/adapters/test-bank/settlement.ts';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { listSettlementDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { resolveDifference } from '../../src/modules/settlements/resolve-difference.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { type SeededPayment, seedPayments, seedRefund } from '../seed-payments.ts';
import { transactionAsDatabase } from '../transaction-as-database.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** The invariants of settlement: each is broken once, past every trigger, and is found. */
let world: TestWorld;
let payments: SeededPayment[];

beforeAll(async () => {
  world = await openTestWorld({ clock: manualClock(new Date('2026-11-20T12:00:00+03:30')) });
  const user = await world.user();
  const at = new Date('2026-11-10T12:00:00+03:30');
  const wanted = [40_000n, 50_000n, 60_000n, 70_000n, 80_000n].map((amountToman) => ({ amountToman, at }));
  payments = await seedPayments(world, user.id, 'idpay', wanted);
  await seedPayments(world, user.id, 'nextpay', [{ amountToman: 30_000n, at }]);
  const [first, , , fourth] = payments as [SeededPayment, SeededPayment, SeededPayment, SeededPayment];
  await seedRefund(world, user.id, 'idpay', first, { amountToman: 5_000n, at });
  const line = ({ reference, session, amountToman }: SeededPayment, rial = amountToman * 10n) => {
    return { reference, session, amountRial: rial, feeRial: rial > 0n ? 100n : 0n, payout: 'P', day: '2026-11-10' };
  };
  const lines = [
    ...payments.slice(0, 3).map((payment) => line(payment)),
    line(first, -50_000n),
    line(fourth, 710_000n),
  ];
  const bytes = Buffer.from(writeSettlementFile('idpay', lines));
  await importSettlementFile(world.deps, { actor, gateway: 'idpay', name: 'a.csv', bytes, to: '2026-11-19' });
  const listed = await listSettlementDifferences(world.deps, { gateway: 'idpay', all: false });
  const missing = listed.find(({ kind }) => kind === 'missing');
  const order = { actor, operator: 'tests', reason: 'came by hand', book: 'bank' } as const;
  await resolveDifference(world.deps, { ...order, id: missing?.id as string });
  await world.proveLedger();
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const broken = async () =>
  (await checkLedger(world.deps.db)).violations.map(({ invariant }) => invariant.split(' ')[0] ?? '');

/** Breaks the books in a transaction without triggers, looks, and takes it back. */
async function brokenBy(statements: readonly string[]): Promise<string[]> {
  const undo = new Error('undo');
  let found: string[] = [];
  await world.deps.db
    .transaction()
    .execute(async (tx) => {
      for (const table of ['ledger_entry', 'ledger_transfer'])
        await sql.raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`).execute(tx);
      for (const statement of statements) await sql.raw(statement).execute(tx);
      // Within this transaction: the proof opens one of its own, so the queries run here.
      const codes = async (since?: Date) => {
        const { checked, violations } = await checkLedger(transactionAsDatabase(tx), since && { since });
        expect(checked.length).toBeGreaterThan(20);
        return violations.map(({ invariant }) => invariant.split(' ')[0] ?? '');
      };
      const recent = new Set(await codes(new Date(0)));
      // What both forms find.
      found = (await codes()).filter((code) => recent.has(code));
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

const account = (code: string) => `(SELECT id FROM ledger_account WHERE code = '${code}')`;
const ofSettlement = `transfer_id IN (SELECT id FROM ledger_transfer WHERE kind = 'settlement')`;

describe('an invariant that is broken is found', () => {
  test('none is', async () => {
    expect(await broken()).toEqual([]);
    expect(await brokenBy([])).toEqual([]);
  });

  test.each([
    [
      'S1',
      'clearing holds a toman more',
      [
        `UPDATE ledger_entry SET amount = amount + 1 WHERE account_id = ${account('gateway:idpay:clearing')} AND ${ofSettlement}`,
      ],
    ],
    [
      'S1',
      'a payment is settled twice',
      [
        `INSERT INTO settled_item SELECT 'payment', gen_random_uuid(), gateway, amount_toman, booking_id, line_id FROM settled_item WHERE kind = 'payment' LIMIT 1`,
      ],
    ],
    [
      'S2',
      'a booking has no transfer',
      [`DELETE FROM ledger_entry WHERE ${ofSettlement}`, `DELETE FROM ledger_transfer WHERE kind = 'settlement'`],
    ],
    [
      'S2',
      'money of a booking is on another account',
      [
        `UPDATE ledger_entry SET account_id = ${account('adjustment')} WHERE account_id = ${account('bank')} AND ${ofSettlement}`,
      ],
    ],
    [
      'S2b',
      'a transfer has no booking',
      [
        `INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at, booked_on) VALUES (gen_random_uuid(), 'settlement', 'settlement', 'x', 'book', now(), now())`,
      ],
    ],
    [
      'S3',
      'a line says another fee',
      [
        `UPDATE settlement_line SET fee_toman = fee_toman + 1 WHERE id = (SELECT id FROM settlement_line WHERE booking_id IS NOT NULL LIMIT 1)`,
      ],
    ],
    [
      'S3',
      'the bank account holds a toman more',
      [`UPDATE ledger_entry SET amount = amount + 1 WHERE account_id = ${account('bank')} AND ${ofSettlement}`],
    ],
    [
      'S3',
      'the fee account holds a toman more',
      [`UPDATE ledger_entry SET amount = amount + 1 WHERE account_id = ${account('fee')} AND ${ofSettlement}`],
    ],
    [
      'S4',
      'a refund is settled with another amount',
      [`UPDATE settled_item SET amount_toman = amount_toman - 1 WHERE kind = 'refund'`],
    ],
    [
      'S4',
      'a payment that is not credited is settled',
      [
        `UPDATE payment SET state = 'failed' WHERE id = (SELECT item_id FROM settled_item WHERE kind = 'payment' LIMIT 1)`,
      ],
    ],
    ['S5', 'a booking settles more than it takes', [`DELETE FROM settled_item WHERE kind = 'refund'`]],
    [
      'S5',
      'a booking is of another gateway than its lines',
      [
        `UPDATE settlement_line SET gateway = 'nextpay' WHERE id = (SELECT id FROM settlement_line WHERE booking_id IS NOT NULL LIMIT 1)`,
      ],
    ],
    ['S6', 'a line is neither booked nor listed', [`DELETE FROM settlement_difference WHERE line_id IS NOT NULL`]],
    [
      'S6',
      'a booked line is listed',
      [`UPDATE settlement_line SET booking_id = (SELECT id FROM settlement_booking LIMIT 1) WHERE booking_id IS NULL`],
    ],
    [
      'S7',
      'a settled payment is listed as missing',
      [
        `UPDATE settlement_difference SET state = 'open', closed_at = NULL, reason = NULL, operator = NULL, actor = NULL WHERE item_id IS NOT NULL`,
      ],
    ],
  ])('%s: %s', async (name, _what, statements) => {
    expect(await brokenBy(statements)).toContain(name);
  });
});
