import { type Actor, type Audit, describeActor } from '../../platform/audit.ts';
import { addDays, addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { bookPastHours } from '../billing/book-usage.ts';
import { breakExpiredCards } from '../gift-cards/break-cards.ts';
import { invoiceUsage } from '../invoices/invoice-usage.ts';
import { daysOfMonth, type MonthDays, monthOf, nextMonth } from '../ledger/jalali-month.ts';
import { type ClosedMonth, closeBooks, firstDays, listClosedMonths } from '../ledger/months.ts';
import { earnDays } from '../subscriptions/earn-days.ts';

/** A day counts as over ten minutes after its midnight, as in `earnDays`. */
const LATE_SECONDS = 600;

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** The days of a month as the operator wrote it. */
export function readMonth(month: string): MonthDays {
  const days = daysOfMonth(month);
  if (!days) throw new OperatorMistake('invalid', 'takes a Jalali month such as 1405-08.', 'jalali');
  return days;
}

interface CloseRequest {
  readonly actor: Actor;
  /** Who does it, for the books; a member of staff is known as the actor. */
  readonly operator?: string | undefined;
  /** Jalali, such as 1405-08. */
  readonly month: string;
  readonly reason?: string | undefined;
  /** Asked in the transaction: whether the actor still may. */
  readonly stillMay?: ((tx: Tx) => Promise<void>) | undefined;
}

/**
 * Closes a Jalali month, once everything that belongs to it is booked: from then on its books do not change. Refuses a month
 * that is not over, and one with an open month before it. A month that is closed already stays as it is. Returns whether
 * it was this call that closed it.
 */
export async function closeMonth(deps: Deps, request: CloseRequest): Promise<boolean> {
  const { month, actor, reason, operator = describeActor(actor) } = request;
  const days = readMonth(month);
  if (await isClosed(deps.db, month)) return false;
  const now = deps.clock.now();
  const today = tehranDay(addSeconds(now, -LATE_SECONDS));
  if (today <= days.to)
    throw new OperatorMistake('conflict', `The month ${month} is not over: its last day is ${days.to}.`);
  // Before the earlier ones are looked at: they may book the first facts of an earlier month.
  while ((await earnDays(deps)) > 0);
  while ((await bookPastHours(deps)).length > 0);
  await breakExpiredCards(deps);
  await invoiceUsage(deps);
  const { open } = await firstDays(deps.db);
  if (open !== null && open < days.from)
    throw new OperatorMistake('conflict', `The month ${monthOf(open)} is still open: close it first.`);
  const { first } = await firstDays(deps.db);
  if (first === null || first > days.to) throw new OperatorMistake('conflict', `Nothing is booked until ${days.to}.`);
  return await inTransaction(deps.db, async (tx) => {
    await request.stillMay?.(tx);
    const isDone = await closeBooks(tx, month, days, { operator, now });
    const target = { kind: 'month', id: month } as const;
    const entry = { action: 'books.close', target, operator: request.operator, reason };
    if (isDone) await deps.audit.record(tx, actor, entry);
    return isDone;
  });
}

/** Whether `closeMonth` would close it now, as far as can be told without booking what belongs to it. */
export function canBeClosed(months: readonly Month[], month: Month, now: Date): boolean {
  const isOver = tehranDay(addSeconds(now, -LATE_SECONDS)) > month.to;
  return !month.closed && isOver && months.every((other) => other.to >= month.from || other.closed);
}

export interface Month {
  readonly month: string;
  readonly from: string;
  readonly to: string;
  readonly closed: ClosedMonth | undefined;
}

/** Every month from the first in which something was booked until the present one. */
export async function listMonths({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<Month[]> {
  const { first } = await firstDays(db);
  if (first === null) return [];
  const closed = new Map((await listClosedMonths(db)).map((each) => [each.month, each]));
  const last = monthOf(tehranDay(clock.now()));
  const months: Month[] = [];
  for (let month = monthOf(first); month <= last; month = nextMonth(month))
    months.push({ month, ...readMonth(month), closed: closed.get(month) });
  return months;
}

export async function isClosed(db: Database, month: string): Promise<boolean> {
  return (await listClosedMonths(db)).some((closed) => closed.month === month);
}

function tehranDay(instant: Date): string {
  return addDays(instant, 3.5 / 24)
    .toISOString()
    .slice(0, 10);
}
