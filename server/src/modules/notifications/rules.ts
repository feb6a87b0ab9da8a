import { limits } from '@raha/contract/limits.ts';
import { type NotificationKind, notificationKinds } from '@raha/contract/public/notifications.ts';

/**
 * What comes by no second mail: a sign-in from a new device always has one of its own, because that is for the account's
 * safety; the others greet a user who has just typed a code from an email.
 */
const neverMailed: readonly NotificationKind[] = ['welcome', 'address_verified', 'new_device'];

/** What may come by mail as well. */
export const mailableKinds = notificationKinds.filter((kind) => !neverMailed.includes(kind));

/** Those that do unless a user says otherwise: what one should know of while not looking at the panel. */
export const initialMailKinds: readonly NotificationKind[] = [
  'payment_completed',
  'payment_reversed',
  'refund_confirmed',
  'refund_failed',
  'low_balance',
  'service_cut',
  'plan_ending',
  'config_moved',
];

export function isMailable(kind: NotificationKind): boolean {
  return mailableKinds.includes(kind);
}

/** What may come by text message: only what ends the service. */
export function smsPurposeOf(kind: NotificationKind): 'low_balance' | 'service_cut' | undefined {
  return kind === 'low_balance' || kind === 'service_cut' ? kind : undefined;
}

/** Money that came in from outside or came back: the balance after it is the low-balance baseline. */
export const topUps: readonly NotificationKind[] = [
  'account_activated',
  'card_redeemed',
  'payment_completed',
  'refund_failed',
  'transfer_received',
];

/**
 * The lowest share of the baseline, in percent, that a balance has fallen to and that the user was not warned of since the
 * baseline was set; undefined when there is no warning to give. Falling past several at once is one warning.
 */
export function decideLowBalance(state: {
  readonly balanceToman: bigint;
  readonly baselineToman: bigint;
  /** 100 when no warning was given. */
  readonly warnedPercent: number;
}): number | undefined {
  const reached = limits.notifications.lowBalancePercents.filter(
    (percent) => state.balanceToman * 100n <= state.baselineToman * BigInt(percent),
  );
  const lowest = Math.min(...reached);
  return lowest < state.warnedPercent ? lowest : undefined;
}
