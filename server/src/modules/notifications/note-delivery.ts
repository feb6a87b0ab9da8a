import type { DeliveryChannel } from '@raha/contract/deliveries.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { MessageAbout } from '../../platform/email.ts';
import type { Attempt } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Outcome } from './delivery-rules.ts';
import { upsertDelivery } from './delivery-tables.ts';

export interface NoteDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Notes what became of an attempt to send a message (decision 121). The message is out, or will be tried again, whether this can be
 * written or not: a note that fails must not send anything twice. `about` is absent from jobs of earlier releases.
 */
export async function noteDelivery(
  deps: NoteDeps,
  { jobId, number }: Attempt,
  { channel, about }: { readonly channel: DeliveryChannel; readonly about: MessageAbout | undefined },
  outcome: Outcome,
): Promise<void> {
  const { kind = 'other', userId, notificationId } = about ?? {};
  const delivery = { id: jobId, channel, kind, userId, notificationId, attempts: number, outcome };
  try {
    await upsertDelivery(deps.db, delivery, deps.clock.now());
  } catch (err) {
    deps.log.error({ err, job: jobId }, 'what became of a message was not noted');
  }
}
