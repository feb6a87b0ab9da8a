import * as z from 'zod/mini';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { type AlertRule, alertRules, alertSeverities } from './alert-rules.ts';
import { defineAdminEndpoint } from './endpoint.ts';

/**
 * The inbox of alerts. There is one for each cause; it opens and closes by itself. Staff take it on (`acknowledge`) or silence
 * it for a time. Neither moves anything, so a phone at night needs no new proof.
 */

/** When to remind those who get alerts, if it still stands then. */
export const remindMinutes = [15, 60] as const;
export const silenceMinutes = [60, 480, 1_440, 10_080] as const;

export const alert = z.object({
  id,
  rule: z.enum(Object.keys(alertRules) as [AlertRule, ...AlertRule[]]),
  cause: z.string(),
  figure: z.nullable(z.int()),
  severity: z.enum(alertSeverities),
  opened_at: instant,
  closed_at: z.nullable(instant),
  acknowledged_at: z.nullable(instant),
  /** The address of the member; null: at the command line, or not yet. */
  acknowledged_by: z.nullable(z.string()),
  silenced_until: z.nullable(instant),
  silenced_by: z.nullable(z.string()),
});
export type Alert = z.output<typeof alert>;

export const alerts = {
  listAlerts: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/alerts',
    caller: 'staff',
    may: 'alerts.read',
    proof: 'none',
    reason: 'none',
    summary: 'Alerts that are open, those to act on at once first, and the newest closed ones',
    response: wrapped(z.object({ open: z.array(alert), closed: z.array(alert) })),
  }),
  acknowledgeAlert: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/alerts/{id}/acknowledge',
    caller: 'staff',
    may: 'alerts.act',
    proof: 'none',
    reason: 'none',
    summary: 'Take an alert on; a reminder comes only if one is asked for and it still stands then',
    params: idParams,
    body: z.strictObject({ remind_minutes: z.nullable(z.literal(remindMinutes)) }),
    response: done,
  }),
  silenceAlert: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/alerts/{id}/silence',
    caller: 'staff',
    may: 'alerts.act',
    proof: 'none',
    reason: 'none',
    summary: 'Send nothing about this cause for a time, also if it goes and comes again',
    params: idParams,
    body: z.strictObject({ minutes: z.literal(silenceMinutes) }),
    response: done,
  }),
};
