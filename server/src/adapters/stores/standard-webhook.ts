import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookMessage, WebhookReading } from '../../modules/gift-cards/store.ts';

/**
 * Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`, base64, in a list of `v1,…`
 * signatures, so that a sender can rotate its secret. Five minutes of tolerance; secrets are `whsec_` and base64 of 24
 * to 64 bytes.
 */
const TOLERANCE_SECONDS = 300;

export function readSecret(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(text, 'base64');
  const isSound = /^[A-Za-z0-9+/]+=*$/.test(text) && bytes.length >= 24 && bytes.length <= 64;
  return isSound ? bytes : undefined;
}

export function signWebhook(secret: Buffer, message: { id: string; timestamp: string; body: string }): string {
  const text = `${message.id}.${message.timestamp}.${message.body}`;
  return `v1,${createHmac('sha256', secret).update(text).digest('base64')}`;
}

export function checkWebhook(secret: Buffer, message: WebhookMessage, now: Date): WebhookReading {
  const { id, timestamp, signature, body } = message;
  if (!id || !timestamp || !signature || id.length > 200 || !/^\d{1,12}$/.test(timestamp)) {
    return { kind: 'refused', reason: 'unsigned' };
  }
  const expected = Buffer.from(signWebhook(secret, { id, timestamp, body }));
  const isSigned = signature.split(' ').some((candidate) => {
    const given = Buffer.from(candidate);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) return { kind: 'refused', reason: 'wrong signature' };
  const isRecent = Math.abs(now.getTime() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  return isRecent ? { kind: 'accepted', webhookId: id } : { kind: 'refused', reason: 'too old' };
}
