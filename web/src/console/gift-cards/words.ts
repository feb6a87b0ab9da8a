import { batchName, type CardBatch, type CardState } from '@raha/contract/admin/gift-cards.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { foldDigits } from '@raha/contract/persian.ts';
import { now } from '../../api/clock.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';

export const stateNames: Readonly<Record<CardState, () => string>> = {
  active: m.console_card_active,
  redeemed: m.console_card_redeemed,
  void: m.console_card_void,
  expired: m.console_card_expired,
};

/** «۱۲٫۵ دلار», "$12.50". */
export function dollars(cents: number): string {
  return m.console_cards_usd({ amount: dollarAmount(cents) });
}

/** English writes cents with two digits, where there are any. */
export function dollarAmount(cents: number): string {
  if (currentLocale() === 'fa' || cents % 100 === 0) return number(cents / 100);
  return new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(cents / 100);
}

/** What a batch is called where it has no note, and what is typed to void it. From left to right in a sentence of either direction. */
export function shownName(batch: Pick<CardBatch, 'id'>): string {
  return `\u2066${batchName(batch)}\u2069`;
}

/** How a card is shown: the last four symbols of its code. */
export function shownCard(last4: string): string {
  return `\u2066••••-${last4}\u2069`;
}

/** Cards that an act would change: neither redeemed nor void. */
export function leftOf({ active, expired }: CardBatch): number {
  return active + expired;
}

/** Whole cents of dollars as they are typed; NaN if they are none. */
export function readCents(typed: string): number {
  const text = foldDigits(typed).trim().replace(/[٫]/, '.');
  const cents = /^\d{1,5}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : 0;
  return cents >= 1 && cents <= staffLimits.cards.mostUsdCents ? cents : Number.NaN;
}

/** A whole number of days up to ten years; NaN if it is none. */
export function readDays(typed: string): number {
  const text = foldDigits(typed).trim();
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return days <= staffLimits.cards.days ? days : Number.NaN;
}

const DAY_MS = 86_400_000;
const TEHRAN_MS = 12_600_000;

/** The end of the Tehran day in so many days, as the command line sets it. */
export function endOfDayIn(days: number): string {
  const day = new Date(now() + TEHRAN_MS + days * DAY_MS).toISOString().slice(0, 10);
  return new Date(`${day}T23:59:59+03:30`).toISOString();
}
