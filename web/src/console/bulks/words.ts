import type { BulkAct, BulkLine, BulkState, BulkWhy } from '@raha/contract/admin/bulk.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';

export const actNames: Readonly<Record<BulkAct, () => string>> = {
  suspend: m.console_bulk_suspend,
  reopen: m.console_bulk_reopen,
  end_sessions: m.console_bulk_end_sessions,
  credit: m.console_bulk_credit,
};

/** What it does to each of them, beforehand. */
export const actEffects: Readonly<Record<BulkAct, () => string>> = {
  suspend: m.console_bulk_suspend_effect,
  reopen: m.console_bulk_reopen_effect,
  end_sessions: m.console_bulk_end_sessions_effect,
  credit: m.console_bulk_credit_effect,
};

export const stateNames: Readonly<Record<BulkState, () => string>> = {
  proposed: m.console_bulk_proposed,
  planned: m.console_bulk_planned,
  running: m.console_bulk_running,
  paused: m.console_bulk_paused,
  stopped: m.console_bulk_stopped,
  cancelled: m.console_bulk_cancelled,
  done: m.console_bulk_done,
};

export const whyNames: Readonly<Record<BulkWhy, () => string>> = {
  gone: m.console_bulk_why_gone,
  staff: m.console_bulk_why_staff,
  not_active: m.console_bulk_why_not_active,
  not_suspended: m.console_bulk_why_not_suspended,
  changed: m.console_bulk_why_changed,
  error: m.console_bulk_why_error,
};

/** "Suspend, 412 people", and of a credit how much each gets. */
export function titleOf({ act, people, toman }: Pick<BulkLine, 'act' | 'people' | 'toman'>): string {
  if (toman === null) return ofPeople(act, people);
  const amount = number(toman);
  return people === 1
    ? m.console_bulk_credit_of_one({ amount })
    : m.console_bulk_credit_of({ amount, count: number(people) });
}

export function ofPeople(act: BulkAct, people: number): string {
  const name = actNames[act]();
  return people === 1 ? m.console_bulk_of_one({ act: name }) : m.console_bulk_of({ act: name, count: number(people) });
}

export function peopleOf(count: number): string {
  return count === 1 ? m.console_bulk_people_one() : m.console_bulk_people({ count: number(count) });
}

export function leftOf({ people, done, failed }: BulkLine): number {
  return people - done - failed;
}
