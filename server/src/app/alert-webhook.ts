import { createAlertWebhook } from '../adapters/alert-webhook/alert-webhook.ts';
import { readSecret } from '../adapters/stores/standard-webhook.ts';
import type { AlertWebhook } from '../modules/alerts/webhook.ts';
import type { Clock } from '../platform/clock.ts';
import { type Config, ConfigError } from '../platform/config.ts';

/** Undefined if the operator named no receiver. Throws if its secret is missing or unsound. */
export function openAlertWebhook(config: Pick<Config, 'alertWebhook'>, clock: Clock): AlertWebhook | undefined {
  const { url, secret } = config.alertWebhook;
  if (url === undefined) return undefined;
  const bytes = secret === undefined ? undefined : readSecret(secret);
  if (!bytes)
    throw new ConfigError('ALERT_WEBHOOK_SECRET must be whsec_ and base64 of 24 to 64 bytes (Standard Webhooks).');
  return createAlertWebhook({ url, secret: bytes, clock });
}
