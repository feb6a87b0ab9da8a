import type { AlertWebhook } from '../../modules/alerts/webhook.ts';
import type { Clock } from '../../platform/clock.ts';
import { signWebhook } from '../stores/standard-webhook.ts';

const TIMEOUT_MS = 15_000;

/**
 * Posts alerts as Standard Webhooks (standardwebhooks.com) says: `webhook-id`, `webhook-timestamp` of this attempt, and
 * `webhook-signature`. Only an answer of 2xx within 15 seconds counts; a redirect is not followed, because the signature is for the
 * receiver that the operator named.
 */
export function createAlertWebhook({
  url,
  secret,
  clock,
}: {
  readonly url: string;
  readonly secret: Buffer;
  readonly clock: Clock;
}): AlertWebhook {
  const { host } = new URL(url);
  return {
    host,
    async send({ id, body }) {
      const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Raha',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signWebhook(secret, { id, timestamp, body }),
      };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }).catch(
        (error: unknown) => {
          throw new Error(`${host} does not answer: ${reasonOf(error)}`);
        },
      );
      await response.body?.cancel();
      if (!response.ok) throw new Error(`${host} answers ${response.status}`);
    },
  };
}

/** fetch hides what happened in `cause`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { readonly cause?: { readonly code?: string }; readonly message?: string };
  return cause?.code ?? message ?? String(error);
}
