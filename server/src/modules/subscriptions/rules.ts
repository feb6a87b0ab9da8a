import { chargeToman } from '@raha/contract/money.ts';

/** A plan as the operator offers it. `trafficLimitBytes` undefined: unlimited. */
export interface Plan {
  readonly id: string;
  readonly priceToman: bigint;
  readonly durationDays: number;
  readonly trafficLimitBytes: bigint | undefined;
  readonly maxDevices: number;
  /** The greatest speed of each device in each direction, in Mbit/s; undefined: no limit. */
  readonly maxMbit: number | undefined;
}

/** One bought period of a plan, with the terms agreed at the sale. */
export interface Period extends Omit<Plan, 'id'> {
  readonly id: string;
  readonly planId: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly grantedBytes: bigint;
  /** Bytes carried over from the used-up period before this one; negative: carried over to the one after it. */
  readonly carriedBytes: bigint;
  readonly endedAt: Date | undefined;
  readonly endReason: 'cancelled' | 'replaced' | 'used_up' | undefined;
}

export type PeriodStatus = 'scheduled' | 'active' | 'used_up' | 'expired' | 'cancelled' | 'replaced';

const DAY_MS = 86_400_000;

export function statusOf(period: Period, now: Date): PeriodStatus {
  if (period.endReason) return period.endReason;
  if (now.getTime() >= period.endsAt.getTime()) return 'expired';
  if (now.getTime() < period.startsAt.getTime()) return 'scheduled';
  return leftOf(period) === 0n ? 'used_up' : 'active';
}

/** All bytes of a period, including those carried over; undefined: unlimited. */
export function trafficOf(period: Pick<Period, 'trafficLimitBytes' | 'carriedBytes'>): bigint | undefined {
  return period.trafficLimitBytes === undefined ? undefined : period.trafficLimitBytes + period.carriedBytes;
}

/** Bytes that may still be granted; undefined: unlimited. */
export function leftOf(
  period: Pick<Period, 'trafficLimitBytes' | 'carriedBytes' | 'grantedBytes'>,
): bigint | undefined {
  const traffic = trafficOf(period);
  return traffic === undefined ? undefined : traffic - period.grantedBytes;
}

function trafficCreditOf(period: Period, perGbMilliToman: bigint | undefined): bigint | undefined {
  const left = leftOf(period);
  if (left !== undefined && period.trafficLimitBytes !== undefined)
    return (period.priceToman * left) / period.trafficLimitBytes;
  if (perGbMilliToman === undefined) return undefined;
  const used = chargeToman(period.grantedBytes, perGbMilliToman);
  return used < period.priceToman ? period.priceToman - used : 0n;
}

/** Days until the end, a started day counted as a whole one; for display. */
export function daysLeft(period: Pick<Period, 'endsAt'>, now: Date): number {
  return Math.max(0, Math.ceil((period.endsAt.getTime() - now.getTime()) / DAY_MS));
}

/**
 * The refund to the wallet if a period ends now: the price of the whole days left or of the traffic left, whichever is
 * less, rounded down. Without a traffic limit, the traffic left is worth what the price exceeds the traffic used, at the
 * price per GB (thousandths of a toman; undefined: unknown now, so only days count). The whole price before the start; nothing at or after the end. Carried-over bytes have no money
 * value: they can raise the traffic share above the price, but the share of days never exceeds it.
 */
export function creditOf(period: Period, now: Date, perGbMilliToman?: bigint): bigint {
  if (period.endReason || now.getTime() >= period.endsAt.getTime()) return 0n;
  const from = Math.max(now.getTime(), period.startsAt.getTime());
  const days = BigInt(Math.floor((period.endsAt.getTime() - from) / DAY_MS));
  const byTime = (period.priceToman * days) / BigInt(period.durationDays);
  const byTraffic = trafficCreditOf(period, perGbMilliToman) ?? byTime;
  return byTraffic < byTime ? byTraffic : byTime;
}

/** What of the price the time of a period has earned at a moment: in proportion, rounded down; all of it at the end. */
export function earnedOf(period: Pick<Period, 'priceToman' | 'startsAt' | 'endsAt'>, at: Date): bigint {
  const begin = period.startsAt.getTime();
  const end = period.endsAt.getTime();
  const passed = Math.max(0, Math.min(at.getTime(), end) - begin);
  return (period.priceToman * BigInt(passed)) / BigInt(end - begin);
}

/** What becomes of the unearned part of a price when its period ends early; all in toman, they sum to it. */
export interface EarlyEnd {
  readonly creditToman: bigint;
  /** Earned by the time that has passed, or by the traffic that is used up. */
  readonly earnedToman: bigint;
  /** What the refund is less than the time that is left is worth; negative: more. */
  readonly keptToman: bigint;
}

