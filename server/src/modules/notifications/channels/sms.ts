import type { Attempt } from '../../../platform/jobs.ts';
import { getSetting, type Setting } from '../../../platform/settings.ts';
import type { SmsSender } from '../../../platform/sms.ts';
import { decideSmsOutcome, type Outcome } from '../delivery-rules.ts';
import type { SmsPurpose, TextMessage } from '../jobs.ts';
import { type NoteDeps, noteDelivery } from '../note-delivery.ts';
import { smsCodeTemplate, smsLowBalanceTemplate, smsServiceCutTemplate } from '../settings.ts';

const templates: Readonly<Record<SmsPurpose, Setting<string>>> = {
  code: smsCodeTemplate,
  low_balance: smsLowBalanceTemplate,
  service_cut: smsServiceCutTemplate,
};

export interface SmsDeps extends NoteDeps {
  /** Undefined if text messages cannot be sent. */
  readonly sms: SmsSender | undefined;
}

/**
 * Sends a text message, and notes what became of it. Retried only if the provider certainly did not send it: after a timeout it may
 * have been sent, and two codes would be worse than none. A code that would arrive too late is not sent.
 */
export async function sendSms(deps: SmsDeps, message: TextMessage, attempt: Attempt): Promise<void> {
  const { to, purpose, token, until, about } = message;
  const note = (outcome: Outcome) => noteDelivery(deps, attempt, { channel: 'sms', about }, outcome);
  if (!deps.sms) return await note({ state: 'failed', reason: 'switched_off' });
  if (until !== undefined && Date.parse(until) <= deps.clock.now().getTime())
    return await note({ state: 'failed', reason: 'too_late' });
  const template = await getSetting(deps.db, templates[purpose]);
  const result = await deps.sms.send({ to, template, token });
  await note(decideSmsOutcome(result, attempt.isLast));
  if (result.kind === 'busy') throw new Error(`text message not accepted: ${result.reason}`);
  if (result.kind !== 'sent') deps.log.error({ purpose, outcome: result }, 'a text message was not sent');
}
