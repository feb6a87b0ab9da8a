import { limits } from '@raha/contract/limits.ts';
import { type NotificationKind, notificationKinds } from '@raha/contract/public/notifications.ts';

/**
 * Kinds that are never emailed: a sign-in from a new device, changed factors and money sent always have their own security
 * email, and the others follow an email whose code the user has just entered.
 */
const neverMailed: readonly NotificationKind[] = [
  'welcome',
  'address_verified',
  'new_device',
  'factors_changed',
  'transfer_sent',
];

/** The kinds that a user can choose to get by email. */
export const mailableKinds = notificationKinds.filter((kind) => !neverMailed.includes(kind));

/** The kinds that are emailed by default: what a user should know of without opening the panel. */
export const initialMailKinds: readonly NotificationKind[] = [
  'payment_completed',
  'payment_reversed',
  'refund_confirmed',
  'refund_failed',
  'low_balance',
  'service_cut',
  'plan_ending',
  'config_moved',
  'entry_blocked',
  'config_traced',
];

export function isMailable(kind: NotificationKind): boolean {
  return mailableKinds.includes(kind);
}

/** Only kinds that announce or report the end of the service are sent as a text message. */
export function smsPurposeOf(kind: NotificationKind): 'low_balance' | 'service_cut' | undefined {
  return kind === 'low_balance' || kind === 'service_cut' ? kind : undefined;
}

/** Kinds that are shown by a browser that takes notifications: whether the internet of its owner works. */
export function isPushed(kind: NotificationKind): boolean {
  return kind === 'low_balance' || kind === 'service_cut' || kind === 'service_restored';
}

/** Money that came in or came back: the balance after it becomes the low-balance baseline. */
export const topUps: readonly NotificationKind[] = [
  'account_activated',
  'card_redeemed',
  'payment_completed',
  'refund_failed',
  'transfer_received',
];

/**
 * The lowest threshold, in percent of the baseline, that the balance has fallen below and that the user was not warned of
 * since the baseline was set; undefined if no warning is due. Passing several thresholds at once gives one warning.
 */
export function decideLowBalance(state: {
  readonly balanceToman: bigint;
  readonly baselineToman: bigint;
  /** 100 before the first warning. */
  readonly warnedPercent: number;
}): number | undefined {
  const reached = limits.notifications.lowBalancePercents.filter(
    (percent) => state.balanceToman * 100n <= state.baselineToman * BigInt(percent),
  );
  const lowest = Math.min(...reached);
  return lowest < state.warnedPercent ? lowest : undefined;
}
