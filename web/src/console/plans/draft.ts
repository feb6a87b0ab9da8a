import type { PlanChange, PlanVersion, StaffPlan } from '@raha/contract/admin/plans.ts';
import { BYTES_PER_GB } from '@raha/contract/money.ts';
import { parseAmount } from '@raha/contract/persian.ts';

/** What of a plan's terms is typed; a field that nobody touched shows what the plan has. */
export const termFields = [
  'price',
  'original_price',
  'duration_days',
  'traffic_gb',
  'max_devices',
  'max_mbit',
] as const;
export type TermField = (typeof termFields)[number];
export type Draft = Readonly<Partial<Record<TermField, string>>>;

export type Terms = Pick<
  StaffPlan | PlanVersion,
  'price' | 'original_price' | 'duration_days' | 'traffic_bytes' | 'max_devices' | 'max_mbit'
>;

/** Empty: no original price, or traffic or speed without a limit. */
export function textOf(terms: Terms, field: TermField): string {
  if (field === 'traffic_gb') return terms.traffic_bytes === null ? '' : String(terms.traffic_bytes / BYTES_PER_GB);
  const value = terms[field];
  return value === null ? '' : String(value);
}

/** The terms as they would be; undefined: a field has no whole number. */
export function readDraft(plan: Terms, draft: Draft): Terms | undefined {
  const number = (field: TermField, isOptional = false) => {
    const text = draft[field] ?? textOf(plan, field);
    return isOptional && text.trim() === '' ? null : parseAmount(text);
  };
  // What is not touched may be no whole number of gigabytes.
  const gigabytes = draft.traffic_gb === undefined ? undefined : number('traffic_gb', true);
  const terms = {
    price: number('price') ?? Number.NaN,
    original_price: number('original_price', true),
    duration_days: number('duration_days') ?? Number.NaN,
    traffic_bytes: gigabytes === undefined ? plan.traffic_bytes : gigabytes === null ? null : gigabytes * BYTES_PER_GB,
    max_devices: number('max_devices') ?? Number.NaN,
    max_mbit: number('max_mbit', true),
  };
  return Object.values(terms).some((value) => Number.isNaN(value)) ? undefined : terms;
}

/** The fields in which two sets of terms differ. */
export function differing(before: Terms, after: Terms): TermField[] {
  return termFields.filter((field) => textOf(before, field) !== textOf(after, field));
}

/** What is sent: only what is different. */
export function changeOf(before: Terms, after: Terms): PlanChange {
  const fields = differing(before, after).map((field) => {
    if (field !== 'traffic_gb') return [field, after[field]];
    return [field, after.traffic_bytes === null ? null : after.traffic_bytes / BYTES_PER_GB];
  });
  return Object.fromEntries(fields) as PlanChange;
}
