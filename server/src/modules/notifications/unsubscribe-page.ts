import { createHash } from 'node:crypto';
import type { Locale } from '@raha/contract/locale.ts';
import type { NotificationKind } from '@raha/contract/public/notifications.ts';
import type { FastifyReply } from 'fastify';
import { titleOf } from './texts.ts';

/** The page behind the link in an email: no session, no script, one button. */
const STYLE =
  ':root{color-scheme:light dark}body{margin:0 auto;max-width:32rem;padding:48px 24px;font-family:Vazirmatn,Tahoma,sans-serif;line-height:1.9}h1{font-size:1.375rem}button{font:inherit;font-weight:bold;min-height:48px;padding:0 24px;border:0;border-radius:14px;background:#0b6e6a;color:#fff;cursor:pointer}';
const HASH = createHash('sha256').update(STYLE).digest('base64');

const words = {
  fa: {
    dir: 'rtl',
    title: 'لغو دریافت نامه',
    ask: (kind: string) => `نامه‌های «${kind}» دیگر برای شما فرستاده نشود؟ اعلان آن در پنل می‌ماند.`,
    press: 'دیگر نفرستید',
    done: (kind: string) => `انجام شد: نامهٔ «${kind}» دیگر برای شما فرستاده نمی‌شود.`,
    unknown: 'این پیوند درست نیست. نامه‌ها را در تنظیمات پروفایل هم می‌توانید انتخاب کنید.',
    settings: 'تنظیمات اعلان‌ها',
  },
  en: {
    dir: 'ltr',
    title: 'Stop this mail',
    ask: (kind: string) => `Should “${kind}” no longer come by mail? It still appears in the panel.`,
    press: 'Stop sending it',
    done: (kind: string) => `Done: “${kind}” no longer comes by mail.`,
    unknown: 'This link is invalid. You can also choose your emails in the settings of your profile.',
    settings: 'Notification settings',
  },
} as const;

export function sendUnsubscribePage(
  reply: FastifyReply,
  locale: Locale,
  state: { readonly kind: NotificationKind; readonly isDone: boolean } | undefined,
): FastifyReply {
  const { dir, title, ask, press, done, unknown, settings } = words[locale];
  const kind = state && titleOf(state.kind, locale);
  const sentence = kind === undefined ? unknown : state?.isDone ? done(kind) : ask(kind);
  // A form without an action is posted to the current address, which contains the token.
  const form = state && !state.isDone ? `<form method="post"><button>${press}</button></form>` : '';
  return reply
    .code(state ? 200 : 404)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'sha256-${HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="${locale}" dir="${dir}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${sentence}</p>${form}<p><a href="/user/profile?tab=settings">${settings}</a></p></main></body></html>`,
    );
}
