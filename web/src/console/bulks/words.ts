import type { BulkAct, BulkLine, BulkState, BulkWhy } from '@raha/contract/admin/bulk.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';

export const actNames: Readonly<Record<BulkAct, () => string>> = {
  suspend: m.console_bulk_suspend,
  reopen: m.console_bulk_reopen,
  end_sessions: m.console_bulk_end_sessions,
};

/** What it does to each of them, beforehand. */
export const actEffects: Readonly<Record<BulkAct, () => string>> = {
  suspend: m.console_bulk_suspend_effect,
  reopen: m.console_bulk_reopen_effect,
  end_sessions: m.console_bulk_end_sessions_effect,
};

export const stateNames: Readonly<Record<BulkState, () => string>> = {
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

/** "Suspend 412 people". */
export function titleOf({ act, people }: Pick<BulkLine, 'act' | 'people'>): string {
  return m.console_bulk_of({ act: actNames[act](), count: number(people) });
}

export function leftOf({ people, done, failed }: BulkLine): number {
  return people - done - failed;
}
