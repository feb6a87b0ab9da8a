import { BYTES_PER_GB } from '@raha/contract/money.ts';
import { addDays } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/database.ts';
import { listDeletedBefore } from '../accounts/users.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { listNodes } from '../fleet/nodes.ts';
import { outstandingUsdCents } from '../gift-cards/list-cards.ts';
import { worthToman } from '../gift-cards/rules.ts';
import { type Days, selectByDay, selectStepsByDay, sumAccounts } from '../ledger/reports.ts';
import { readReserved } from '../ledger/reserve-money.ts';
import { findUserAccounts } from '../ledger/user-accounts.ts';
import { sumNodeTraffic } from '../metering/node-traffic.ts';
import { type ClearingRow, selectClearing } from '../payments/clearing.ts';
import { listDebtors } from '../payments/pay-debts.ts';
import { usualPrice } from '../pricing/price.ts';
import { sumSettled } from '../settlements/list-settlements.ts';
import { listAllOpenPeriods } from '../subscriptions/plans.ts';
import { creditOf } from '../subscriptions/rules.ts';
import { readPlanFigures } from '../subscriptions/sum-plans.ts';

/** The operator's reports. Every figure of money is a sum over the ledger, in toman. */

/** The operator's range of days (Tehran); the last thirty days by default. */
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

/** Revenue from usage and plans by day, as earned; `plan-ended` is what plans that ended early kept or gave back beyond it. */
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
  /** Credited, less refunds and reversals, by settlement files or by the operator. */
  readonly settled: bigint;
  /** What the gateway owes us: credited less refunded less reversed less settled. */
  readonly expected: bigint;
  /** What the gateway owes us according to the ledger's clearing account. */
  readonly booked: bigint;
  /** Any value other than zero is an emergency. */
  readonly difference: bigint;
}

/** Per gateway: credited, refunded and owed, from the payments and from the ledger, and the difference between them. */
export async function reportClearing(db: Database): Promise<Clearing[]> {
  const balances = await sumAccounts(db);
  const sums = await sumSettled(db);
  return (await selectClearing(db)).map((row) => {
    const settled = sums.get(row.gateway) ?? 0n;
    const expected = row.credited - row.refunded - row.reversed - settled;
    const booked = -(balances.get(`gateway:${row.gateway}:clearing`) ?? 0n);
    return { ...row, settled, expected, booked, difference: booked - expected };
  });
}

export interface NodeMargin {
  readonly node: string;
  readonly status: string;
  readonly gb: number;
  /** Charged to wallets for it; usage covered by plans is not charged by the byte and not included. */
  readonly charged: bigint;
  /** The provider's charge at the current exchange rate; undefined without a price or a rate. */
  readonly cost: bigint | undefined;
  readonly margin: bigint | undefined;
}

/** Traffic, revenue and cost of each server. */
export async function reportNodes(db: Database, exchangeRate: ExchangeRateSource, days: Days): Promise<NodeMargin[]> {
  const day = (text: string) => new Date(Date.parse(`${text}T00:00:00+03:30`));
  const tomanPerUsd = (await exchangeRate.current(db))?.tomanPerUsd;
  const traffic = new Map(
    (await sumNodeTraffic(db, day(days.from), addDays(day(days.to), 1))).map((row) => [row.node_id, row]),
  );
  return (await listNodes(db)).map((node) => {
    const { bytes = 0n, charged = 0n } = traffic.get(node.id) ?? {};
    const cost = costOf(bytes, node.cost_usd_micros_per_gb, tomanPerUsd);
    const margin = cost === undefined ? undefined : charged - cost;
    return { node: node.name, status: node.status, gb: Number(bytes) / BYTES_PER_GB, charged, cost, margin };
  });
}

export interface PlanLine {
  readonly plan: string;
  /** Undefined, as its moment and price: bought before versions were kept, or from a server of the release before them. */
  readonly version: string | undefined;
  readonly from: Date | undefined;
  readonly price: bigint | undefined;
  readonly sold: number;
  /** Begun, and neither over nor ended early. */
  readonly running: number;
  readonly cancelled: number;
  /** Paid at the sale, less what was credited at an early end. */
  readonly toman: bigint;
}

/** What each version of a plan was sold, as counted until a moment some seconds ago. */
export async function reportPlans(
  db: Executor,
  now: Date,
): Promise<{ readonly until: Date; readonly lines: PlanLine[] }> {
  const { until, figures } = await readPlanFigures(db, now);
  const lines = figures.map(({ planId, version, sold, running, cancelled, broughtToman }) => ({
    ...{ plan: planId, version: version?.id, from: version?.validFrom, price: version?.priceToman },
    ...{ sold: Number(sold), running: Number(running), cancelled: Number(cancelled), toman: broughtToman },
  }));
  return { until, lines };
}

/** The provider's charge in toman for this traffic, rounded; undefined without a price or a rate. */
export function costOf(bytes: bigint, usdMicrosPerGb: bigint | null, tomanPerUsd: number | undefined) {
  if (usdMicrosPerGb === null || tomanPerUsd === undefined) return undefined;
  return (bytes * usdMicrosPerGb * BigInt(Math.round(tomanPerUsd)) + 5n * 10n ** 14n) / 10n ** 15n;
}

/** What erased accounts left in their wallets, until it is written off. */
async function sumRemainders(db: Executor): Promise<bigint> {
  const left = (await findUserAccounts(db, await listDeletedBefore(db, new Date(8.64e15)))).values();
  return left.reduce((sum, { walletToman }) => sum + walletToman, 0n);
}

/** The product's liabilities: wallets, leases, refunds in progress, unredeemed gift cards, running plans. */
export async function reportLiability(db: Database, exchangeRate: ExchangeRateSource, now: Date) {
  const balances = await sumAccounts(db);
  const reserved = await readReserved(db);
  const cards = await outstandingUsdCents(db, now);
  const current = await exchangeRate.current(db);
  const periods = await listAllOpenPeriods(db, now);
  const perGbMilliToman = await usualPrice(db, exchangeRate, now);
  return {
    wallets: (balances.get('user_wallet') ?? 0n) - reserved,
    remainders: await sumRemainders(db),
    leases: reserved,
    debts: await listDebtors(db),
    refundsUnderWay: balances.get('refund:clearing') ?? 0n,
    giftCards: {
      cards: cards.cards,
      usdCents: cards.usdCents,
      rate: current?.tomanPerUsd,
      toman: current && worthToman(Number(cards.usdCents), current.tomanPerUsd),
    },
    unearnedPlans: balances.get('deferred:plan') ?? 0n,
    vat: balances.get('tax:vat') ?? 0n,
    soldCards: balances.get('liability:gift-cards') ?? 0n,
    plans: periods.reduce((total, period) => total + creditOf(period, now, perGbMilliToman), 0n),
  };
}
