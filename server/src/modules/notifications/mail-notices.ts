import { addSeconds, type Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { composeEmail, sendEmail } from '../../platform/email.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notice } from '../../platform/notices.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { getPreferencesOf, type Preferences } from '../accounts/preferences.ts';
import { getUsers } from '../accounts/users.ts';
import { brandName, brandNameEnglish } from '../site/settings.ts';
import { unsubscribeToken } from './choices.ts';
import { sendTextMessage } from './jobs.ts';
import { initialMailKinds, isMailable, smsPurposeOf } from './rules.ts';
import { describeNotice } from './texts.ts';

export interface MailNoticeDeps {
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly vault: Vault;
  readonly publicUrl: () => string;
}

/** Sends on what people were told just now to those who want that kind by mail or by text message. */
export async function sendOn(tx: Tx, deps: MailNoticeDeps, told: readonly Notice[]): Promise<void> {
  const sendable = told.filter(({ kind }) => isMailable(kind) || smsPurposeOf(kind));
  if (sendable.length === 0) return;
  const ids = [...new Set(sendable.map(({ userId }) => userId))];
  const people = await getUsers(tx, ids);
  const preferences = await getPreferencesOf(tx, ids);
  for (const notice of sendable) {
    const user = people.get(notice.userId);
    const wishes = preferences.get(notice.userId);
    if (user?.status !== 'active' || !wishes) continue;
    // An address that nobody has proved may be somebody else's.
    if (user.email_verified_at && isWanted(notice, wishes)) {
      const mail = await letterOf(tx, deps, notice, wishes.language);
      await deps.jobs.send(tx, sendEmail, { to: user.email, ...mail });
    }
    const purpose = smsPurposeOf(notice.kind);
    if (purpose && user.phone && wishes.sms_notifications) {
      const until = addSeconds(deps.clock.now(), SMS_NEWS_SECONDS).toISOString();
      await deps.jobs.send(tx, sendTextMessage, { to: user.phone, purpose, token: tokenOf(deps, notice), until });
    }
  }
}

/** A text message that could not be sent for so long is no news any more. */
const SMS_NEWS_SECONDS = 6 * 3600;

function isWanted(notice: Notice, wishes: Preferences): boolean {
  const kinds: readonly string[] = wishes.mail_kinds ?? initialMailKinds;
  return wishes.email_notifications && isMailable(notice.kind) && kinds.includes(notice.kind);
}

const places: Partial<Record<Notice['kind'], string>> = {
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

const words = {
  fa: {
    open: 'حساب خود را این‌جا ببینید:',
    leave: 'این نامه را چون خواسته‌اید دریافت می‌کنید. برای نگرفتن این نوع نامه:',
  },
  en: { open: 'See your account here:', leave: 'You get this mail because you chose to. To stop this kind of mail:' },
} as const;

async function letterOf(tx: Tx, deps: MailNoticeDeps, notice: Notice, locale: 'fa' | 'en') {
  const brand = await getSetting(tx, locale === 'fa' ? brandName : brandNameEnglish);
  const { title, message } = describeNotice(notice, locale);
  const token = unsubscribeToken(deps.vault, notice.userId, notice.kind);
  const unsubscribeUrl = `${deps.publicUrl()}/api/v1/notifications/unsubscribe?token=${token}`;
  const letter = composeEmail(
    brand,
    `${title} – ${brand}`,
    [
      { line: message },
      { note: words[locale].open },
      { link: `${deps.publicUrl()}${places[notice.kind] ?? '/user/dashboard'}` },
      { note: words[locale].leave },
      { link: unsubscribeUrl },
    ],
    locale,
  );
  return { ...letter, unsubscribeUrl };
}

/** What the approved words leave open: how much is left, or where to charge. */
function tokenOf(deps: MailNoticeDeps, notice: Notice): string {
  if (notice.kind === 'low_balance') return String(notice.data.balanceToman);
  return new URL(deps.publicUrl()).host;
}
