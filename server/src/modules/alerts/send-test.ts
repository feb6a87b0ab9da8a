import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { composeEmail, type Email } from '../../platform/email.ts';
import { newId } from '../../platform/random.ts';
import { listReceivers } from './receivers.ts';
import type { AlertWebhook } from './webhook.ts';

/** What became of a test alert on one way. */
export interface Tried {
  readonly channel: 'mail' | 'webhook';
  /** The address, or the webhook's host. */
  readonly to: string;
  /** Why it did not go out; undefined: the mail server or the receiver took it. */
  readonly failure: string | undefined;
}

/** Sends a test alert by every channel to every receiver, now and once, and says what became of each. It opens no alert. */
export async function sendTestAlert(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: { readonly operatorEmail: string | undefined };
  readonly mailer: { send(mail: Email): Promise<void> };
  readonly alertWebhook: AlertWebhook | undefined;
}): Promise<Tried[]> {
  const { db, clock, config, mailer, alertWebhook } = deps;
  const now = clock.now();
  const sentence = 'This is a test of the alerts. Nothing is wrong. این آزمایش هشدارهاست؛ مشکلی نیست.';
  const tried: Promise<Tried>[] = (await listReceivers(db, config.operatorEmail)).map(({ email, locale }) => {
    const mail = composeEmail('Raha', 'Raha: test alert', [{ line: sentence }], locale);
    return attempt('mail', email, () => mailer.send({ to: email, ...mail }));
  });
  if (alertWebhook) {
    const body = { type: 'alert.test', timestamp: now.toISOString(), data: { title: sentence } };
    const message = { id: newId(now), body: JSON.stringify(body) };
    tried.push(attempt('webhook', alertWebhook.host, () => alertWebhook.send(message)));
  }
  return await Promise.all(tried);
}

async function attempt(channel: Tried['channel'], to: string, send: () => Promise<void>): Promise<Tried> {
  const failure = await send().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return { channel, to, failure };
}
