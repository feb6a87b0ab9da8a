import { type Actor, type Audit, describeActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { selectCleared } from '../payments/clearing.ts';
import { bookSums } from './book.ts';
import { type DifferenceRow, selectDifference, updateResolved } from './difference-tables.ts';
import { reconcileGateway } from './reconcile.ts';
import { type Item, itemsOf, keyOf, noSums, type Sums, sumsOfLine } from './rules.ts';
import { insertSettled, lockCoverage, selectOpenLines, selectSettled } from './tables.ts';

export interface ResolveOrder {
  readonly actor: Actor;
  /** Who does it, for the books; a member of staff is known as the actor. */
  readonly operator?: string | undefined;
  /** Asked in the transaction: whether the actor still may. */
  readonly stillMay?: ((tx: Tx) => Promise<void>) | undefined;
  readonly id: string;
  readonly reason: string;
  /**
   * bank: the money moved on the operator's bank account, as the line says, or without a line as our payment, refund or
   * reversal says. difference: it never will; clearing is settled against the account of differences. Absent: nothing is
   * booked.
   */
  readonly book: 'bank' | 'difference' | undefined;
}

/**
 * Closes a difference for a reason, and books it if asked to. Refuses one that is not open, an unreadable line that should be
 * booked, and a line that should be booked as difference: what it says happened at the bank. Returns what was booked.
 */
export async function resolveDifference(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  order: ResolveOrder,
): Promise<Sums> {
  const { id, reason, actor, operator = describeActor(actor) } = order;
  const known = await selectDifference(deps.db, id);
  if (!known) throw new OperatorMistake('not-found', `There is no difference ${id}.`);
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    await order.stillMay?.(tx);
    const coverage = await lockCoverage(tx, known.gateway);
    const difference = await selectDifference(tx, id);
    if (difference?.state !== 'open')
      throw new OperatorMistake('conflict', `The difference ${id} is ${difference?.state ?? 'gone'}.`);
    const booked = order.book && (await book(tx, difference, order.book, now));
    const given = { reason, operator, actor: describeActor(actor), bookingId: booked?.bookingId };
    await updateResolved(tx, id, given, now);
    await reconcileGateway(tx, known.gateway, coverage, { cause: `resolution ${id}` }, now);
    const details = { gateway: known.gateway, book: order.book ?? null };
    const target = { kind: 'difference', id } as const;
    await deps.audit.record(tx, actor, {
      action: 'settlements.resolve',
      target,
      operator: order.operator,
      reason,
      details,
    });
    return booked?.sums ?? noSums;
  });
}

async function book(tx: Tx, difference: DifferenceRow, how: 'bank' | 'difference', now: Date) {
  const { gateway, line_id: lineId } = difference;
  const open = await openItems(tx, difference);
  const line = lineId === null ? undefined : (await selectOpenLines(tx, gateway)).find(({ id }) => id === lineId);
  const settles = line ? itemsOfLine(difference, line.amount_rial ?? 0n, open) : itemsWithoutLine(difference, open);
  const sums = line ? sumsByLine(line, how, settles) : sumsWithoutLine(how, settles);
  const bookingId = await bookSums(tx, { gateway, payout: line?.payout ?? '', kind: 'resolution', ...sums }, now);
  await insertSettled(tx, gateway, [{ bookingId, lineId: line?.id, items: settles }]);
  return { bookingId, sums };
}

/** What of the payment is not settled: itself first, then its refunds and reversals. */
async function openItems(tx: Tx, { gateway, payment_id }: DifferenceRow): Promise<Item[]> {
  if (payment_id === null) return [];
  const [payment] = await selectCleared(tx, gateway, { references: [], ids: [payment_id], times: [] });
  const items = payment ? itemsOf(payment) : [];
  const settled = new Set(
    (
      await selectSettled(
        tx,
        items.map(({ id }) => id),
      )
    ).map(keyOf),
  );
  return items.filter((item) => !settled.has(keyOf(item)));
}

/** A line of another amount, or with too large a fee, settles its payment or return all the same. */
function itemsOfLine({ kind }: DifferenceRow, amountRial: bigint, open: readonly Item[]): Item[] {
  if (kind !== 'other-amount' && kind !== 'fee-above-amount') return [];
  return open.filter(({ amountToman }) => amountToman > 0n === amountRial > 0n).slice(0, 1);
}

function itemsWithoutLine({ kind, item_kind, item_id }: DifferenceRow, open: readonly Item[]): Item[] {
  return kind === 'missing' ? [...open] : open.filter((item) => item.kind === item_kind && item.id === item_id);
}

function sumsByLine(
  line: { readonly unreadable: string | null; readonly amount_rial: bigint | null; readonly fee_toman: bigint | null },
  how: 'bank' | 'difference',
  settles: readonly Item[],
): Sums {
  if (line.unreadable !== null)
    throw new OperatorMistake(
      'conflict',
      'Nobody can read what the line says, so it cannot be booked. Correct the file and import it, then resolve this without booking.',
    );
  if (how === 'difference')
    throw new OperatorMistake('conflict', 'A line says what moved at the bank: book it as bank, or not at all.');
  return sumsOfLine({ amountRial: line.amount_rial ?? 0n, feeToman: line.fee_toman ?? 0n }, settles);
}

function sumsWithoutLine(how: 'bank' | 'difference', settles: readonly Item[]): Sums {
  const clearing = settles.reduce((sum, { amountToman }) => sum + amountToman, 0n);
  return { ...noSums, clearing, [how]: clearing };
}
