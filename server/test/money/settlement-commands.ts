import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { paymentGateways } from '@raha/contract/payment-gateways.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { type SettlementEntry, writeSettlementFile } from '../../src/adapters/test-bank/settlement.ts';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { listSettlementDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { reconcileSettlements } from '../../src/modules/settlements/reconcile.ts';
import { resolveDifference } from '../../src/modules/settlements/resolve-difference.ts';
import { actor } from '../world.ts';
import { command, type MoneyCommand, type Real } from './commands.ts';
import type { Model, ModelPayment } from './model.ts';

/**
 * Settlement in T-M1: files over any part of the payments, with faults, before and after they are credited, refunded and
 * reversed here. The model says what leaves clearing and what reaches the bank and its fees.
 */
const FEE = 100;

interface ModelLine {
  readonly payment: ModelPayment | undefined;
  readonly reference: string;
  /** Toman; negative: it went back. */
  readonly amount: number;
  readonly fee: number;
  readonly payout: string;
  isBooked: boolean;
}

interface Books {
  readonly clearing: Readonly<Record<GatewayName, number>>;
  readonly bank: number;
  readonly fee: number;
  readonly odd: number;
}

interface Settling {
  /** Lines of the bank that the product has, by what makes them the same. */
  readonly lines: Map<string, ModelLine>;
  readonly settled: Set<string>;
  readonly before: Books;
  readonly moved: { clearing: Record<GatewayName, number>; bank: number; fee: number; odd: number };
  last: { gateway: GatewayName; content: string } | undefined;
}

const states = new WeakMap<Model, Settling>();

/** What transfers of settlement have moved, in all: out of clearing, and to the others. */
async function readBooks({ world }: Real): Promise<Books> {
  const { rows } = await sql<{ code: string; total: bigint }>`
    SELECT a.code, sum(e.amount)::bigint AS total FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id
    JOIN ledger_account a ON a.id = e.account_id WHERE t.source_type = 'settlement' GROUP BY a.code
  `.execute(world.deps.db);
  const totals = new Map(rows.map(({ code, total }) => [code, Number(total)]));
  const of = (code: string) => totals.get(code) ?? 0;
  const clearing = (name: GatewayName) => of(`gateway:${name}:clearing`);
  return {
    clearing: { zarinpal: clearing('zarinpal'), idpay: clearing('idpay'), nextpay: clearing('nextpay') },
    bank: 0 - of('bank'),
    fee: 0 - of('fee'),
    odd: 0 - of('settlement:difference'),
  };
}

async function settlingOf(model: Model, real: Real): Promise<Settling> {
  const known = states.get(model);
  if (known) return known;
  // What earlier histories left to be matched is not of this one.
  const earlier = await readBooks(real);
  await reconcileSettlements(real.world.deps);
  const moved = { clearing: { zarinpal: 0, idpay: 0, nextpay: 0 }, bank: 0, fee: 0, odd: 0 };
  const before = await readBooks(real);
  model.books.accounts.bank -= before.bank - earlier.bank;
  const state: Settling = {
    lines: new Map(),
    settled: new Set(),
    before,
    moved,
    last: undefined,
  };
  states.set(model, state);
  return state;
}

async function compareBooks({ before, moved }: Settling, real: Real): Promise<void> {
  const now = await readBooks(real);
  const clearing = Object.fromEntries(
    paymentGateways.map((name) => [name, now.clearing[name] - before.clearing[name]]),
  );
  const delta = { clearing, bank: now.bank - before.bank, fee: now.fee - before.fee, odd: now.odd - before.odd };
  expect(delta, 'what settlement moved').toEqual(moved);
}

/** Books what fits now, by the rules written a second time. */
function settle(model: Model, state: Settling, gateway: GatewayName): void {
  for (const line of state.lines.values()) {
    const { payment, amount } = line;
    if (line.isBooked || payment?.gateway !== gateway || payment.creditedAt === undefined) continue;
    const candidates =
      amount > 0
        ? [[`paid ${payment.id}`, payment.amount]]
        : [
            [`refunded ${payment.id}`, -payment.refunded],
            [`reversed ${payment.id}`, payment.reversed ? -payment.amount : 0],
          ];
    const found = candidates.find(([key, sum]) => sum === amount && !state.settled.has(String(key)));
    if (!found) continue;
    state.settled.add(String(found[0]));
    line.isBooked = true;
    state.moved.clearing[gateway] += amount;
    arrive(model, state, line);
  }
}

/** The operator's bank account is moved by other commands too. */
function arrive({ books }: Model, { moved }: Settling, { amount, fee }: ModelLine): void {
  moved.bank += amount - fee;
  moved.fee += fee;
  books.accounts.bank -= amount - fee;
}

type FaultName = 'fits' | 'twice' | 'otherAmount' | 'stranger' | 'otherPayout';

