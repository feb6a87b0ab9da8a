import { type AlertRule, isAlertRule, mailedTo } from '@raha/contract/admin/alert-rules.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { bodyOf } from './compose.ts';
import { type AlertEvent, type Channel, insertMessages, type NewMessage } from './message-tables.ts';
import { listReceivers } from './receivers.ts';
import { type Cause, decideSteps, isSilenced, nextMessageAt, type Standing, type Step, severityOf } from './rules.ts';
import {
  deleteAlerts,
  insertAlerts,
  lockAlerts,
  selectAlert,
  selectSilence,
  selectStanding,
  updateClosed,
  updateNext,
  updateOpened,
  updateSeen,
} from './tables.ts';
import type { AlertWebhook } from './webhook.ts';

export interface KeepDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly config: { readonly operatorEmail: string | undefined };
  readonly alertWebhook: AlertWebhook | undefined;
}

/**
 * Opens, keeps and closes alerts after what was found, and writes the messages about it: one transaction, so that there is no
 * change without its messages. `judged` are the rules whose absence was found, too; of others nothing closes.
 */
export async function keepAlerts(
  deps: KeepDeps,
  causes: readonly Cause[],
  isJudged: (rule: string) => boolean,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockAlerts(tx);
    const now = deps.clock.now();
    const standing = await selectStanding(tx);
    const steps = decideSteps(standing, causes, now, isJudged);
    const dropped = steps.flatMap((step) => (step.kind === 'drop' ? [step.id] : []));
    if (dropped.length > 0) await deleteAlerts(tx, dropped);
    for (const { id, cause } of await noteStanding(tx, steps, now)) await open(tx, deps, id, cause, now);
    for (const step of steps) if (step.kind === 'close') await close(tx, deps, step.id, now);
    const due = standing.filter(({ opened_at, next_at }) => opened_at && next_at && next_at <= now);
    for (const { id } of due) await repeat(tx, deps, id, now);
  });
}

/** Writes that the causes are there, all at once. Returns the alerts that open. */
async function noteStanding(
  tx: Tx,
  steps: readonly Step[],
  now: Date,
): Promise<{ readonly id: string; readonly cause: Cause }[]> {
  const all = steps.flatMap((step) =>
    step.kind === 'stand' ? [{ ...step, known: step.id, id: step.id ?? newId(now) }] : [],
  );
  const known = all.filter(({ known }) => known !== undefined);
  const added = all.filter(({ known }) => known === undefined);
  if (known.length > 0) await updateSeen(tx, known, now);
  const rows = added.map(({ id, cause }) => ({ id, cause, severity: severityOf(cause.rule) }));
  if (rows.length > 0) await insertAlerts(tx, rows, now);
  return all.filter(({ opens }) => opens);
}

async function open(tx: Tx, deps: KeepDeps, id: string, cause: Cause, now: Date): Promise<void> {
  const silence = await selectSilence(tx, cause, now);
  await updateOpened(tx, id, silence, now);
  if (silence) await updateNext(tx, id, { announced: false, next: silence.until });
  else await announce(tx, deps, id, 'opened', now);
}

/** It still stands when a message is due; the first one, if all before were silenced. */
async function repeat(tx: Tx, deps: KeepDeps, id: string, now: Date): Promise<void> {
  const alert = await selectAlert(tx, id);
  // Closed just now.
  if (!alert || alert.closed_at) return;
  if (isSilenced(alert, now)) await updateNext(tx, id, { announced: alert.announced, next: alert.silenced_until });
  else await announce(tx, deps, id, alert.announced ? 'reminded' : 'opened', now);
}

async function announce(tx: Tx, deps: KeepDeps, id: string, event: AlertEvent, now: Date): Promise<void> {
  const alert = await selectAlert(tx, id);
  if (!alert) return;
  await write(tx, deps, alert, event, now);
  await updateNext(tx, id, { announced: true, next: nextMessageAt(alert, now) });
}

/** Who heard that it is open hears that it is over, unless its cause is silenced. */
async function close(tx: Tx, deps: KeepDeps, id: string, now: Date): Promise<void> {
  const alert = await selectAlert(tx, id);
  await updateClosed(tx, id, now);
  if (alert?.announced && !isSilenced(alert, now)) await write(tx, deps, alert, 'closed', now);
}

/** One message for each receiver of each channel; not by the channel that it is about. */
async function write(
  tx: Tx,
  deps: KeepDeps,
  alert: Omit<Standing, 'opened_at'> & { readonly opened_at: Date; readonly figure: bigint | null },
  event: AlertEvent,
  now: Date,
): Promise<void> {
  // Of a later release, which this process belongs to no longer or not yet.
  if (!isAlertRule(alert.rule)) return;
  const rule: AlertRule = alert.rule;
  const figure = alert.figure === null ? null : Number(alert.figure);
  const body = JSON.stringify(
    bodyOf(event, { ...alert, rule, figure, openedAt: alert.opened_at }, { publicUrl: deps.publicUrl, now }),
  );
  const message = (channel: Channel, memberId: string | null): NewMessage => ({
    ...{ id: newId(now), alertId: alert.id, event, channel, memberId, body },
  });
  const isAbout = (channel: Channel) => rule === 'alert_undelivered' && alert.cause === channel;
  const receivers = isAbout('mail') ? [] : await listReceivers(tx, deps.config.operatorEmail, mailedTo(rule));
  const messages = receivers.map(({ memberId }) => message('mail', memberId));
  if (deps.alertWebhook && !isAbout('webhook')) messages.push(message('webhook', null));
  await insertMessages(tx, messages, now);
}
