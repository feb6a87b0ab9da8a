import { addDays } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/database.ts';
import type { RateSource } from '../currency/rate.ts';
import { outstandingUsdCents } from '../gift-cards/manage-cards.ts';
import { worthToman } from '../gift-cards/rules.ts';
import { type Days, selectBalances, selectByDay, selectStepsByDay } from '../ledger/report-tables.ts';
import { type ClearingRow, selectClearing } from '../payments/clearing-tables.ts';
import { listAllOpenPeriods } from '../subscriptions/plans.ts';
import { creditOf } from '../subscriptions/rules.ts';

/** The operator's reports. Every figure of money is a sum over the ledger, in toman. */

/** Days as the operator gives them (Tehran); the last thirty without. */
export function daysOf(given: { from: string | undefined; to: string | undefined }, now: Date): Days {
  const tehran = (instant: Date) => new Date(instant.getTime() + 3.5 * 3_600_000).toISOString().slice(0, 10);
  return { from: given.from ?? tehran(addDays(now, -29)), to: given.to ?? tehran(now) };
}

/** Money credited through each gateway, by day. */
export async function reportTakings(db: Executor, days: Days) {
  const rows = await selectByDay(db, { kinds: ['wallet_charge'], accounts: 'gateway:%:clearing' }, days);
  return rows.map(({ day, what, transfers, amount }) => ({
    day,
    gateway: what.split(':')[1] ?? what,
    payments: Number(transfers),
    toman: -amount,
  }));
}

/** What was earned by usage and by plans, by day; credits for plans that ended early are taken off. */
export async function reportUsage(db: Executor, days: Days) {
  const rows = await selectByDay(db, { kinds: ['usage', 'subscription'], accounts: 'revenue:%' }, days);
  return rows.map(({ day, what, amount }) => ({ day, revenue: what.replace('revenue:', ''), toman: amount }));
}

/** Refunds and reversals by day and step: reserved from wallets, confirmed, returned to wallets. */
export async function reportRefunds(db: Executor, days: Days) {
  const rows = await selectStepsByDay(db, ['refund', 'reversal'], days);
  return rows.map(({ day, what, transfers, amount }) => ({ day, step: what, count: Number(transfers), toman: amount }));
}

export interface Clearing extends ClearingRow {
  /** What the gateway owes: credited less refunded less reversed. */
  readonly expected: bigint;
  /** What the ledger's clearing account says it owes. */
  readonly booked: bigint;
  /** Anything but nothing is an emergency. */
  readonly difference: bigint;
}

/** Per gateway what it took, gave back and owes, from the payments and from the ledger, and how far they are apart. */
export async function reportClearing(db: Database): Promise<Clearing[]> {
  const balances = new Map((await selectBalances(db)).map(({ code, balance }) => [code, balance]));
  return (await selectClearing(db)).map((row) => {
    const expected = row.credited - row.refunded - row.reversed;
    const booked = -(balances.get(`gateway:${row.gateway}:clearing`) ?? 0n);
    return { ...row, expected, booked, difference: booked - expected };
  });
}

/** What the product owes: wallets, leases, refunds under way, unredeemed gift cards, plans that still run. */
export async function reportLiability(db: Database, rate: RateSource, now: Date) {
  const balances = await selectBalances(db);
  const sum = (kind: string) =>
    balances.reduce((total, account) => (account.kind === kind ? total + account.balance : total), 0n);
  const cards = await outstandingUsdCents(db, now);
  const current = await rate.current();
  const periods = await listAllOpenPeriods(db, now);
  return {
    wallets: sum('user_wallet'),
    leases: sum('user_lease'),
    refundsUnderWay: balances.find(({ code }) => code === 'refund:clearing')?.balance ?? 0n,
    giftCards: {
      cards: cards.cards,
      usdCents: cards.usdCents,
      rate: current?.tomanPerUsd,
      toman: current && worthToman(Number(cards.usdCents), current.tomanPerUsd),
    },
    plans: periods.reduce((total, period) => total + creditOf(period, now), 0n),
  };
}
