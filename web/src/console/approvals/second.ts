import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Prices } from '@raha/contract/admin/prices.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';

/** Null: the member changes prices alone. */
export type Second = Prices['second'];

/** That a second member decides, and of one who is alone, how long it waits; empty: nobody has to. */
export function waitOf(second: Second): string {
  if (second === null) return '';
  const { hours } = second;
  return hours === null ? m.console_approval_second() : m.console_approval_second_alone({ hours: number(hours) });
}

/** When what is to hold at once begins: what is proposed begins with its approval. */
export function atOnceOf(second: Second): string {
  return second === null ? m.console_price_now() : m.console_price_once_approved();
}

/** How long before its moment what is proposed for later has to be approved. */
export function inTime(): { readonly minutes: string } {
  return { minutes: number(staffLimits.prices.planMinutes) };
}
