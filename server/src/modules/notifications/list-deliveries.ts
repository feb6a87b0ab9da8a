import type { DeliveryLine } from '@raha/contract/admin/deliveries.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { DeliveryChannel, DeliveryState } from '@raha/contract/deliveries.ts';
import type { Executor } from '../../platform/database.ts';
import { isResendable } from './delivery-rules.ts';
import { type DeliveryRow, selectDeliveriesOf, selectUnsent } from './delivery-tables.ts';

export interface DeliveryPage {
  readonly deliveries: DeliveryLine[];
  /** The `before` of the next page. */
  readonly next: string | null;
}

const { page } = staffLimits.deliveries;

/** For staff: what became of the mails and text messages to a user, newest first. */
export async function listUserDeliveries(
  db: Executor,
  userId: string,
  before: string | undefined,
): Promise<DeliveryPage> {
  return pageOf(await selectDeliveriesOf(db, userId, { before, limit: page + 1 }));
}

/** For staff: what was not sent, of everybody, newest first. */
export async function listUnsentDeliveries(
  db: Executor,
  asked: {
    readonly state?: DeliveryState | undefined;
    readonly channel?: DeliveryChannel | undefined;
    readonly before?: string | undefined;
  },
): Promise<DeliveryPage> {
  const { state, channel, before } = asked;
  return pageOf(await selectUnsent(db, { state, channel, before, limit: page + 1 }));
}

/** One more than the page holds was read: then there is another one. */
function pageOf(rows: readonly DeliveryRow[]): DeliveryPage {
  const deliveries = rows.slice(0, page).map(lineOf);
  return { deliveries, next: rows.length > page ? (deliveries.at(-1)?.id ?? null) : null };
}

function lineOf(row: DeliveryRow): DeliveryLine {
  const { id, channel, kind, state, attempts, reason, code } = row;
  return {
    ...{ id, user: row.user_id, channel, kind, state, attempts, reason, code },
    first_at: row.first_at.toISOString(),
    at: row.at.toISOString(),
    can_resend: isResendable({ ...row, userId: row.user_id, notificationId: row.notification_id }),
  };
}
