import { type Clock, secondsBetween } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { PushSender } from '../../../platform/push.ts';
import type { Vault } from '../../../platform/sealed.ts';
import { dropSubscription, openSubscription } from '../../sessions/push-subscription.ts';
import type { PushNews } from '../jobs.ts';

export interface PushDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly log: Log;
  readonly push: PushSender;
}

/**
 * Shows news in the browser of a session that is still open. All news of the service share a topic: a phone that was off gets
 * the last of them, not that it was cut and restored three times.
 */
export async function sendPush(deps: PushDeps, { sessionId, until, ...news }: PushNews): Promise<void> {
  const ttlSeconds = Math.floor(secondsBetween(deps.clock.now(), new Date(until)));
  if (ttlSeconds <= 0) return;
  const subscription = await openSubscription(deps, sessionId);
  if (!subscription) return;
  const result = await deps.push.send(subscription, { text: JSON.stringify(news), topic: 'service', ttlSeconds });
  if (result.kind === 'gone') await dropSubscription(deps.db, sessionId);
  if (result.kind === 'busy') throw new Error(`a push service took no message: ${result.reason}`);
  if (result.kind === 'refused') deps.log.error({ reason: result.reason }, 'a push service refused a message');
}
