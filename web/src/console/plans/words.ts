import type { StaffPlan } from '@raha/contract/admin/plans.ts';
import { isPermitted, staffRoles } from '@raha/contract/admin/roles.ts';
import { bytes, dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { hasCode } from '../api.ts';
import { roleNames } from '../words.ts';
import { type TermField, type Terms, textOf } from './draft.ts';

export function nameOf({ name_fa: persian, name_en: english }: Pick<StaffPlan, 'name_fa' | 'name_en'>): string {
  return currentLocale() === 'fa' ? persian : english;
}

export function trafficOf({ traffic_bytes: traffic }: Pick<Terms, 'traffic_bytes'>): string {
  return traffic === null ? m.console_plan_unlimited() : bytes(traffic);
}

export function daysOf(days: number): string {
  return days === 1 ? m.console_plan_day() : m.console_plan_days({ days: number(days) });
}

export function devicesOf(devices: number): string {
  return devices === 1 ? m.console_plan_device() : m.console_plan_devices({ devices: number(devices) });
}

/** «تا ۲۰ مگابیت بر ثانیه»; undefined: without a limit, of which nothing is said. */
export function speedOf({ max_mbit: mbit }: Pick<Terms, 'max_mbit'>): string | undefined {
  return mbit === null ? undefined : m.plan_speed_up_to({ mbit: number(mbit) });
}

/** «۳۰ روز، ۵۰ گیگابایت، ۲ دستگاه، تا ۲۰ مگابیت بر ثانیه» */
export function givesOf(terms: Terms): string {
  const [traffic, devices, speed] = [trafficOf(terms), devicesOf(terms.max_devices), speedOf(terms)];
  const gives = m.console_plan_gives({ days: daysOf(terms.duration_days), traffic, devices });
  return speed === undefined ? gives : `${gives}${m.comma()}${speed}`;
}

/** «۹۹٬۰۰۰ تومان برای ۳۰ روز، ۵۰ گیگابایت، ۲ دستگاه» */
export function termsOf(terms: Terms): string {
  return m.console_plan_terms({ price: m.toman({ amount: number(terms.price) }), gives: givesOf(terms) });
}

export const fieldNames: Readonly<Record<TermField, () => string>> = {
  price: m.console_plan_price,
  original_price: m.console_plan_original,
  duration_days: m.console_plan_duration,
  traffic_gb: m.console_plan_traffic,
  max_devices: m.console_plan_device_field,
  max_mbit: m.console_plan_speed,
};

/** The value of one term, as it is shown. */
export function shownTerm(terms: Terms, field: TermField): string {
  if (field === 'traffic_gb') return trafficOf(terms);
  const text = textOf(terms, field);
  if (field === 'max_mbit' && text === '') return m.console_plan_no_speed();
  return text === '' ? '–' : number(Number(text));
}

/** «قیمت (تومان) از ۹۹٬۰۰۰ به ۱۲۰٬۰۰۰» */
export function stepOf(before: Terms, after: Terms, field: TermField): string {
  const step = { before: shownTerm(before, field), after: shownTerm(after, field) };
  return m.console_plan_step({ field: fieldNames[field](), ...step });
}

/** «۱۵ آذر ۱۴۰۵، ساعت ۰۹:۳۰»: all times of the console are of Tehran. */
export function sinceOf(from: string | null): string {
  return from === null ? m.console_plan_beginning() : dateTime(from);
}

/** «مدیر کل یا مالی»: who may change plans. */
export function managers(): string {
  const roles = staffRoles.filter((role) => isPermitted(role, 'prices.manage'));
  return new Intl.ListFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en').format(roles.map((role) => roleNames[role]()));
}

/** Refused because of another member's change: the screen reads the plan anew, by which one decides again. */
export async function orReload(onChangedMeanwhile: () => void, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (hasCode(error, 'plans_changed')) onChangedMeanwhile();
    throw error;
  }
}
