import type { PlanChange, PlanTerms } from '@raha/contract/admin/plans.ts';
import { BYTES_PER_GB, toWire } from '@raha/contract/money.ts';
import type { Change } from './plan-change.ts';
import type { Terms } from './plan-tables.ts';

/** Plans as the calls of the console say them. */
export function describeTerms(terms: Terms): PlanTerms {
  return {
    price: toWire(terms.priceToman),
    original_price: terms.originalPriceToman === undefined ? null : toWire(terms.originalPriceToman),
    duration_days: terms.durationDays,
    traffic_bytes: terms.trafficLimitBytes === undefined ? null : toWire(terms.trafficLimitBytes),
    max_devices: terms.maxDevices,
    max_mbit: terms.maxMbit ?? null,
  };
}

/** Null takes a value away; what is not named stays. */
export function changeOf(body: PlanChange): Change {
  const { price, original_price: original, traffic_gb: gb, max_mbit: mbit } = body;
  const chosen = {
    ...{ durationDays: body.duration_days, maxDevices: body.max_devices, position: body.position },
    ...{ nameFa: body.name_fa, nameEn: body.name_en, isPopular: body.is_popular, isOn: body.is_on },
    priceToman: price === undefined ? undefined : BigInt(price),
  };
  return {
    ...(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)) as Change),
    ...(original === undefined ? {} : { originalPriceToman: original === null ? undefined : BigInt(original) }),
    ...(mbit === undefined ? {} : { maxMbit: mbit ?? undefined }),
    ...(gb === undefined ? {} : { trafficLimitBytes: gb === null ? undefined : BigInt(gb) * BigInt(BYTES_PER_GB) }),
  };
}
