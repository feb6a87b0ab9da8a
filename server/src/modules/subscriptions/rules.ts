/** A plan as the operator offers it. Traffic undefined: unlimited. */
export interface Plan {
  readonly id: string;
  readonly priceToman: bigint;
  readonly durationDays: number;
  readonly trafficLimitBytes: bigint | undefined;
  readonly maxDevices: number;
}

/** One bought stretch of a plan, with what was agreed. */
export interface Period extends Omit<Plan, 'id'> {
  readonly id: string;
  readonly planId: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly grantedBytes: bigint;
  /** Come from a used-up period before this one; negative: gone to the one after it. */
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

/** All bytes that a period gives, with those carried to it; undefined: any number. */
export function trafficOf(period: Pick<Period, 'trafficLimitBytes' | 'carriedBytes'>): bigint | undefined {
  return period.trafficLimitBytes === undefined ? undefined : period.trafficLimitBytes + period.carriedBytes;
}

/** Bytes that may still be given out; undefined: any number. */
export function leftOf(
  period: Pick<Period, 'trafficLimitBytes' | 'carriedBytes' | 'grantedBytes'>,
): bigint | undefined {
  const traffic = trafficOf(period);
  return traffic === undefined ? undefined : traffic - period.grantedBytes;
}

/** Whole days and a begun one until the end; what screens show. */
export function daysLeft(period: Pick<Period, 'endsAt'>, now: Date): number {
  return Math.max(0, Math.ceil((period.endsAt.getTime() - now.getTime()) / DAY_MS));
}

/**
 * What comes back to the wallet when a period ends now: the price for the whole days that are left, or for the traffic
 * that is left, whichever is less, rounded down. All of it before the start; nothing at or after the end. Carried bytes
 * are no money: more traffic than its own is worth more than the price, and the days are never worth more than that.
 */
export function creditOf(period: Period, now: Date): bigint {
  if (period.endReason || now.getTime() >= period.endsAt.getTime()) return 0n;
  const from = Math.max(now.getTime(), period.startsAt.getTime());
  const days = BigInt(Math.floor((period.endsAt.getTime() - from) / DAY_MS));
  const byTime = (period.priceToman * days) / BigInt(period.durationDays);
  const left = leftOf(period);
  if (left === undefined || period.trafficLimitBytes === undefined) return byTime;
  const byTraffic = (period.priceToman * left) / period.trafficLimitBytes;
  return byTraffic < byTime ? byTraffic : byTime;
}

export interface Sale {
  readonly kind: 'purchase' | 'upgrade' | 'renewal';
  readonly priceToman: bigint;
  /** Given back for the periods that end. */
  readonly creditToman: bigint;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Periods that end now, each with what comes back for it. */
  readonly ends: readonly {
    readonly id: string;
    readonly reason: 'replaced' | 'used_up';
    readonly creditToman: bigint;
  }[];
}

export type SaleDecision =
  | { readonly kind: 'sale'; readonly sale: Sale }
  /** This plan runs already: renewing it is what is meant. */
  | { readonly kind: 'running' }
  /** The next period is bought already. */
  | { readonly kind: 'renewed' }
  /** Another plan runs; it is changed by buying, not by renewing. */
  | { readonly kind: 'other' };

/** Buying a plan: begins now. Another running plan ends now, and what is left of it is credited. */
export function decidePurchase(plan: Plan, periods: readonly Period[], now: Date): SaleDecision {
  const open = openPeriods(periods, now);
  const usable = open.filter((period) => statusOf(period, now) !== 'used_up');
  if (usable.some((period) => period.planId === plan.id)) return { kind: 'running' };
  const ends = open.map((period) => ending(period, now));
  const creditToman = ends.reduce((sum, end) => sum + end.creditToman, 0n);
  const kind = usable.length > 0 ? 'upgrade' : 'purchase';
  return { kind: 'sale', sale: { kind, priceToman: plan.priceToman, creditToman, ...span(plan, now), ends } };
}

/** Renewing: the same plan again, from the end of what runs; at once when that is used up or over. */
export function decideRenewal(plan: Plan, periods: readonly Period[], now: Date): SaleDecision {
  const open = openPeriods(periods, now);
  if (open.some((period) => period.planId !== plan.id)) return { kind: 'other' };
  if (open.some((period) => statusOf(period, now) === 'scheduled')) return { kind: 'renewed' };
  const running = open.find((period) => statusOf(period, now) === 'active');
  const begins = running?.endsAt ?? now;
  const ends = open.filter((period) => period !== running).map((period) => ending(period, now));
  const sale = { kind: 'renewal' as const, priceToman: plan.priceToman, creditToman: 0n, ...span(plan, begins), ends };
  return { kind: 'sale', sale };
}

/** The period that gives traffic now, after a used-up one has made way for the next that is bought already. */
export interface Advance {
  readonly current: Period | undefined;
  /** Bought already, to begin when the current one ends. */
  readonly next: Period | undefined;
  /** A used-up period that ends now, and the next one that begins early. */
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

function ending(period: Period, now: Date): Sale['ends'][number] {
  const isUsedUp = statusOf(period, now) === 'used_up';
  return { id: period.id, reason: isUsedUp ? 'used_up' : 'replaced', creditToman: creditOf(period, now) };
}

function span(plan: Pick<Plan, 'durationDays'>, startsAt: Date): { startsAt: Date; endsAt: Date } {
  return { startsAt, endsAt: new Date(startsAt.getTime() + plan.durationDays * DAY_MS) };
}
