import type { DeliveryChannel, DeliveryKind } from '@raha/contract/deliveries.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { remainingUser } from '../accounts/users.ts';
import type { Outcome } from './delivery-rules.ts';

/** delivery */

export interface NewDelivery {
  /** The job's. */
  readonly id: string;
  readonly channel: DeliveryChannel;
  readonly kind: DeliveryKind;
  readonly userId: string | undefined;
  readonly notificationId: string | undefined;
  readonly attempts: number;
  readonly outcome: Outcome;
}

/** An attempt, the first or another, in one statement. A user who was erased meanwhile is not named. */
export async function upsertDelivery(db: Executor, delivery: NewDelivery, now: Date): Promise<void> {
  const { outcome } = delivery;
  const [reason, code] = outcome.state === 'sent' ? [null, null] : [outcome.reason, outcome.code ?? null];
  await sql`
    WITH owner AS (${remainingUser(delivery.userId)})
    INSERT INTO delivery (id, user_id, channel, kind, notification_id, state, attempts, reason, code, first_at, at)
    VALUES (${delivery.id}, (SELECT id FROM owner), ${delivery.channel}, ${delivery.kind}, ${delivery.notificationId ?? null},
      ${outcome.state}, ${delivery.attempts}, ${reason}, ${code}, ${now}, ${now})
    ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, state = excluded.state, attempts = excluded.attempts,
      reason = excluded.reason, code = excluded.code, at = excluded.at
  `.execute(db);
}

export async function deleteOldDeliveries(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM delivery WHERE ctid IN (SELECT ctid FROM delivery WHERE at < ${before} LIMIT ${limit} FOR UPDATE)`,
  );
}

export async function deleteDeliveriesOf(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM delivery WHERE user_id = ${userId}`.execute(tx);
}
