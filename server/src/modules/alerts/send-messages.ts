import { mailedTo } from '@raha/contract/admin/alert-rules.ts';
import type { Permission } from '@raha/contract/admin/roles.ts';
import { addDays, addSeconds } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import type { Email } from '../../platform/email.ts';
import type { Log } from '../../platform/log.ts';
import { getSetting } from '../../platform/settings.ts';
import { brandName, brandNameEnglish } from '../site/settings.ts';
import { type AlertBody, composeAlertMail } from './compose.ts';
import type { KeepDeps } from './keep-alerts.ts';
import {
  type Channel,
  claimDue,
  deleteMessage,
  type MessageRow,
  selectFailing,
  updateFailed,
  updateSent,
} from './message-tables.ts';
import { listReceivers, type Receiver } from './receivers.ts';
import { FAILING_ATTEMPTS, nextAttemptAt } from './rules.ts';

export interface SendDeps extends KeepDeps {
  readonly log: Log;
  readonly mailer: { send(mail: Email): Promise<void> };
}

const AT_A_TIME = 20;
/** Longer than any attempt takes. A message whose sender was killed is tried again then. */
const CLAIM_SECONDS = 60;
const FAILURE_MOST = 300;

/**
 * Sends what is due, at least once each: after a kill between the sending and its note a message goes out again, a webhook with the
 * same id. Any process may call it. Not a job of the queue, because a server sends while no worker lives.
 */
export async function sendMessages(deps: SendDeps): Promise<void> {
  const now = deps.clock.now();
  const due = await claimDue(deps.db, AT_A_TIME, now, addSeconds(now, CLAIM_SECONDS));
  if (due.length === 0) return;
  const receivers = new Map<Permission, readonly Receiver[]>();
  for (const permission of new Set(due.map(permissionOf)))
    receivers.set(permission, await listReceivers(deps.db, deps.config.operatorEmail, permission));
  await Promise.all(due.map((message) => send(deps, message, receivers.get(permissionOf(message)) ?? [])));
}

/** Who gets it, by the rule of today: a role may have been taken away since it was written. */
function permissionOf({ body }: MessageRow): Permission {
  return mailedTo((JSON.parse(body) as AlertBody).data.rule);
}

async function send(deps: SendDeps, message: MessageRow, receivers: readonly Receiver[]): Promise<void> {
  const { id, channel, attempts } = message;
  const receiver = receiverOf(message, receivers, deps.config.operatorEmail);
  if (channel === 'mail' ? !receiver : !deps.alertWebhook) return await deleteMessage(deps.db, id);
  try {
    if (receiver && channel === 'mail') await deps.mailer.send(await mailFor(deps.db, message, receiver));
    else await deps.alertWebhook?.send({ id, body: message.body });
  } catch (err) {
    const next = nextAttemptAt(attempts, deps.clock.now());
    deps.log.warn({ err, channel, message: id, attempts, isGivenUp: !next }, 'an alert was not sent');
    const failure = (err instanceof Error ? err.message : String(err)).slice(0, FAILURE_MOST);
    return await updateFailed(deps.db, id, { failure, next }, deps.clock.now());
  }
  await updateSent(deps.db, id, deps.clock.now());
}

/** The operator's address may have become a member's since. */
function receiverOf(
  { member_id }: MessageRow,
  receivers: readonly Receiver[],
  operatorEmail: string | undefined,
): Receiver | undefined {
  const isMeant = ({ memberId, email }: Receiver) =>
    member_id === null ? email === operatorEmail?.toLowerCase() : memberId === member_id;
  return receivers.find(isMeant);
}

async function mailFor(db: Executor, { id, body }: MessageRow, { email, locale }: Receiver): Promise<Email> {
  const brand = await getSetting(db, locale === 'fa' ? brandName : brandNameEnglish);
  return { id, to: email, ...composeAlertMail(JSON.parse(body) as AlertBody, brand, locale) };
}

const FAILING_DAYS = 7;

/** The channels by which alerts do not get out now. */
export async function listFailingChannels(db: Executor, now: Date): Promise<Channel[]> {
  return await selectFailing(db, addDays(now, -FAILING_DAYS), FAILING_ATTEMPTS);
}
