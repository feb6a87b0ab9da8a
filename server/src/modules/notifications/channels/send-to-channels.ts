import type { DeliveryChannel } from '@raha/contract/deliveries.ts';
import { addSeconds, type Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database.ts';
import { sendEmail } from '../../../platform/email.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import type { Vault } from '../../../platform/sealed.ts';
import { getPreferencesOf, type Preferences } from '../../accounts/preferences.ts';
import { getUsers } from '../../accounts/users.ts';
import { subscribedSessions } from '../../sessions/push-subscription.ts';
import { sendPushNews, sendTextMessage } from '../jobs.ts';
import type { AnyEvent } from '../kinds.ts';
import { initialMailKinds, isMailable, isPushed, smsPurposeOf } from '../rules.ts';
import { composeNotificationEmail, pathOf } from './email.ts';
import { describeOnLockScreen } from './push-texts.ts';

export interface ChannelDeps {
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly vault: Vault;
  readonly publicUrl: () => string;
}

/** With the id of its notification. */
export type StoredEvent = AnyEvent & { readonly id: string };

/**
 * Sends new notifications by email, text message or to a browser, to the users who chose that for their kind; or by `only` one of
 * these again. Returns how many mails and text messages that are.
 */
export async function sendToChannels(
  tx: Tx,
  deps: ChannelDeps,
  events: readonly StoredEvent[],
  only?: DeliveryChannel,
): Promise<number> {
  const sendable = events.filter(({ kind }) => isMailable(kind) || smsPurposeOf(kind));
  if (sendable.length === 0) return 0;
  const ids = [...new Set(sendable.map(({ userId }) => userId))];
  const users = await getUsers(tx, ids);
  const preferencesOf = await getPreferencesOf(tx, ids);
  const browsersOf = only ? new Map<string, readonly string[]>() : await browsersFor(tx, deps, sendable);
  let sent = 0;
  for (const event of sendable) {
    const user = users.get(event.userId);
    const preferences = preferencesOf.get(event.userId);
    const about = { kind: event.kind, userId: event.userId, notificationId: event.id };
    if (user?.status !== 'active' || !preferences) continue;
    // An unverified address may belong to somebody else.
    if (only !== 'sms' && user.email_verified_at && wantsEmail(event, preferences)) {
      const email = await composeNotificationEmail(tx, deps, event, preferences.language);
      await deps.jobs.send(tx, sendEmail, { to: user.email, ...email, about });
      sent += 1;
    }
    const purpose = smsPurposeOf(event.kind);
    if (only !== 'mail' && purpose && user.phone && preferences.sms_notifications) {
      const until = addSeconds(deps.clock.now(), SMS_NEWS_SECONDS).toISOString();
      const message = { to: user.phone, purpose, token: tokenOf(deps, event), until, about };
      await deps.jobs.send(tx, sendTextMessage, message);
      sent += 1;
    }
    for (const sessionId of isPushed(event.kind) ? (browsersOf.get(event.userId) ?? []) : []) {
      const until = addSeconds(deps.clock.now(), PUSH_NEWS_SECONDS).toISOString();
      const news = { ...describeOnLockScreen(event, preferences.language), path: pathOf(event.kind) };
      await deps.jobs.send(tx, sendPushNews, { sessionId, until, lang: preferences.language, ...news });
    }
  }
  return sent;
}

/** A text message that could not be sent for this long is out of date. */
const SMS_NEWS_SECONDS = 6 * 3600;

/** News of the service of half a day ago says nothing about now. */
const PUSH_NEWS_SECONDS = 12 * 3600;

async function browsersFor(
  tx: Tx,
  { clock }: ChannelDeps,
  events: readonly AnyEvent[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const userIds = events.filter(({ kind }) => isPushed(kind)).map(({ userId }) => userId);
  return userIds.length > 0 ? await subscribedSessions(tx, [...new Set(userIds)], clock.now()) : new Map();
}

function wantsEmail(event: AnyEvent, preferences: Preferences): boolean {
  const kinds: readonly string[] = preferences.mail_kinds ?? initialMailKinds;
  return preferences.email_notifications && isMailable(event.kind) && kinds.includes(event.kind);
}

/** The value of the template's placeholder: the remaining balance, or the address for topping up. */
function tokenOf(deps: ChannelDeps, event: AnyEvent): string {
  if (event.kind === 'low_balance') return String(event.data.balanceToman);
  return new URL(deps.publicUrl()).host;
}
