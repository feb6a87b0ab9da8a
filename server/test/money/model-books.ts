import type { ModelPeriod, ModelUser } from './model.ts';
import { initialPrices, type ModelPrice, type PlanId } from './plan-prices.ts';

/** The model's books: what T-M1 expects of cards that were sold, of days of plans, and of closed months. */
export interface ModelBooks {
  readonly batches: ModelBatch[];
  /** Balances of house accounts that only the commands of this file move. */
  readonly accounts: {
    receivable: number;
    liability: number;
    difference: number;
    breakage: number;
    bank: number;
    kept: number;
  };
  readonly begunAt: number;
  /** The end of the last day that plans have earned. */
  earnedUntil: number;
  /** The first month that is not closed. */
  openMonth: string;
  /** What each plan costs from when on, planned prices among them. */
  readonly planPrices: Record<PlanId, ModelPrice[]>;
  readonly erased: { readonly id: string; readonly at: number; left: number }[];
}

export interface ModelBatch {
  readonly id: string;
  readonly price: number;
  owed: number;
  readonly cards: ModelCard[];
}

export interface ModelCard {
  readonly code: string;
  state: 'active' | 'redeemed' | 'void';
  isBroken: boolean;
  expiresAt: number | undefined;
}

const DAY = 86_400_000;
const TEHRAN = 3.5 * 3_600_000;
/** A day is over ten minutes after its midnight. */
const LATE = 600_000;

export function newModelBooks(now: number): ModelBooks {
  const accounts = { receivable: 0, liability: 0, difference: 0, breakage: 0, bank: 0, kept: 0 };
  return {
    batches: [],
    accounts,
    begunAt: now,
    earnedUntil: 0,
    openMonth: monthAt(now),
    planPrices: initialPrices(),
    erased: [],
  };
}

const calendar = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'Asia/Tehran',
  year: 'numeric',
  month: '2-digit',
});

/** The Jalali month of an instant. */
export function monthAt(now: number): string {
  const parts = Object.fromEntries(calendar.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}`;
}

/** The month that is over, if the first open one is; then it is no longer open. */
export function closeNext(books: ModelBooks, now: number): boolean {
  if (monthAt(now - LATE) <= books.openMonth) return false;
  const [year = 0, month = 0] = books.openMonth.split('-').map(Number);
  books.openMonth = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
  return true;
}

/** What the time until an instant has earned of a price. */
function earnedAt(period: ModelPeriod, at: number): number {
  const passed = Math.max(0, Math.min(at, period.endsAt) - period.startsAt);
  return Math.floor((period.price * passed) / (period.endsAt - period.startsAt));
}

export function earnDaysUntil(books: ModelBooks, users: readonly ModelUser[], now: number): void {
  const until = Math.floor((now - LATE + TEHRAN) / DAY) * DAY - TEHRAN;
  if (until <= books.earnedUntil) return;
  books.earnedUntil = until;
  for (const period of users.flatMap(({ periods }) => periods))
    period.unearned = Math.min(period.unearned, period.price - earnedAt(period, until));
}

/** A period ends now with a refund: what that is less than the time that is left is kept. */
export function endPeriod(books: ModelBooks, period: ModelPeriod, back: number, now: number): void {
  const left = Math.min(period.unearned, period.price - earnedAt(period, now));
  books.accounts.kept += left - back;
  period.unearned = 0;
  period.isOver = true;
}

export function isUsable(card: ModelCard, now: number): boolean {
  return card.state === 'active' && !card.isBroken && (card.expiresAt === undefined || card.expiresAt > now);
}

/** The value of a sold card leaves what is owed to its holder, or comes back. */
export function breakCard(books: ModelBooks, batch: ModelBatch, card: ModelCard, isBroken: boolean): void {
  if (card.isBroken === isBroken) return;
  card.isBroken = isBroken;
  books.accounts.liability += isBroken ? -batch.price : batch.price;
  books.accounts.breakage += isBroken ? batch.price : -batch.price;
}

export function breakExpired(books: ModelBooks, now: number): void {
  for (const batch of books.batches)
    for (const card of batch.cards)
      if (card.state === 'active' && card.expiresAt !== undefined && card.expiresAt <= now)
        breakCard(books, batch, card, true);
}
