import { type AlertRule, alertRules, describeAlert, screenOf } from '@raha/contract/admin/alert-rules.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { composeEmail, type EmailContent } from '../../platform/email.ts';
import type { AlertEvent } from './message-tables.ts';
import type { Standing } from './rules.ts';

/** What the webhook posts, and from what the mails are written: the alert as it was when the message was written. */
export interface AlertBody {
  readonly type: `alert.${AlertEvent}`;
  readonly timestamp: string;
  readonly data: {
    readonly id: string;
    readonly rule: AlertRule;
    readonly cause: string;
    readonly figure: number | null;
    readonly severity: string;
    /** English sentences. */
    readonly title: string;
    readonly advice: string;
    readonly opened_at: string;
    /** Where it is seen to in the console. */
    readonly url: string;
  };
}

export function bodyOf(
  event: AlertEvent,
  alert: Pick<Standing, 'id' | 'cause' | 'severity'> & {
    readonly rule: AlertRule;
    readonly figure: number | null;
    readonly openedAt: Date;
  },
  { publicUrl, now }: { readonly publicUrl: string; readonly now: Date },
): AlertBody {
  const { id, rule, cause, figure, severity, openedAt } = alert;
  return {
    type: `alert.${event}`,
    timestamp: now.toISOString(),
    data: {
      ...{ id, rule, cause, figure, severity },
      ...describeAlert({ rule, cause, figure }, 'en'),
      opened_at: openedAt.toISOString(),
      url: `${publicUrl}/admin/${screenOf(rule) ?? 'alerts'}`,
    },
  };
}

const texts = {
  fa: {
    opened: { page: 'همین حالا', ticket: 'هشدار' },
    reminded: { page: 'هنوز، همین حالا', ticket: 'هنوز' },
    closed: { page: 'برطرف شد', ticket: 'برطرف شد' },
    since: 'از',
    advice: 'چه کنید:',
    inbox: 'برش دارید یا ساکتش کنید:',
    screen: 'این‌جا:',
    why: 'چون در این‌جا کار می‌کنید یا نشانی شما در تنظیمات است، این نامه را می‌گیرید.',
  },
  en: {
    opened: { page: 'Act now', ticket: 'Alert' },
    reminded: { page: 'Still, act now', ticket: 'Still' },
    closed: { page: 'Over', ticket: 'Over' },
    since: 'Since',
    advice: 'What to do:',
    inbox: 'Take it on or silence it:',
    screen: 'Here:',
    why: 'You get this mail because you work here, or because your address stands in the configuration.',
  },
} as const;

/** A message as a mail: what, since when, and what to do. */
export function composeAlertMail(body: AlertBody, brand: string, locale: Locale): EmailContent {
  const event = body.type.replace('alert.', '') as AlertEvent;
  const text = texts[locale];
  const { title, advice } = describeAlert(body.data, locale);
  const { severity } = alertRules[body.data.rule];
  const where = screenOf(body.data.rule) === undefined ? text.inbox : text.screen;
  return composeEmail(
    brand,
    `${text[event][severity]}: ${title.replaceAll(/[\u2068\u2069]/g, '')}`,
    [
      { line: title },
      { note: `${text.since} ${timeOf(body.data.opened_at, locale)}` },
      ...(event === 'closed' ? [] : [{ note: `${text.advice} ${advice}` }, { note: where }]),
      { link: body.data.url },
      { note: text.why },
    ],
    locale,
  );
}

function timeOf(instant: string, locale: Locale): string {
  const format = new Intl.DateTimeFormat(locale === 'fa' ? 'fa-IR' : 'en', {
    ...{ timeZone: 'Asia/Tehran', dateStyle: 'medium', timeStyle: 'short' },
  });
  return format.format(new Date(instant));
}
