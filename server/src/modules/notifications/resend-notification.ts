import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type ChannelDeps, sendToChannels } from './channels/send-to-channels.ts';
import { resendWaitSeconds } from './delivery-rules.ts';
import { type DeliveryRow, noteResent, selectDelivery, selectResentTimes } from './delivery-tables.ts';
import { selectEvent } from './tables.ts';

export const findDelivery = selectDelivery;
export { type DeliveryRow, noteResent };

/**
 * Sends what a notification says once more, by the same channel, composed anew and to where its user gets it now. The caller
 * holds the user, so that two members do not send it twice. Refuses `delivery_resent` (once a minute, five times a day), and
 * `delivery_not_resendable` when the notification is gone, or its user does not want it any more.
 */
export async function resendNotification(
  tx: Tx,
  deps: ChannelDeps & { readonly clock: Clock },
  delivery: DeliveryRow,
): Promise<void> {
  const seconds = resendWaitSeconds(await selectResentTimes(tx, delivery), deps.clock.now());
  if (seconds > 0) throw new Refusal('delivery_resent', { details: { seconds }, retryAfterSeconds: seconds });
  const event = delivery.notification_id === null ? undefined : await selectEvent(tx, delivery.notification_id);
  const sent = event ? await sendToChannels(tx, deps, [event], delivery.channel) : 0;
  if (sent === 0) throw new Refusal('delivery_not_resendable');
}
