import { limits } from '@raha/contract/limits.ts';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { ModelBooks } from './model-books.ts';

/**
 * The model of T-M1: what wallets must hold, in integers, with the same rules written a second time and as plainly as
 * possible. Banks are modelled too, because what a bank took is what a wallet must get.
 */
export interface ModelPayment {
  readonly id: string;
  readonly user: number;
  readonly gateway: GatewayName;
  readonly amount: number;
  readonly createdAt: number;
  bank: 'open' | 'paid' | 'refused' | 'verified' | 'returned' | 'reversed';
  paidAt: number;
  creditedAt: number | undefined;
  refunded: number;
  refundOpen: boolean;
  /** The bank reversed it by itself, and we have noticed. */
  reversed: boolean;
}

export interface ModelUser {
  /** Everything that came in less what went out, except usage. */
  wallet: number;
  /** The part of it that is used up. Metering's own invariants prove this amount, so it is read, not modelled. */
  used: number;
  owed: number;
  /** The part of the balance that is spent last and never goes to a bank, as of the latest credit. */
  card: number;
  /** The part of that which came by the activation, and cannot be sent to others. */
  bound: number;
  /** Transfers sent: when and how much. */
  readonly sent: { at: number; amount: number }[];
  readonly periods: ModelPeriod[];
  /** The last day of the trial, if it had one. Until then it buys no plan here; `trial-traffic.test.ts` has that. */
  trialUntil?: number;
}

/** A purchased period of a plan. */
export interface ModelPeriod {
  readonly id: string;
  readonly planId: string;
  readonly price: number;
  /** How much of the price was card money, and how much of that came by the activation. */
  readonly card: number;
  readonly bound: number;
  readonly startsAt: number;
  readonly endsAt: number;
  /** What the traffic that passed in it would cost without a plan; read before a command, as usage is. */
  usedToman?: number;
  /** What of the price no day has earned yet. */
  unearned: number;
  isOver: boolean;
}

export function openPeriods(user: ModelUser, now: number): ModelPeriod[] {
  return user.periods.filter((period) => !period.isOver && now < period.endsAt);
}

/**
 * What is returned if it ends now: the whole days that are left, before it begins all of it; and no more than the price
 * exceeds the traffic used.
 */
export function creditOf(period: ModelPeriod, now: number): number {
  const days = now < period.startsAt ? 30 : Math.floor((period.endsAt - now) / 86_400_000);
  const byTraffic = Math.max(0, period.price - (period.usedToman ?? 0));
  return Math.min(Math.floor((period.price * days) / 30), byTraffic);
}

export function newModelUser(): ModelUser {
  return { wallet: 0, used: 0, owed: 0, card: 0, bound: 0, sent: [], periods: [] };
}

export interface Model {
  readonly people: ModelUser[];
  readonly payments: ModelPayment[];
  readonly books: ModelBooks;
}

/** A payment that is not verified within ten minutes goes back to the payer. */
const EXPIRES: Record<GatewayName, number> = { zarinpal: Number.POSITIVE_INFINITY, idpay: 600_000, nextpay: 600_000 };

/** The balance that the user sees, which may be spent to the last toman, whatever lies in leases. */
export function free(user: ModelUser): number {
  return user.wallet - user.used;
}

/** Whatever comes in pays debts first; `card` of it does not come from a bank, and `bound` of that by the activation. */
export function credit(user: ModelUser, amount: number, card: number, bound = 0): void {
  if (amount <= 0) {
    user.wallet += amount;
    return;
  }
  user.bound = Math.min(user.bound, free(user)) + bound;
  user.card = Math.min(user.card, free(user)) + card;
  user.wallet += amount;
  payDebt(user);
}

export function payDebt(user: ModelUser): void {
  const paid = Math.min(user.owed, free(user));
  user.wallet -= paid;
  user.owed -= paid;
}

/** Queries the bank about a payment; true when this credits it. */
export function queryBank(model: Model, payment: ModelPayment, now: number): boolean {
  if (payment.creditedAt !== undefined) return false;
  if (payment.bank === 'paid' && now - payment.paidAt > EXPIRES[payment.gateway]) payment.bank = 'returned';
  if (payment.bank !== 'paid' && payment.bank !== 'verified') return false;
  payment.bank = 'verified';
  payment.creditedAt = now;
  const user = model.people[payment.user] as ModelUser;
  credit(user, payment.amount, 0);
  return true;
}

/** The bank verifies and its answer is lost: it is verified in the bank's books and open in ours. */
export function queryWithLostAnswer(payment: ModelPayment, now: number): void {
  if (payment.creditedAt !== undefined) return;
  if (payment.bank === 'paid' && now - payment.paidAt > EXPIRES[payment.gateway]) payment.bank = 'returned';
  if (payment.bank === 'paid') payment.bank = 'verified';
}

export const MIN_REFUND = 2_000;

export function refundable(model: Model, payment: ModelPayment, now: number): number {
  if (payment.creditedAt === undefined || payment.refundOpen || payment.refunded > 0 || payment.reversed) return 0;
  if (now - payment.creditedAt > limits.payment.refundDays * 86_400_000) return 0;
  const user = model.people[payment.user] as ModelUser;
  const most = Math.min(payment.amount, free(user) - Math.min(user.card, free(user)));
  return most < MIN_REFUND ? 0 : most;
}

/** Checks the day's limit for transfers, and that the wallet covers the amount without money of the activation. */
export function transferable(user: ModelUser, amount: number, now: number): boolean {
  const today = user.sent.filter(({ at }) => at > now - 86_400_000);
  const sum = today.reduce((total, transfer) => total + transfer.amount, 0);
  const { perDay, perDayToman } = limits.transfer;
  return (
    today.length < perDay && sum + amount <= perDayToman && free(user) - Math.min(user.bound, free(user)) >= amount
  );
}

export function takeBack(model: Model, payment: ModelPayment): void {
  const user = model.people[payment.user] as ModelUser;
  const taken = Math.min(free(user), payment.amount);
  user.wallet -= taken;
  user.owed += payment.amount - taken;
  payment.reversed = true;
}
