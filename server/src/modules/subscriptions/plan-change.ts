import { formatBytes, formatNumber } from '@raha/contract/persian.ts';
import type { PlanRow, Showing, Terms } from './plan-tables.ts';

/** What an operator may change of a plan. `undefined` of a field that is named takes it away. */
export type Change = Partial<Terms & Showing>;
export type ChosenPlan = Omit<PlanRow, 'versionId' | 'revision'>;

export function newPlan(id: string): ChosenPlan {
  return {
    id,
    nameFa: id,
    nameEn: id,
    priceToman: 0n,
    originalPriceToman: undefined,
    durationDays: 30,
    trafficLimitBytes: undefined,
    maxDevices: 1,
    maxMbit: undefined,
    isPopular: false,
    // So that a new plan is not sold by mistake before it has a price.
    isOn: false,
    position: 100,
  };
}

/** The plan with what is changed of it. */
export function choose(plan: ChosenPlan, change: Change): ChosenPlan {
  return { id: plan.id, ...termsOf(plan), ...showingOf(plan), ...change };
}

export function termsOf(plan: Terms): Terms {
  const { priceToman, originalPriceToman, durationDays, trafficLimitBytes, maxDevices, maxMbit } = plan;
  return { priceToman, originalPriceToman, durationDays, trafficLimitBytes, maxDevices, maxMbit };
}

export function showingOf({ nameFa, nameEn, isPopular, isOn, position }: Showing): Showing {
  return { nameFa, nameEn, isPopular, isOn, position };
}

/** Whether a buyer gets and pays the same. The crossed-out price beside it is no part of that. */
export function isSameOffer(a: Terms, b: Terms): boolean {
  const isSameUse = a.trafficLimitBytes === b.trafficLimitBytes && a.maxDevices === b.maxDevices;
  return isSameUse && a.maxMbit === b.maxMbit && a.priceToman === b.priceToman && a.durationDays === b.durationDays;
}

/** «۱۲۰٬۰۰۰ تومان برای ۳۰ روز، ۵۰ گیگابایت و ۲ دستگاه، تا ۲۰ مگابیت بر ثانیه» */
export function sentenceOfTerms(terms: Terms): { readonly fa: string; readonly en: string } {
  const traffic = terms.trafficLimitBytes === undefined ? undefined : Number(terms.trafficLimitBytes);
  const fa = (value: number) => formatNumber(value, 'fa');
  const en = (value: number) => formatNumber(value, 'en');
  const { priceToman, durationDays: days, maxDevices: devices } = terms;
  const price = Number(priceToman);
  const speed = speedOf(terms);
  const devicesEn = `${en(devices)} ${devices === 1 ? 'device' : 'devices'}`;
  const daysEn = `${en(days)} ${days === 1 ? 'day' : 'days'}`;
  return {
    fa: `${fa(price)} تومان برای ${fa(days)} روز، ${traffic === undefined ? 'ترافیک نامحدود' : formatBytes(traffic, 'fa')} و ${fa(devices)} دستگاه${speed ? `، ${speed.fa}` : ''}`,
    en: `${en(price)} toman for ${daysEn}, ${traffic === undefined ? 'unlimited traffic' : formatBytes(traffic, 'en')} and ${devicesEn}${speed ? `, ${speed.en}` : ''}`,
  };
}

/** «تا ۲۰ مگابیت بر ثانیه»; undefined: without a limit, of which nothing is said. */
export function speedOf({ maxMbit }: Pick<Terms, 'maxMbit'>): { readonly fa: string; readonly en: string } | undefined {
  if (maxMbit === undefined) return undefined;
  return {
    fa: `تا ${formatNumber(maxMbit, 'fa')} مگابیت بر ثانیه`,
    en: `up to ${formatNumber(maxMbit, 'en')} Mbit/s`,
  };
}