export function decideEarlyEnd(
  period: Period,
  unearnedToman: bigint,
  end: { readonly reason: Period['endReason']; readonly creditToman: bigint },
  now: Date,
): EarlyEnd {
  const { creditToman } = end;
  if (end.reason === 'used_up') return { creditToman, earnedToman: unearnedToman - creditToman, keptToman: 0n };
  // After a correction of the clock more may have been earned by day than the time says.
  const byTime = period.priceToman - earnedOf(period, now);
  const leftToman = byTime < unearnedToman ? byTime : unearnedToman;
  return { creditToman, earnedToman: unearnedToman - leftToman, keptToman: leftToman - creditToman };
}

export interface Sale {
  readonly kind: 'purchase' | 'upgrade' | 'renewal';
  readonly priceToman: bigint;
  /** Refund for the periods that end. */
  readonly creditToman: bigint;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Periods that end now, each with its refund. */
  readonly ends: readonly {
    readonly id: string;
    readonly reason: 'replaced' | 'used_up';
    readonly creditToman: bigint;
  }[];
}

export type SaleDecision =
  | { readonly kind: 'sale'; readonly sale: Sale }
  /** This plan is running already: the user should renew it instead. */
  | { readonly kind: 'running' }
  /** The next period is bought already. */
  | { readonly kind: 'renewed' }
  /** Another plan is running; switching is a purchase, not a renewal. */
  | { readonly kind: 'other' };

/** What a sale depends on besides plans and periods. */
export interface Terms {
  /** The end of the trial, while usage is free. */
  readonly freeUntil?: Date | undefined;
  /** What a GB costs without a plan; undefined while there is no exchange rate. */
  readonly perGbMilliToman?: bigint | undefined;
}

/**
 * Buying a plan starts it now, or, while usage is free, at the end of the trial (`freeUntil`). Another running plan ends
 * now, and the rest of it is credited; so is a period that has not begun, with its whole price.
 */
export function decidePurchase(plan: Plan, periods: readonly Period[], now: Date, terms: Terms = {}): SaleDecision {
  const open = openPeriods(periods, now);
  const usable = open.filter((period) => statusOf(period, now) === 'active');
  if (usable.some((period) => period.planId === plan.id)) return { kind: 'running' };
  const ends = open.map((period) => ending(period, now, terms.perGbMilliToman));
  const creditToman = ends.reduce((sum, end) => sum + end.creditToman, 0n);
  const kind = usable.length > 0 ? 'upgrade' : 'purchase';
  const begins = terms.freeUntil ?? now;
  return { kind: 'sale', sale: { kind, priceToman: plan.priceToman, creditToman, ...span(plan, begins), ends } };
}

/**
 * Renewing buys the same plan again, starting when the current period ends, or, if that is used up or over, at once or at
 * the end of the trial.
 */
export function decideRenewal(plan: Plan, periods: readonly Period[], now: Date, terms: Terms = {}): SaleDecision {
  const open = openPeriods(periods, now);
  if (open.some((period) => period.planId !== plan.id)) return { kind: 'other' };
  if (open.some((period) => statusOf(period, now) === 'scheduled')) return { kind: 'renewed' };
  const running = open.find((period) => statusOf(period, now) === 'active');
  const begins = running?.endsAt ?? terms.freeUntil ?? now;
  const ends = open.filter((period) => period !== running).map((period) => ending(period, now, terms.perGbMilliToman));
  const sale = { kind: 'renewal' as const, priceToman: plan.priceToman, creditToman: 0n, ...span(plan, begins), ends };
  return { kind: 'sale', sale };
}

/** The period that provides traffic now, after replacing a used-up one by the next one if that is already bought. */
export interface Advance {
  readonly current: Period | undefined;
  /** Already bought; starts when the current one ends. */
  readonly next: Period | undefined;
  /** A used-up period that ends now, and the next one, which starts early. */
  readonly moved: { readonly ended: string; readonly started: Period } | undefined;
}

export function decideAdvance(periods: readonly Period[], now: Date): Advance {
  const open = openPeriods(periods, now);
  const running = open.find((period) => period.startsAt.getTime() <= now.getTime());
  const next = open.find((period) => period.startsAt.getTime() > now.getTime());
  if (!running || leftOf(running) !== 0n || !next) return { current: running, next, moved: undefined };
  const started = { ...next, ...span(next, now) };
  return { current: started, next: undefined, moved: { ended: running.id, started } };
}

function openPeriods(periods: readonly Period[], now: Date): Period[] {
  return periods.filter((period) => !period.endReason && now.getTime() < period.endsAt.getTime());
}

function ending(period: Period, now: Date, perGbMilliToman: bigint | undefined): Sale['ends'][number] {
  const isUsedUp = statusOf(period, now) === 'used_up';
  return {
    id: period.id,
    reason: isUsedUp ? 'used_up' : 'replaced',
    creditToman: creditOf(period, now, perGbMilliToman),
  };
}

function span(plan: Pick<Plan, 'durationDays'>, startsAt: Date): { startsAt: Date; endsAt: Date } {
  return { startsAt, endsAt: new Date(startsAt.getTime() + plan.durationDays * DAY_MS) };
}
