import type { deliveryCalls } from '@raha/contract/admin/deliveries.ts';
import { listUnsentDeliveries, listUserDeliveries } from '../notifications/list-deliveries.ts';
import { type ResendDeps, resendMessage } from '../profile/resend-message.ts';
import { type AdminHandlers, actorOf } from '../staff/admit.ts';
import { lookAt } from './look.ts';

/** What became of mails and text messages. */
export function deliveryRoutes(deps: ResendDeps): AdminHandlers<typeof deliveryCalls> {
  return {
    async listUserDeliveries({ caller, params, query }) {
      await lookAt(deps, { actor: actorOf(caller), userId: params.id });
      return { success: true, data: await listUserDeliveries(deps.db, params.id, query.before) };
    },
    async listUnsentDeliveries({ query }) {
      return { success: true, data: await listUnsentDeliveries(deps.db, query) };
    },
    async resendDelivery({ caller, params }) {
      await resendMessage(deps, { actor: actorOf(caller), id: params.id });
      return { success: true };
    },
  };
}
