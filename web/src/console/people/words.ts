import type { AccountStatus } from '@raha/contract/accounts.ts';
import type { CutReason, TimelineKind, UserLine } from '@raha/contract/admin/people.ts';
import { unnamedMember } from '@raha/contract/admin/roles.ts';
import { m } from '../../text/generated/messages.js';

export const statusNames: Readonly<Record<AccountStatus, () => string>> = {
  pending_verification: m.console_status_pending_verification,
  incomplete: m.console_status_incomplete,
  active: m.console_status_active,
  suspended: m.console_status_suspended,
  deactivated: m.console_status_deactivated,
  deleted: m.console_status_deleted,
};

export const foundBy: Readonly<Record<Exclude<UserLine['found_by'], null>, () => string>> = {
  part: m.console_by_part,
  id: m.console_by_id,
  payment: m.console_by_payment,
  config: m.console_by_config,
  transfer: m.console_by_transfer,
};

/** Why a config lets nothing pass, in one sentence. */
export const cutSentences: Readonly<Record<CutReason, () => string>> = {
  account_suspended: m.console_cut_account_suspended,
  account_closed: m.console_cut_account_closed,
  not_activated: m.console_cut_not_activated,
  switched_off: m.console_cut_switched_off,
  cap_reached: m.console_cut_cap_reached,
  no_balance: m.console_cut_no_balance,
  server_offline: m.console_cut_server_offline,
};

export const timelineNames: Readonly<Record<TimelineKind, () => string>> = {
  money: m.console_timeline_money,
  config: m.console_timeline_config,
  sign_in: m.console_timeline_sign_in,
  notification: m.console_timeline_notification,
  operator: m.console_timeline_operator,
};

export const lineStates: Readonly<Record<string, () => string>> = {
  pending: m.console_line_pending,
  failed: m.console_line_failed,
  cancelled: m.console_line_cancelled,
};

/** A name inside a sentence of either direction. */
export function isolated(word: string): string {
  return `\u2068${word}\u2069`;
}

export function shownName({ name }: { readonly name: string }): string {
  if (name === unnamedMember) return m.console_user_unnamed_member();
  return name === '' ? m.console_user_no_name() : isolated(name);
}
