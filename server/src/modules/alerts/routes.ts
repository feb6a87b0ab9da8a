import type { alerts } from '@raha/contract/admin/alerts.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { type AdminHandlers, actorOf } from '../staff/admit.ts';
import { acknowledgeAlert, silenceAlert } from './act-on-alert.ts';
import { listAlerts } from './list-alerts.ts';

/** The inbox of alerts. */
export function alertRoutes(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}): AdminHandlers<typeof alerts> {
  return {
    async listAlerts() {
      return { success: true, data: await listAlerts(deps.db) };
    },
    async acknowledgeAlert({ caller, params, body }) {
      await acknowledgeAlert(deps, { actor: actorOf(caller), id: params.id, remindMinutes: body.remind_minutes });
      return { success: true };
    },
    async silenceAlert({ caller, params, body }) {
      await silenceAlert(deps, { actor: actorOf(caller), id: params.id, minutes: body.minutes });
      return { success: true };
    },
  };
}
