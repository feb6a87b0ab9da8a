import type { Clock } from '../../platform/clock.ts';
import type { PushResult, PushSender } from '../../platform/push.ts';
import { encryptForBrowser } from './encrypt.ts';
import type { SenderKey } from './sender-key.ts';

interface WebPushOptions {
  readonly key: SenderKey;
  readonly clock: Clock;
  /** Whom a push service may ask about messages. */
  readonly publicUrl: () => string;
  /** The hosts of push services; an address anywhere else is not called. */
  readonly services?: RegExp | undefined;
  readonly timeoutMs?: number;
}

/**
 * The push services of the browsers that people have: Chromium, Firefox, Safari and Edge. A browser tells us the address, and a
 * visitor can tell anything, so we call no others.
 */
const SERVICES =
  /^https:\/\/(fcm\.googleapis\.com|updates\.push\.services\.mozilla\.com|([\w-]+\.)?push\.apple\.com|([\w-]+\.)+notify\.windows\.com)\//;
/** A token is good for at most a day (RFC 8292, section 2). */
const TOKEN_SECONDS = 12 * 3600;

/** Sends to browsers by Web Push (RFC 8030): encrypted for the browser, signed as ours. */
export function createWebPush(options: WebPushOptions): PushSender {
  const { key, clock, services = SERVICES, timeoutMs = 10_000 } = options;
  return {
    publicKey: key.publicKey,
    accepts: (endpoint) => services.test(endpoint),
    async send(to, { text, topic, ttlSeconds }) {
      if (!services.test(to.endpoint)) return { kind: 'refused', reason: 'not a push service' };
      const expiresAt = Math.floor(clock.now().getTime() / 1000) + TOKEN_SECONDS;
      const headers = {
        authorization: key.authorization(new URL(to.endpoint).origin, options.publicUrl(), expiresAt),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(ttlSeconds),
        urgency: 'high',
        topic,
      };
      try {
        const body = new Uint8Array(encryptForBrowser(text, to));
        const signal = AbortSignal.timeout(timeoutMs);
        const answer = await fetch(to.endpoint, { method: 'POST', headers, body, redirect: 'manual', signal });
        await answer.body?.cancel();
        return readStatus(answer.status);
      } catch (error) {
        return { kind: 'busy', reason: error instanceof Error ? error.name : 'no answer' };
      }
    },
  };
}

/** RFC 8030, sections 5 and 7.3: 404 and 410 say that the subscription is over. */
function readStatus(status: number): PushResult {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  const isBusy = status === 429 || status >= 500;
  return { kind: isBusy ? 'busy' : 'refused', reason: `status ${status}` };
}
