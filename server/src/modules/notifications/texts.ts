import type { Locale } from '@raha/contract/locale.ts';
import { formatDate, formatNumber } from '@raha/contract/persian.ts';
import type { Notification } from '@raha/contract/public/notifications.ts';
import { factorChanges } from './factor-texts.ts';
import type { AllNotifications } from './kinds.ts';

type Texts<D> = readonly [title: string, message: (data: D, amount: (toman: number) => string) => string];

interface Text<D> {
  readonly type: Notification['type'];
  readonly fa: Texts<D>;
  readonly en: Texts<D>;
}

/** Isolates a name, so that one in another script does not reorder the sentence around it (UAX #9). */
const own = (text: string) => `\u2068${text}\u2069`;

const usedUp = {
  money: { fa: 'موجودی تمام شد', en: 'Your balance is used up' },
  plan: { fa: 'پلن تمام شد', en: 'Your plan is used up' },
  trial: { fa: 'دورهٔ رایگان تمام شد', en: 'The free trial is used up' },
} as const;

const texts: { readonly [K in keyof AllNotifications]: Text<AllNotifications[K]> } = {
  welcome: {
    type: 'success',
    fa: ['خوش آمدید', () => 'حساب شما ساخته شد. هر چه برای آن پیش بیاید، همین‌جا به شما گفته می‌شود.'],
    en: ['Welcome', () => 'Your account is ready. Whatever happens to it, you are told here.'],
  },
  address_verified: {
    type: 'success',
    fa: ['ایمیل تأیید شد', () => 'نشانی ایمیل شما تأیید شد.'],
    en: ['E-mail verified', () => 'Your e-mail address was verified.'],
  },
  account_activated: {
    type: 'success',
    fa: [
      'حساب فعال شد',
      (data, amount) => `حساب شما برای همیشه فعال شد و ${amount(data.amountToman)} به کیف پول افزوده شد.`,
    ],
    en: [
      'Account activated',
      (data, amount) => `Your account is active for good, and ${amount(data.amountToman)} went to the wallet.`,
    ],
  },
  card_redeemed: {
    type: 'success',
    fa: ['کارت هدیه ثبت شد', (data, amount) => `${amount(data.amountToman)} به کیف پول شما افزوده شد.`],
    en: ['Gift card redeemed', (data, amount) => `${amount(data.amountToman)} went to your wallet.`],
  },
  payment_completed: {
    type: 'success',
    fa: ['پرداخت موفق', (data, amount) => `کیف پول شما ${amount(data.amountToman)} شارژ شد.`],
    en: ['Payment completed', (data, amount) => `Your wallet was charged with ${amount(data.amountToman)}.`],
  },
  payment_reversed: {
    type: 'error',
    fa: [
      'پرداخت برگشت خورد',
      ({ amountToman, owedToman = 0 }, amount) =>
        `بانک پرداختی به مبلغ ${amount(amountToman)} را پس گرفت.${owedToman > 0 ? ` ${amount(owedToman)} از آن خرج شده بود و از واریزهای بعدی شما برداشته می‌شود.` : ''}`,
    ],
    en: [
      'Payment taken back',
      ({ amountToman, owedToman = 0 }, amount) =>
        `The bank took back a payment of ${amount(amountToman)}.${owedToman > 0 ? ` ${amount(owedToman)} of it was spent and will be taken from what you pay in next.` : ''}`,
    ],
  },
  debt_paid: {
    type: 'warning',
    fa: [
      'بدهی پرداخت شد',
      ({ amountToman, leftToman }, amount) =>
        `${amount(amountToman)} از این واریز بابت پرداختی برداشته شد که بانک پیش‌تر پس گرفته بود. ${leftToman > 0 ? `${amount(leftToman)} از بدهی مانده است.` : 'دیگر بدهی ندارید.'}`,
    ],
    en: [
      'Debt paid',
      ({ amountToman, leftToman }, amount) =>
        `${amount(amountToman)} of this credit paid for a payment that the bank had taken back. ${leftToman > 0 ? `${amount(leftToman)} is still owed.` : 'You owe nothing any more.'}`,
    ],
  },
  refund_confirmed: {
    type: 'success',
    fa: ['مبلغ بازگردانده شد', (data, amount) => `${amount(data.amountToman)} به حساب بانکی شما بازگردانده شد.`],
    en: ['Refund completed', (data, amount) => `${amount(data.amountToman)} was returned to your bank account.`],
  },
  refund_failed: {
    type: 'warning',
    fa: [
      'بازگشت وجه انجام نشد',
      (data, amount) => `بانک آن را نپذیرفت؛ ${amount(data.amountToman)} به کیف پول شما برگشت.`,
    ],
    en: [
      'Refund not possible',
      (data, amount) => `The bank did not take it: ${amount(data.amountToman)} is back in your wallet.`,
    ],
  },
  transfer_received: {
    type: 'success',
    fa: ['انتقال به کیف پول', (data, amount) => `${amount(data.amountToman)} از کاربری دیگر به کیف پول شما رسید.`],
    en: ['Transfer received', (data, amount) => `${amount(data.amountToman)} came to your wallet from another user.`],
  },
  transfer_sent: {
    type: 'warning',
    fa: [
      'انتقال از کیف پول',
      (data, amount) =>
        `${amount(data.amountToman)} از کیف پول شما به کاربری دیگر منتقل شد. اگر کار شما نبوده است، گذرواژه را عوض کنید و در بخش امنیت نشست‌ها را پایان دهید.`,
    ],
    en: [
      'Transfer sent',
      (data, amount) =>
        `${amount(data.amountToman)} left your wallet for another user. If it was not you, change the password and end the sessions under Security.`,
    ],
  },
  balance_adjusted: {
    type: 'info',
    fa: [
      'موجودی اصلاح شد',
      ({ amountToman, message }, amount) =>
        message !== undefined
          ? `پشتیبانی ${amount(amountToman)} به موجودی شما افزود. ${message}`
          : amountToman < 0
            ? `پشتیبانی ${amount(-amountToman)} از موجودی شما کم کرد، چون موجودی درست نبود. اگر پرسشی دارید، به پشتیبانی بنویسید.`
            : `پشتیبانی ${amount(amountToman)} به موجودی شما افزود، چون موجودی درست نبود.`,
    ],
    en: [
      'Balance corrected',
      ({ amountToman, message }, amount) =>
        message !== undefined
          ? `Support added ${amount(amountToman)} to your balance. ${message}`
          : amountToman < 0
            ? `Support took ${amount(-amountToman)} off your balance, which was not right. If you have a question, write to support.`
            : `Support added ${amount(amountToman)} to your balance, which was not right.`,
    ],
  },
  low_balance: {
    type: 'warning',
    fa: [
      'موجودی رو به پایان است',
      ({ balanceToman, percent, hours }, amount) =>
        hours !== undefined
          ? `با مصرف ۲۴ ساعت گذشته، موجودی ${hours < 1 ? 'برای کمتر از یک ساعت' : `برای حدود ${formatNumber(hours)} ساعت`} دیگر بس است: ${amount(balanceToman)}. پیش از قطع شدن شارژ کنید.`
          : `کمتر از ${formatNumber(percent)}٪ آخرین شارژ مانده است: ${amount(balanceToman)}. برای قطع نشدن سرویس، کیف پول را شارژ کنید.`,
    ],
    en: [
      'Balance is low',
      ({ balanceToman, percent, hours }, amount) =>
        hours !== undefined
          ? `At the pace of the last 24 hours your balance lasts for ${hours < 1 ? 'less than an hour' : `about ${hours} hours`} more: ${amount(balanceToman)}. Charge before it is cut.`
          : `Less than ${percent}% of your last top-up is left: ${amount(balanceToman)}. Charge the wallet to stay connected.`,
    ],
  },
  trial_used_up: {
    type: 'info',
    fa: [
      'ترافیک رایگان تمام شد',
      ({ gb }) =>
        `${formatNumber(gb)} گیگابایت رایگان دورهٔ آزمایشی مصرف شد. از این پس مصرف از پلن یا کیف پول شما پرداخت می‌شود.`,
    ],
    en: [
      'Free traffic used up',
      ({ gb }) => `The ${gb} GB of the free trial are used. From now on your plan or your wallet pays for traffic.`,
    ],
  },
  service_cut: {
    type: 'error',
    fa: [
      'اینترنت قطع است',
      ({ cause = 'money' }) => `${usedUp[cause].fa}. با شارژ، همان لحظه برمی‌گردد؛ به گوشی و برنامه دست نزنید.`,
    ],
    en: [
      'Internet is cut',
      ({ cause = 'money' }) => `${usedUp[cause].en}. A top-up brings it back at once; leave phone and app as they are.`,
    ],
  },
  service_restored: {
    type: 'success',
    fa: ['اینترنت برگشت', () => 'کانفیگ‌های شما دوباره کار می‌کنند؛ کاری لازم نیست.'],
    en: ['Internet is back', () => 'Your configs work again; there is nothing to do.'],
  },
  config_live: {
    type: 'info',
    fa: ['کانفیگ آماده است', ({ name }) => `کانفیگ «${own(name)}» روی سرور آماده شد و می‌توانید با آن وصل شوید.`],
    en: ['Config is live', ({ name }) => `Config “${own(name)}” is ready on its server: you can connect with it.`],
  },
  entry_blocked: {
    type: 'warning',
    fa: [
      'یک راه اتصال بسته شد',
      ({ country, hasName }) =>
        hasName
          ? `یکی از نشانی‌های سرور ${countryName(country, 'fa')} در بعضی شبکه‌ها باز نمی‌شود. یک بار قطع و دوباره وصل کنید؛ اگر وصل نشد، فایل تازه را از صفحهٔ کانفیگ‌ها بگیرید.`
          : `یکی از نشانی‌های سرور ${countryName(country, 'fa')} در بعضی شبکه‌ها باز نمی‌شود. اگر وصل نمی‌شوید، فایل تازه را از صفحهٔ کانفیگ‌ها بگیرید.`,
    ],
    en: [
      'A way to connect is blocked',
      ({ country, hasName }) =>
        hasName
          ? `One address of the server in ${countryName(country, 'en')} does not open in some networks. Disconnect and connect again; if that does not help, get a new file on the page of configs.`
          : `One address of the server in ${countryName(country, 'en')} does not open in some networks. If you cannot connect, get a new file on the page of configs.`,
    ],
  },
  config_moved: {
    type: 'warning',
    fa: [
      'سرور کانفیگ عوض می‌شود',
      ({ name, endsAt, country, hasFile }) =>
        hasFile
          ? `سرور کانفیگ «${own(name)}» کنار می‌رود. کانفیگی با همین نام در ${countryName(country, 'fa')} آماده است: فایل تازه را بگیرید. قبلی تا ${formatDate(new Date(endsAt))} کار می‌کند.`
          : `سرور کانفیگ «${own(name)}» کنار می‌رود و این کانفیگ تا ${formatDate(new Date(endsAt))} کار می‌کند. روی سرور دیگری کانفیگ تازه‌ای بسازید.`,
    ],
    en: [
      'A config changes its server',
      ({ name, endsAt, country, hasFile }) =>
        hasFile
          ? `The server of config “${own(name)}” is leaving. One of the same name is ready in ${countryName(country, 'en')}: take its new file. The old one works until ${formatDate(new Date(endsAt), 'en')}.`
          : `The server of config “${own(name)}” is leaving; it works until ${formatDate(new Date(endsAt), 'en')}. Make a new config on another server.`,
    ],
  },
  config_traced: {
    type: 'warning',
    fa: [
      'شکایت از یک اتصال',
      ({ name }) =>
        `دربارهٔ یک اتصال از سرور ما شکایتی رسید. یکی از همکاران همان لحظه از سرور پرسید آن اتصال از کدام کانفیگ است و جواب کانفیگ «${own(name)}» بود. نشانی سایت‌هایی که باز می‌کنید پرسیده نشد و جایی نمی‌ماند. اگر شما نبودید، ببینید چه کسی این کانفیگ را دارد.`,
    ],
    en: [
      'A complaint about a connection',
      ({ name }) =>
        `A complaint reached us about a connection from one of our servers. At that moment a member of staff asked the server whose it was, and the answer was your config “${own(name)}”. The addresses that you visit were not asked for and are kept nowhere. If it was not you, see who else has this config.`,
    ],
  },
  new_device: {
    type: 'warning',
    fa: [
      'ورود از دستگاهی تازه',
      ({ device }) =>
        `${device ? `با ${own(device)}` : 'از دستگاهی تازه'} به حساب شما وارد شدند. اگر شما نبوده‌اید، در بخش امنیت نشست‌ها را پایان دهید.`,
    ],
    en: [
      'Sign-in from a new device',
      ({ device }) =>
        `Somebody signed in with ${device ? own(device) : 'a new device'}. If it was not you, end the sessions under Security.`,
    ],
  },
  factors_changed: {
    type: 'warning',
    fa: ['راه‌های ورود عوض شد', ({ change, name }) => factorChanges[change].fa(own(name))],
    en: ['Ways to sign in changed', ({ change, name }) => factorChanges[change].en(own(name))],
  },
  plan_ending: {
    type: 'warning',
    fa: [
      'پلن رو به پایان است',
      ({ nameFa, endsAt }) =>
        `پلن «${own(nameFa)}» در ${formatDate(new Date(endsAt))} تمام می‌شود. برای ادامه آن را تمدید کنید.`,
    ],
    en: [
      'Plan is ending',
      ({ nameEn, endsAt }) =>
        `Plan “${own(nameEn)}” ends on ${formatDate(new Date(endsAt), 'en')}. Renew it to keep it.`,
    ],
  },
};

/** A stored notification in the reader's language. */
export function describeNotification(
  notification: { readonly kind: keyof AllNotifications; readonly data: unknown },
  locale: Locale,
): Pick<Notification, 'title' | 'message' | 'type'> {
  // The types of `Notifier.notify` ensure that the stored data belongs to the kind.
  const text = texts[notification.kind] as Text<unknown>;
  const [title, message] = text[locale];
  return { type: text.type, title, message: message(notification.data, amountIn(locale)) };
}

/** The name of a kind in the notification settings. */
export function titleOf(kind: keyof AllNotifications, locale: Locale): string {
  return texts[kind][locale][0];
}

function countryName(code: string, locale: Locale): string {
  return new Intl.DisplayNames([locale], { type: 'region' }).of(code) ?? code;
}

function amountIn(locale: Locale): (toman: number) => string {
  return (toman) => (locale === 'fa' ? `${formatNumber(toman)} تومان` : `${formatNumber(toman, 'en')} toman`);
}
