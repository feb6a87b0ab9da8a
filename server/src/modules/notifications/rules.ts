import { limits } from '@raha/contract/limits.ts';
import type { NoticeKind } from '@raha/contract/public/notifications.ts';

/** Money that came in from outside or came back: the balance after it is the level by which "low" is measured. */
export const topUps: readonly NoticeKind[] = [
  'account_activated',
  'card_redeemed',
  'payment_completed',
  'refund_failed',
  'transfer_received',
];

/**
 * The lowest share of the level, in percent, that a balance has fallen to and that the person has not heard of since the
 * level was set; undefined when there is nothing to say. Falling past several at once is one message.
 */
export function decideLowBalance(state: {
  readonly balanceToman: bigint;
  readonly levelToman: bigint;
  /** 100 when nothing has been said. */
  readonly warnedPercent: number;
}): number | undefined {
  const reached = limits.notifications.lowBalancePercents.filter(
    (percent) => state.balanceToman * 100n <= state.levelToman * BigInt(percent),
  );
  const lowest = Math.min(...reached);
  return lowest < state.warnedPercent ? lowest : undefined;
}
