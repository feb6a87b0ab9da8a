import type { Actor, Audit } from '../../platform/audit.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { holdPermission } from '../staff/standing.ts';
import { type AlertRow, lockAlert, updateAcknowledged, updateSilenced } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

interface Which {
  readonly actor: Actor;
  readonly id: string;
}

/**
 * Somebody takes an alert on: no more reminders, except one after `remindMinutes` if it still stands then. Who acts later takes
 * it over. Refuses `forbidden`, `not_found` and `alert_closed`.
 */
export async function acknowledgeAlert(
  deps: Deps,
  { actor, id, remindMinutes }: Which & { readonly remindMinutes: number | null },
): Promise<void> {
  await onOpen(deps, { actor, id }, async (tx, alert) => {
    const now = deps.clock.now();
    const remindAt = remindMinutes === null ? null : addSeconds(now, remindMinutes * 60);
    // A silence goes on: what is due at its end stays due.
    const next = alert.silenced_until && alert.silenced_until > now ? alert.silenced_until : remindAt;
    await updateAcknowledged(tx, id, { by: memberOf(actor), next }, now);
    await record(tx, deps, actor, alert, { action: 'alerts.acknowledge', details: { remindMinutes } });
  });
}

/**
 * Nothing is sent about this cause for a time, also if it goes and comes again; at the end, if it still stands. Refuses
 * `forbidden`, `not_found` and `alert_closed`.
 */
export async function silenceAlert(
  deps: Deps,
  { actor, id, minutes }: Which & { readonly minutes: number },
): Promise<void> {
  await onOpen(deps, { actor, id }, async (tx, alert) => {
    const until = addSeconds(deps.clock.now(), minutes * 60);
    await updateSilenced(tx, id, { by: memberOf(actor), until });
    await record(tx, deps, actor, alert, { action: 'alerts.silence', details: { minutes } });
  });
}

async function onOpen(deps: Deps, { actor, id }: Which, act: (tx: Tx, alert: AlertRow) => Promise<void>) {
  await inTransaction(deps.db, async (tx) => {
    if (actor.kind === 'staff') await holdPermission(tx, actor, 'alerts.act');
    const alert = await lockAlert(tx, id);
    if (!alert) throw new Refusal('not_found');
    if (alert.closed_at) throw new Refusal('alert_closed');
    await act(tx, alert);
  });
}

function memberOf(actor: Actor): string | null {
  return actor.kind === 'staff' ? actor.userId : null;
}

async function record(
  tx: Tx,
  { audit }: Deps,
  actor: Actor,
  { id, rule, cause }: AlertRow,
  { action, details }: { readonly action: string; readonly details: Readonly<Record<string, number | null>> },
): Promise<void> {
  await audit.record(tx, actor, { action, target: { kind: 'alert', id }, details: { rule, cause, ...details } });
}