/** The lines that the bank writes about a payment. */
function linesOf(payment: ModelPayment, reference: string, fault: FaultName, back: boolean): ModelLine[] {
  const line = (amount: number, more: Partial<ModelLine> = {}): ModelLine => {
    return { payment, reference, amount, fee: amount > 0 ? FEE : 0, payout: 'A', isBooked: false, ...more };
  };
  const paid = line(payment.amount);
  const faulty = {
    fits: [paid],
    twice: [paid, paid],
    otherAmount: [line(payment.amount + 1)],
    stranger: [paid, line(payment.amount, { payment: undefined, reference: `9${reference}` })],
    otherPayout: [paid, line(payment.amount, { payout: 'B' })],
  }[fault];
  const returned = payment.reversed ? payment.amount : payment.refunded;
  return back && returned > 0 ? [...faulty, line(-returned)] : faulty;
}

async function sessionsOf(real: Real, payments: readonly ModelPayment[]) {
  const { rows } = await sql<{ order_id: string; reference: string; ref_id: string | null }>`
    SELECT order_id, reference, ref_id FROM test_bank_session WHERE order_id = ANY (${payments.map(({ id }) => id)}::text[])
  `.execute(real.world.deps.db);
  return new Map(rows.map((row) => [row.order_id, row]));
}

/** False if the very same file was imported before, which changes nothing. */
async function importContent(real: Real, gateway: GatewayName, content: string): Promise<boolean> {
  const day = new Date(real.clock.now().getTime() + 3.5 * 3_600_000).toISOString().slice(0, 10);
  const order = { actor, gateway, name: 'model.csv', bytes: Buffer.from(content), from: day, to: day };
  return !(await importSettlementFile(real.world.deps, order)).again;
}

const faultNames = fc.constantFrom<FaultName>(
  'fits',
  'fits',
  'fits',
  'twice',
  'otherAmount',
  'stranger',
  'otherPayout',
);

const importFile = fc
  .tuple(
    fc.constantFrom(...paymentGateways),
    fc.infiniteStream(fc.tuple(fc.boolean(), faultNames, fc.boolean())),
    fc.boolean(),
  )
  .map(([gateway, dice, atOnce]) =>
    command(`settlement(${gateway})`, async (model, real) => {
      const state = await settlingOf(model, real);
      const ours = model.payments.filter((payment) => payment.gateway === gateway && payment.bank !== 'open');
      const sessions = await sessionsOf(real, ours);
      const written = ours.flatMap((payment) => {
        const [isIn, fault, back] = dice.next().value ?? [true, 'fits', false];
        const session = sessions.get(payment.id);
        if (!isIn || !session?.ref_id) return [];
        return linesOf(payment, session.ref_id, fault, back).map((line) => ({ line, session: session.reference }));
      });
      const entries = written.map(({ line, session }): SettlementEntry => {
        const { reference, payout, amount, fee } = line;
        const bank = { amountRial: BigInt(amount) * 10n, feeRial: BigInt(fee) * 10n, day: '2026-11-20' };
        return { reference, session: line.payment ? session : '', payout, ...bank };
      });
      const content = writeSettlementFile(gateway, entries);
      const isNew = await Promise.all((atOnce ? [0, 1] : [0]).map(() => importContent(real, gateway, content)));
      state.last = { gateway, content };
      for (const { line } of written) {
        const key = [line.reference, line.amount, line.fee, line.payout].join(' ');
        if (!state.lines.has(key)) state.lines.set(key, line);
      }
      // What was credited since an earlier import of the same file waits for the schedule.
      if (isNew.includes(true)) settle(model, state, gateway);
      await compareBooks(state, real);
    }),
  );

const importAgain = fc.constant(
  command('settlementAgain', async (model, real) => {
    const state = await settlingOf(model, real);
    if (state.last) await importContent(real, state.last.gateway, state.last.content);
    await reconcileSettlements(real.world.deps);
    for (const gateway of paymentGateways) settle(model, state, gateway);
    await compareBooks(state, real);
  }),
);

/** A line of nobody's payment: the operator says that its money arrived, or that nothing did. */
const resolveStranger = fc.boolean().map((books) =>
  command(`settlementResolve(${books ? 'bank' : 'nothing'})`, async (model, real) => {
    const state = await settlingOf(model, real);
    const listed = await listSettlementDifferences(real.world.deps, { gateway: undefined, all: false });
    for (const gateway of paymentGateways) settle(model, state, gateway);
    const line = [...state.lines.values()].find(({ payment, isBooked }) => !payment && !isBooked);
    const found = listed.find(({ line: at }) => at?.reference === line?.reference);
    if (line && found) {
      const order = {
        actor,
        operator: 'model',
        reason: 'model',
        id: found.id,
        book: books ? ('bank' as const) : undefined,
      };
      await resolveDifference(real.world.deps, order);
      line.isBooked = true;
      if (books) {
        arrive(model, state, line);
        state.moved.odd -= line.amount;
      }
    }
    await compareBooks(state, real);
  }),
);

export const settlementCommands: fc.Arbitrary<MoneyCommand>[] = [importFile, importFile, importAgain, resolveStranger];
