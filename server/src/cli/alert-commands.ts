import { join } from 'node:path';
import { describeAlert } from '@raha/contract/admin/alert-rules.ts';
import { type Alert, remindMinutes, silenceMinutes } from '@raha/contract/admin/alerts.ts';
import { sentenceOf } from '@raha/contract/errors.ts';
import { createMailer } from '../adapters/mail/mail.ts';
import { openAlertWebhook } from '../app/alert-webhook.ts';
import { acknowledgeAlert, silenceAlert } from '../modules/alerts/act-on-alert.ts';
import { listAlerts } from '../modules/alerts/list-alerts.ts';
import { sendTestAlert, type Tried } from '../modules/alerts/send-test.ts';
import { Refusal } from '../platform/refusal.ts';
import { actor, type Commands, type Context, idOf, type Result, UsageError, wholeNumber } from './context.ts';

/** The inbox of alerts, as the console has it, and whether alerts get out at all. */
export const alertCommands: Commands = {
  'alerts list': { usage: '[--all]', switches: ['all'], run: list },
  'alerts acknowledge': {
    usage: `--id … [--remind-minutes ${remindMinutes.join('|')}]`,
    flags: ['id', 'remind-minutes'],
    run: acknowledge,
  },
  'alerts silence': { usage: `--id … --minutes ${silenceMinutes.join('|')}`, flags: ['id', 'minutes'], run: silence },
  'alerts test': { usage: '', run: test },
};

async function list({ db, flags }: Context): Promise<Result> {
  const { open, closed } = await listAlerts(db);
  const alerts = flags.all ? [...open, ...closed] : open;
  const head = ['id', 'severity', 'since', 'alert', 'state'];
  const rows = alerts.map((alert) => [
    ...[alert.id, alert.severity, alert.opened_at, describeAlert(alert, 'en').title, stateOf(alert)],
  ]);
  return {
    data: alerts,
    lines: rows.length > 0 ? rows.map((row) => row.join('  ')) : ['No alert is open.'],
    table: { head, rows },
  };
}

function stateOf({ closed_at, silenced_until, acknowledged_at, acknowledged_by }: Alert): string {
  if (closed_at) return `closed ${closed_at}`;
  const states = [
    ...(acknowledged_at ? [`taken on by ${acknowledged_by ?? 'the machine'}`] : []),
    ...(silenced_until ? [`silenced until ${silenced_until}`] : []),
  ];
  return states.join(', ') || 'open';
}

async function acknowledge(context: Context): Promise<Result> {
  const id = idOf(context.flags);
  const minutes =
    context.flags['remind-minutes'] === undefined ? null : oneOf(context, 'remind-minutes', remindMinutes);
  await inWords(() => acknowledgeAlert(context, { actor, id, remindMinutes: minutes }));
  return {
    data: { id },
    lines: [minutes === null ? 'Taken on.' : `Taken on; a reminder comes in ${minutes} minutes if it still stands.`],
  };
}

async function silence(context: Context): Promise<Result> {
  const id = idOf(context.flags);
  const minutes = oneOf(context, 'minutes', silenceMinutes);
  await inWords(() => silenceAlert(context, { actor, id, minutes }));
  return { data: { id }, lines: [`Nothing is sent about this cause for ${minutes} minutes.`] };
}

/** Fails unless a test alert left the machine by every channel. */
async function test({ db, clock, config }: Context): Promise<Result> {
  const { smtpUrl, dataDir, publicUrl } = config;
  const from = { name: async () => 'Raha', address: `no-reply@${new URL(publicUrl).hostname}` };
  const mailer = createMailer({ smtpUrl, outboxDir: join(dataDir, 'outbox'), from, clock });
  const tried = await sendTestAlert({ db, clock, config, mailer, alertWebhook: openAlertWebhook(config, clock) });
  const isOut = ({ channel, failure }: Tried) =>
    failure === undefined && (channel === 'webhook' || smtpUrl !== undefined);
  const lines = tried.map((one) => sentenceFor(one, smtpUrl === undefined));
  if (tried.length === 0)
    lines.push('Nobody gets alerts: set OPERATOR_EMAIL or ALERT_WEBHOOK_URL, or add a member with staff add.');
  const isGood = tried.length > 0 && tried.every(isOut);
  return {
    data: tried.map((one) => ({ ...one, sent: isOut(one) })),
    lines: [...lines, ...(isGood ? [] : ['Not every alert would leave this machine.'])],
    exitCode: isGood ? 0 : 1,
  };
}

function sentenceFor({ channel, to, failure }: Tried, isOutbox: boolean): string {
  if (failure !== undefined) return `FAILED   ${channel} to ${to}: ${failure}`;
  if (channel === 'webhook') return `sent     webhook to ${to}: it was accepted.`;
  if (isOutbox) return `KEPT     mail to ${to}: it is a file in the outbox, because SMTP_URL is not set.`;
  return `sent     mail to ${to}: the mail server took it. See that it arrives, and not as spam.`;
}

function oneOf<N extends number>({ flags }: Context, name: string, allowed: readonly N[]): N {
  const value = wholeNumber(flags, name, Math.min(...allowed), Math.max(...allowed));
  const known = allowed.find((one) => one === value);
  if (known === undefined) throw new UsageError(`--${name} takes one of ${allowed.join(', ')}.`);
  return known;
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new UsageError(sentenceOf(error.code, 'en', error.details));
  }
}
