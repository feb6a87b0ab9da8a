import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '../../platform/clock.ts';
import type { Email } from '../../platform/email.ts';
import { isLoopbackHost } from '../../platform/installation.ts';
import { newId } from '../../platform/random.ts';

export interface Mailer {
  /** Resolves when the mail server has accepted the mail; throws otherwise, and the job is retried. */
  send(mail: Email): Promise<void>;
}

export interface MailerOptions {
  readonly smtpUrl: string | undefined;
  readonly outboxDir: string;
  readonly from: { readonly name: () => Promise<string>; readonly address: string };
  readonly clock: Clock;
}

/**
 * Mail over SMTP, or, without `SMTP_URL`, as files in the outbox. Bodies are UTF-8 in base64 or quoted-printable; headers
 * are built by nodemailer, which refuses line breaks in addresses and encodes the subject.
 */
export function createMailer(options: MailerOptions): Mailer {
  const toFile = options.smtpUrl === undefined;
  const transport = toFile
    ? createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
    : createTransport(requireTls(options.smtpUrl as string), {});
  return {
    async send(mail) {
      if (mail.isWanted === false) return;
      const id = mail.id ?? newId(options.clock.now());
      const info = await transport.sendMail({
        from: { name: await options.from.name(), address: options.from.address },
        to: mail.to,
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        date: options.clock.now(),
        messageId: `<${id}@${options.from.address.split('@')[1]}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(mail.unsubscribeUrl) },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      if (toFile) await keep(options.outboxDir, id, (info as unknown as { message: Buffer }).message);
    },
  };
}

/**
 * The address of a mail server with TLS from the first byte (`smtps:`) or required before anything is sent (STARTTLS, RFC
 * 3207): without the requirement, anybody on the way could take the offer of TLS out and read the codes. A mail server on
 * this machine may do without.
 */
export function requireTls(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  if (url.protocol === 'smtp:' && !isLoopbackHost(url.hostname)) url.searchParams.set('requireTLS', 'true');
  return url.toString();
}

/** RFC 2369 and RFC 8058: unsubscribing with one click in the mail program, without opening a page. */
function unsubscribeHeaders(url: string | undefined): Record<string, string> {
  if (url === undefined) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

async function keep(directory: string, id: string, message: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `${id}.eml`);
  await writeFile(`${file}.part`, message, { mode: 0o600 });
  await chmod(`${file}.part`, 0o600);
  await rename(`${file}.part`, file);
}
