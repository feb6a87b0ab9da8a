import type { DeliveryKind } from '@raha/contract/deliveries.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { defineJob } from './jobs.ts';

/** An email to send over SMTP. */
export interface Email extends EmailContent {
  readonly to: string;
  /** Of a mail that may be sent again after a crash: mail programs show one of those with the same id. */
  readonly id?: string;
  /** Address for one-click unsubscription from this kind of email (RFC 8058). */
  readonly unsubscribeUrl?: string;
  /** False: enqueued only so that all requests take equally long, and dropped instead of sent. */
  readonly isWanted?: false;
}

/** What is known of a mail or text message apart from its content, for the record of its delivery. */
export interface MessageAbout {
  readonly kind: DeliveryKind;
  /** Whose account it is about; absent if the address has none. */
  readonly userId?: string | undefined;
  /** The notification that it says, by which it can be composed again. */
  readonly notificationId?: string | undefined;
}

/** Jobs of earlier releases do not say what they are about. */
export type QueuedEmail = Email & { readonly about: MessageAbout };

export const sendEmail = defineJob<QueuedEmail>('mail.send', ({ to }) => to);

export interface EmailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type EmailPart =
  | { readonly line: string }
  | { readonly note: string }
  | { readonly code: string }
  | { readonly link: string };

/**
 * Plain text first, then HTML without images or tracking, in the direction of its language. User input reaches no header
 * except the subject, which is encoded; in bodies it is escaped.
 */
export function composeEmail(
  brand: string,
  subject: string,
  parts: readonly EmailPart[],
  locale: Locale = 'fa',
): EmailContent {
  const text = parts.map((part) => Object.values(part)[0]).join('\n\n');
  return { subject, text: `${text}\n`, html: page(brand, locale, parts.map(toHtml).join('\n')) };
}

const NOTE = 'margin:0 0 8px;font-size:14px;color:#4a5164';

function toHtml(part: EmailPart): string {
  if ('line' in part) return `<p style="margin:0 0 20px">${escapeHtml(part.line)}</p>`;
  if ('note' in part) return `<p style="${NOTE}">${escapeHtml(part.note)}</p>`;
  if ('link' in part) {
    const url = escapeHtml(part.link);
    return `<p style="margin:0 0 20px"><a href="${url}" style="color:#0b6e6a;word-break:break-all"><bdi dir="ltr">${url}</bdi></a></p>`;
  }
  const box =
    "display:inline-block;padding:12px 24px;border-radius:14px;background:#e7f3f2;font-size:32px;font-weight:bold;letter-spacing:6px;font-family:'DejaVu Sans Mono',Consolas,monospace;color:#151d33";
  return `<p style="margin:0 0 20px;text-align:center"><bdi dir="ltr" style="${box}">${part.code}</bdi></p>`;
}

function page(brand: string, locale: Locale, body: string): string {
  const dir = locale === 'fa' ? 'rtl' : 'ltr';
  const align = locale === 'fa' ? 'right' : 'left';
  const font = "font-family:Vazirmatn,Tahoma,'Segoe UI',Arial,sans-serif";
  return `<!doctype html>
<html lang="${locale}" dir="${dir}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(brand)}</title></head>
<body dir="${dir}" style="margin:0;background:#f7f4ee;${font};color:#151d33">
<table role="presentation" dir="${dir}" width="100%" cellpadding="0" cellspacing="0" style="background:#f7f4ee"><tr><td dir="${dir}" align="center" style="padding:32px 16px">
<table role="presentation" dir="${dir}" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#fffefb;border:1px solid #e4dfd4;border-radius:20px"><tr><td dir="${dir}" style="padding:32px;text-align:${align};${font};font-size:16px;line-height:1.9">
<p style="margin:0 0 8px;font-size:20px;font-weight:bold;color:#1b3a8a">${escapeHtml(brand)}</p>
${body}
</td></tr></table></td></tr></table></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
