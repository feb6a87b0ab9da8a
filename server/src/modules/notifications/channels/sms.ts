import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import { getSetting, type Setting } from '../../../platform/settings.ts';
import type { SmsSender } from '../../../platform/sms.ts';
import type { SmsPurpose, TextMessage } from '../jobs.ts';
import { smsCodeTemplate, smsLowBalanceTemplate, smsServiceCutTemplate } from '../settings.ts';

const templates: Readonly<Record<SmsPurpose, Setting<string>>> = {
  code: smsCodeTemplate,
  low_balance: smsLowBalanceTemplate,
  service_cut: smsServiceCutTemplate,
};

export interface SmsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined if text messages cannot be sent. */
  readonly sms: SmsSender | undefined;
}

/**
 * Sends a text message. Retried only if the provider certainly did not send it: after a timeout it may have been sent, and
 * two codes would be worse than none. A code that would arrive too late is not sent.
 */
export async function sendSms(deps: SmsDeps, { to, purpose, token, until }: TextMessage): Promise<void> {
  if (!deps.sms || (until !== undefined && Date.parse(until) <= deps.clock.now().getTime())) return;
  const template = await getSetting(deps.db, templates[purpose]);
  const result = await deps.sms.send({ to, template, token });
  if (result.kind === 'busy') throw new Error(`text message not accepted: ${result.reason}`);
  if (result.kind !== 'sent') deps.log.error({ purpose, outcome: result }, 'a text message was not sent');
}
