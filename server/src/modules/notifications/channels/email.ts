import type { Locale } from '@raha/contract/locale.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import type { Tx } from '../../../platform/database.ts';
import { composeEmail, type EmailContent } from '../../../platform/email.ts';
import type { Vault } from '../../../platform/sealed.ts';
import { getSetting } from '../../../platform/settings.ts';
import { brandName, brandNameEnglish } from '../../site/settings.ts';
import { unsubscribeToken } from '../email-choices.ts';
import type { AnyEvent } from '../kinds.ts';
import { describeNotification } from '../texts.ts';

const paths: Record<AnyEvent['kind'], string> = {
  payment_completed: panelPaths.payments,
  payment_reversed: panelPaths.payments,
  refund_confirmed: panelPaths.payments,
  refund_failed: panelPaths.payments,
  low_balance: panelPaths.charge,
  service_cut: panelPaths.charge,
  config_live: panelPaths.configs,
  config_moved: panelPaths.configs,
  entry_blocked: panelPaths.configs,
  config_traced: panelPaths.configs,
  plan_ending: panelPaths.plans,
  welcome: panelPaths.dashboard,
  address_verified: panelPaths.dashboard,
  account_activated: panelPaths.dashboard,
  card_redeemed: panelPaths.dashboard,
  debt_paid: panelPaths.dashboard,
  transfer_received: panelPaths.dashboard,
  transfer_sent: panelPaths.dashboard,
  balance_adjusted: panelPaths.dashboard,
  trial_used_up: panelPaths.dashboard,
  service_restored: panelPaths.dashboard,
  new_device: panelPaths.dashboard,
  factors_changed: panelPaths.dashboard,
};

/** The page of the panel where something can be done about it. */
export function pathOf(kind: AnyEvent['kind']): string {
  return paths[kind];
}

const texts = {
  fa: {
    open: 'حساب خود را این‌جا ببینید:',
    charge: 'شارژ کیف پول، با مبلغ و درگاه بار قبل:',
    leave: 'این نامه را چون خواسته‌اید دریافت می‌کنید. برای نگرفتن این نوع نامه:',
  },
  en: {
    open: 'See your account here:',
    charge: 'Charge the wallet, with the amount and bank of last time:',
    leave: 'You get this mail because you chose to. To stop this kind of mail:',
  },
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
      { note: pathOf(event.kind) === panelPaths.charge ? texts[locale].charge : texts[locale].open },
      { link: `${deps.publicUrl()}${pathOf(event.kind)}` },
      { note: texts[locale].leave },
      { link: unsubscribeUrl },
    ],
    locale,
  );
  return { ...content, unsubscribeUrl };
}
