import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import { formatBytes, formatNumber } from '@raha/contract/persian.ts';
import type { Plan, Subscription } from '@raha/contract/public/subscriptions.ts';
import type { Executor } from '../../platform/database.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { readPlanUsage } from '../metering/leases.ts';
import { usualPrice } from '../pricing/price.ts';
import { speedOf } from '../subscriptions/plan-change.ts';
import type { PeriodRow, PlanRow } from '../subscriptions/plans.ts';
import { creditOf, daysLeft, statusOf, trafficOf } from '../subscriptions/rules.ts';

/** Periods as the panel shows them, with the traffic that has passed in each. */
export async function describePeriods(
  { db, exchangeRate }: { readonly db: Executor; readonly exchangeRate: ExchangeRateSource },
  periods: readonly PeriodRow[],
  locale: Locale,
  now: Date,
  known?: ReadonlyMap<string, bigint>,
): Promise<Subscription[]> {
  const ids = periods.map((period) => period.id);
  const used = known ?? (await readPlanUsage(db, ids));
  const perGbMilliToman = await usualPrice(db, exchangeRate, now);
  return periods.map((drawn) => {
    const period = asUsed(drawn, used);
    const traffic = trafficOf(period);
    const usedBytes = used.get(period.id) ?? 0n;
    const status = statusOf(period, now);
    const runs = status === 'active' || status === 'used_up';
    const daysRemaining = runs || status === 'scheduled' ? daysLeft(period, now) : 0;
    const isFollowed = periods.some((other) => statusOf(other, now) === 'scheduled');
    return {
      id: period.id,
      plan: {
        id: period.planId,
        name: locale === 'fa' ? period.nameFa : period.nameEn,
        traffic_limit: traffic === undefined ? null : toWire(traffic),
        max_devices: period.maxDevices,
        max_mbit: period.maxMbit ?? null,
        duration: period.durationDays,
      },
      status,
      type: 'limited',
      isTrial: false,
      startDate: period.startsAt.toISOString(),
      endDate: period.endsAt.toISOString(),
      price: toWire(period.priceToman),
      traffic_used: toWire(usedBytes),
      daysRemaining,
      isExpiring: runs && !isFollowed && daysRemaining <= limits.subscription.expiringDays,
      refundable: toWire(creditOf(period, now, perGbMilliToman)),
      credited: toWire(period.creditedToman),
    };
  });
}

/** Periods as they are once all leases are recalled, as a purchase and a cancellation do: only what has passed is used. */
export async function withoutLeases(db: Executor, periods: readonly PeriodRow[]): Promise<PeriodRow[]> {
  const used = await readPlanUsage(
    db,
    periods.map((period) => period.id),
  );
  return periods.map((period) => asUsed(period, used));
}

function asUsed(period: PeriodRow, used: ReadonlyMap<string, bigint>): PeriodRow {
  return { ...period, grantedBytes: used.get(period.id) ?? 0n };
}

export function describePlan(plan: PlanRow, locale: Locale): Plan {
  return {
    id: plan.id,
    version: plan.versionId,
    name: locale === 'fa' ? plan.nameFa : plan.nameEn,
    price: toWire(plan.priceToman),
    originalPrice: plan.originalPriceToman === undefined ? null : toWire(plan.originalPriceToman),
    duration: plan.durationDays,
    trafficLimit: plan.trafficLimitBytes === undefined ? null : toWire(plan.trafficLimitBytes),
    maxDevices: plan.maxDevices,
    maxMbit: plan.maxMbit ?? null,
    isPopular: plan.isPopular,
    features: featuresOf(plan, locale),
  };
}

function featuresOf(plan: PlanRow, locale: Locale): string[] {
  const devices = formatNumber(plan.maxDevices, locale);
  const traffic =
    plan.trafficLimitBytes === undefined ? undefined : formatBytes(Number(plan.trafficLimitBytes), locale);
  const speed = speedOf(plan);
  if (locale === 'fa') {
    const speeds = speed ? [`سرعت ${speed.fa}`] : [];
    return [traffic ?? 'ترافیک نامحدود', `${devices} دستگاه`, ...speeds, 'همهٔ سرورها'];
  }
  const plural = plan.maxDevices === 1 ? 'device' : 'devices';
  const speeds = speed ? [`Speed ${speed.en}`] : [];
  return [traffic ?? 'Unlimited traffic', `${devices} ${plural}`, ...speeds, 'All servers'];
}
