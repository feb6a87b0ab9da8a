import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { type CookiePurpose, cookies, learnedBy, type Recipient, type SentDatum } from '@raha/contract/privacy.ts';

/**
 * What the privacy page says of cookies and of recipients, written from the lists in the contract: a purpose or datum without a
 * text does not compile.
 */
interface Texts {
  readonly cookies: Readonly<Record<CookiePurpose, (life: string) => string>>;
  readonly data: Readonly<Record<Exclude<SentDatum, 'none'>, string>>;
  readonly recipients: Readonly<Record<Recipient, (data: string) => string>>;
}

const { session } = limits;
const fa = (value: number) => formatNumber(value, 'fa');

const texts: Readonly<Record<Locale, Texts>> = {
  fa: {
    cookies: {
      session: () =>
        `تا وارد بمانید؛ بسته به راه ورود ${fa(session.passwordDays)}، ${fa(session.passwordlessDays)} یا ${fa(session.rememberMeDays)} روز. با خروج پاک می‌شود.`,
      known_browser: (life) =>
        `یک عدد تصادفی که این مرورگر را می‌شناسد، تا ورود از مرورگری تازه را به شما خبر دهیم و کسی با حدس زدن رمز، راه خودتان را نبندد؛ ${life}. بعد از خروج و حذف حساب هم می‌ماند.`,
      second_step: (life) => `ورودی که منتظر گام دوم است؛ ${life}.`,
      family_page: (life) =>
        `صفحه‌ای که کسی با لینک برایتان فرستاده است، تا همین مرورگر بتواند آن را دوباره باز کند؛ ${life}.`,
      social_sign_in: (life) => `رفت‌وبرگشت به گوگل یا گیت‌هاب، وقتی با آن‌ها وارد می‌شوید؛ ${life}.`,
      console: (life) => `نشست همکاران ما در بخش مدیریت؛ ${life}. به شما داده نمی‌شود.`,
      language: (life) => `زبانی که انتخاب کرده‌اید؛ ${life}.`,
    },
    data: {
      amount: 'مبلغ',
      purpose: 'شرح «شارژ کیف پول»',
      payment_number: 'شمارهٔ پرداخت',
      bank_reference: 'شماره‌ای که خودش به پرداخت داده است',
      visit_number: 'شمارهٔ مراجعه',
      account_number: 'شمارهٔ حساب شما در رها',
      email: 'ایمیل شما',
      phone: 'شمارهٔ موبایل شما',
      message_code: 'کدی که می‌فرستد',
      push_address: 'نشانی‌ای که خودش به مرورگر شما داده است',
      sealed_news: 'متن اعلان، به رمزی که فقط مرورگر شما باز می‌کند',
    },
    recipients: {
      bank: (data) => `درگاه بانکی: ${data}. شمارهٔ کارت را در صفحهٔ خود بانک می‌نویسید.`,
      store: (data) => `فروشگاه گیفت کارتی که از پنل به آن می‌روید: ${data}، تا کارت به نام شما صادر شود.`,
      text_message: (data) => `فرستندهٔ پیامک، اگر شمارهٔ موبایل بدهید: ${data}.`,
      push_service: (data) =>
        `سرویس اعلان مرورگر شما (گوگل، موزیلا، اپل یا مایکروسافت)، اگر اعلان روی دستگاه را روشن کنید: ${data}؛ و می‌بیند چه زمانی چیزی برایتان آمده است.`,
    },
  },
  en: {
    cookies: {
      session: () =>
        `to stay signed in; ${session.passwordDays}, ${session.passwordlessDays} or ${session.rememberMeDays} days, depending on how you signed in. Cleared when you sign out.`,
      known_browser: (life) =>
        `a random number that recognises this browser, so that we can tell you of a sign-in from a new one, and nobody can lock you out by guessing; ${life}. It stays after you sign out and after the account is deleted.`,
      second_step: (life) => `a sign-in that waits for its second step; ${life}.`,
      family_page: (life) =>
        `a page that somebody sent you as a link, so that this browser can open it again; ${life}.`,
      social_sign_in: (life) => `the way to Google or GitHub and back, if you sign in with them; ${life}.`,
      console: (life) => `the session of the people who work here, in the console; ${life}. You do not get it.`,
      language: (life) => `the language you chose; ${life}.`,
    },
    data: {
      amount: 'the amount',
      purpose: 'the words “wallet charge”',
      payment_number: 'the number of the payment',
      bank_reference: 'its own number of the payment',
      visit_number: 'the number of the visit',
      account_number: 'the number of your account',
      email: 'your e-mail address',
      phone: 'your phone number',
      message_code: 'the code that it sends',
      push_address: 'the address that it gave your browser',
      sealed_news: 'the notification, encrypted so that only your browser can read it',
    },
    recipients: {
      bank: (data) => `The bank gateway: ${data}. You give your card number on the bank’s own page.`,
      store: (data) => `A gift card store that you visit from the panel: ${data}, to issue the card for you.`,
      text_message: (data) => `The sender of text messages, if you give a phone number: ${data}.`,
      push_service: (data) =>
        `The push service of your browser (Google, Mozilla, Apple or Microsoft), if you switch on notifications on a device: ${data}; and it sees when something came for you.`,
    },
  },
};

/** A line for each purpose, with the names of its cookies. */
export function cookiePoints(locale: Locale): string[] {
  return Object.entries(texts[locale].cookies).map(([purpose, write]) => {
    const own = Object.entries(cookies).filter(([, cookie]) => cookie.purpose === purpose);
    // Isolated, because the names are left to right in a text that may not be.
    const names = own.map(([name]) => `\u2066${name}\u2069`);
    return `${list(locale, names)}: ${write(life(locale, Math.max(...own.map(([, { seconds }]) => seconds))))}`;
  });
}

export function recipientPoints(locale: Locale): string[] {
  const { recipients, data } = texts[locale];
  return (Object.keys(recipients) as Recipient[]).map((recipient) =>
    recipients[recipient](
      list(
        locale,
        learnedBy(recipient).map((datum) => data[datum as Exclude<SentDatum, 'none'>]),
      ),
    ),
  );
}

function list(locale: Locale, items: readonly string[]): string {
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(items);
}

function life(locale: Locale, seconds: number): string {
  const isDays = seconds >= 86_400;
  const value = isDays ? seconds / 86_400 : seconds / 60;
  if (locale === 'fa') return `${fa(value)} ${isDays ? 'روز' : 'دقیقه'}`;
  return `${value} ${isDays ? (value === 1 ? 'day' : 'days') : 'minutes'}`;
}
