import type { Email, QueuedEmail } from '../../../platform/email.ts';
import type { Attempt } from '../../../platform/jobs.ts';
import { decideMailFailure } from '../delivery-rules.ts';
import { type NoteDeps, noteDelivery } from '../note-delivery.ts';

export interface MailDeps extends NoteDeps {
  readonly mailer: { send(mail: Email): Promise<void> };
}

/** Hands a mail to the mail server, and notes what became of it. A mail that is not wanted leaves no trace. */
export async function sendMail(deps: MailDeps, { about, ...mail }: QueuedEmail, attempt: Attempt): Promise<void> {
  if (mail.isWanted === false) return;
  const message = { channel: 'mail', about } as const;
  try {
    await deps.mailer.send(mail);
  } catch (error) {
    await noteDelivery(deps, attempt, message, decideMailFailure(error, attempt.isLast));
    throw error;
  }
  await noteDelivery(deps, attempt, message, { state: 'sent' });
}
