import type { Actor, Audit } from '../../platform/audit.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUser, lockUser, type User } from '../accounts/users.ts';
import type { ChannelDeps } from '../notifications/channels/send-to-channels.ts';
import {
  type DeliveryRow,
  findDelivery,
  noteResent,
  resendNotification,
} from '../notifications/resend-notification.ts';
import { purposeOfKind, resendCode, resendResetLink } from '../sessions/resend-code.ts';
import type { SendCodeDeps } from '../sessions/send-code.ts';
import { selectLastNumber } from './phone-tables.ts';
import { type PhoneDeps, sendPhoneCode } from './verify-phone.ts';

export type ResendDeps = Omit<SendCodeDeps, 'publicUrl'> &
  Omit<ChannelDeps, 'publicUrl'> &
  PhoneDeps & { readonly audit: Audit; readonly publicUrl: string };

/**
 * Sends a mail or text message again, for a member of staff: another code or link within the limits of the user's own requests, or
 * a notification once more. One entry of the audit, in the same transaction. Refuses `not_found`, `delivery_waiting`,
 * `delivery_not_resendable`, `delivery_resent`, and what its user would be refused, such as `code_too_soon`.
 */
export async function resendMessage(
  deps: ResendDeps,
  { actor, id }: { readonly actor: Actor; readonly id: string },
): Promise<void> {
  const delivery = await findDelivery(deps.db, id);
  if (!delivery) throw new Refusal('not_found');
  if (delivery.state === 'waiting') throw new Refusal('delivery_waiting');
  if (delivery.user_id === null) throw new Refusal('delivery_not_resendable');
  const user = await getUser(deps.db, delivery.user_id);
  await send(deps, user, delivery, async (tx) => {
    await noteResent(tx, id, deps.clock.now());
    const details = { delivery: id, kind: delivery.kind, channel: delivery.channel };
    await deps.audit.record(tx, actor, {
      action: 'deliveries.resend',
      target: { kind: 'user', id: user.id },
      details,
    });
  });
}

async function send(
  deps: ResendDeps,
  user: User,
  delivery: DeliveryRow,
  record: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { kind, notification_id } = delivery;
  const purpose = purposeOfKind(kind);
  if (purpose) return await resendCode(deps, { user, purpose }, record);
  if (kind === 'password_link') return await resendResetLink(deps, user, record);
  if (kind === 'phone_code') {
    const phone = await selectLastNumber(deps.db, user.id);
    if (phone === undefined) throw new Refusal('delivery_not_resendable');
    await sendPhoneCode(deps, user.id, phone, record);
    return;
  }
  if (notification_id === null) throw new Refusal('delivery_not_resendable');
  await inTransaction(deps.db, async (tx) => {
    await lockUser(tx, user.id);
    await resendNotification(tx, { ...deps, publicUrl: () => deps.publicUrl }, delivery);
    await record(tx);
  });
}
