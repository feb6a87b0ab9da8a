import type { DifferenceKind, SettlementDifference } from '@raha/contract/admin/books.ts';
import { m } from '../../text/generated/messages.js';

export const kindNames: Readonly<Record<DifferenceKind, () => string>> = {
  unreadable: m.console_difference_unreadable,
  doubled: m.console_difference_doubled,
  'fee-above-amount': m.console_difference_fee_above_amount,
  'unknown-payment': m.console_difference_unknown_payment,
  'unknown-return': m.console_difference_unknown_return,
  'other-amount': m.console_difference_other_amount,
  'already-settled': m.console_difference_already_settled,
  missing: m.console_difference_missing,
  'not-taken-back': m.console_difference_not_taken_back,
};

export const bookingNames = {
  nothing: m.console_resolve_nothing,
  bank: m.console_resolve_bank,
  difference: m.console_resolve_difference,
} as const;

/** How a difference may be booked: a line of the bank only to the bank, one that nobody can read not at all. */
export function bookingsOf({ kind, line }: SettlementDifference): readonly (keyof typeof bookingNames)[] {
  if (kind === 'unreadable') return ['nothing'];
  return line === null ? ['nothing', 'bank', 'difference'] : ['nothing', 'bank'];
}
