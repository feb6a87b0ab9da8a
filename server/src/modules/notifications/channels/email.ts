import type { Locale } from '@raha/contract/locale.ts';
import type { Tx } from '../../../platform/database.ts';
import { composeEmail, type EmailContent } from '../../../platform/email.ts';
import type { Vault } from '../../../platform/sealed.ts';
import { getSetting } from '../../../platform/settings.ts';
import { brandName, brandNameEnglish } from '../../site/settings.ts';
import { unsubscribeToken } from '../email-choices.ts';
import type { AnyEvent } from '../kinds.ts';
import { describeNotification } from '../texts.ts';

const paths: Partial<Record<AnyEvent['kind'], string>> = {
  payment_completed: '/user/payments',
  payment_reversed: '/user/payments',
  refund_confirmed: '/user/payments',
  refund_failed: '/user/payments',
  low_balance: '/user/wallet/charge',
  service_cut: '/user/wallet/charge',
  config_live: '/user/configs',
  config_moved: '/user/configs',
  plan_ending: '/user/plans',
};

const texts = {
  fa: {
    open: 'حساب خود را این‌جا ببینید:',
    leave: 'این نامه را چون خواسته‌اید دریافت می‌کنید. برای نگرفتن این نوع نامه:',
  },
  en: { open: 'See your account here:', leave: 'You get this mail because you chose to. To stop this kind of mail:' },
} as const;

/** A notification as an email in the user's language, with the link that stops this kind. */
export async function composeNotificationEmail(
  tx: Tx,
  deps: { readonly vault: Vault; readonly publicUrl: () => string },
  event: AnyEvent,
  locale: Locale,
): Promise<EmailContent & { readonly unsubscribeUrl: string }> {
  const brand = await getSetting(tx, locale === 'fa' ? brandName : brandNameEnglish);
  const { title, message } = describeNotification(event, locale);
  const token = unsubscribeToken(deps.vault, event.userId, event.kind);
  const unsubscribeUrl = `${deps.publicUrl()}/api/v1/notifications/unsubscribe?token=${token}`;
  const content = composeEmail(
    brand,
    `${title} – ${brand}`,
    [
      { line: message },
      { note: texts[locale].open },
      { link: `${deps.publicUrl()}${paths[event.kind] ?? '/user/dashboard'}` },
      { note: texts[locale].leave },
      { link: unsubscribeUrl },
    ],
    locale,
  );
  return { ...content, unsubscribeUrl };
}
