import type { Locale } from '../locale.ts';
import { gatewayTitles, paymentGateways } from '../payment-gateways.ts';

/** What an alert is about, in Persian: names that the log, the queues and the command line have in English. */
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'prove what is new in the ledger': 'اثبات آنچه در دفتر تازه است',
    'prove the whole ledger': 'اثبات تمام دفتر',
    'seal again with the newest master key': 'مهر دوباره با تازه‌ترین کلید اصلی',
    'look for causes of alerts': 'جست‌وجوی دلیل هشدارها',
    'send alerts': 'فرستادن هشدارها',
    'forget old alerts': 'پاک کردن هشدارهای قدیمی',
    'forget old idempotency keys': 'پاک کردن کلیدهای درخواست‌های تکراری',
    'forget old sessions': 'پاک کردن نشست‌های قدیمی',
    'forget old staff sessions': 'پاک کردن نشست‌های قدیمی همکاران',
    'forget old passkey challenges': 'پاک کردن پرسش‌های قدیمی گذرکلید',
    'read the exchange rate': 'خواندن نرخ ارز',
    'forget old exchange rates': 'پاک کردن نرخ‌های قدیمی ارز',
    'invoice the usage of months that are over': 'صورت‌حساب مصرف ماه‌های تمام‌شده',
    'forget erased accounts that owe nothing': 'پاک کردن حساب‌های بسته و بی‌بدهی',
    'forget old calls of gateways': 'پاک کردن درخواست‌های قدیمی درگاه‌ها',
    'compare settlement files with payments again': 'تطبیق دوبارهٔ فایل‌های تسویه با پرداخت‌ها',
    'book sold cards that have expired': 'ثبت کارت‌های فروخته‌شده و منقضی',
    'forget old redemptions': 'پاک کردن تلاش‌های قدیمی برای فعال کردن کارت',
    'watch the traffic of nodes': 'دیدن ترافیک سرورها',
    'forget old connections': 'پاک کردن اتصال‌های قدیمی',
    'forget old blocked queries': 'پاک کردن پرسش‌های بسته‌شدهٔ قدیمی',
    'close the hours of reach': 'بستن ساعت‌های دسترسی',
    'forget old days of reach': 'پاک کردن روزهای قدیمی دسترسی',
    'book the usage of past hours': 'ثبت مصرف ساعت‌های گذشته',
    'tell used-up trials': 'خبر دادن پایان دورهٔ رایگان',
    'mark earlier trials': 'نشانه‌گذاری دوره‌های رایگان قبلی',
    'keep monthly caps': 'نگه داشتن سقف ماهانه',
    'reclaim idle leases': 'پس گرفتن سهم‌های بی‌استفاده',
    'forget unknown recipients': 'پاک کردن گیرنده‌های ناشناس',
    'leave servers': 'رها کردن سرورها',
    'forget ended family links': 'پاک کردن لینک‌های تمام‌شدهٔ خانواده',
    'take out blocked entries': 'کنار گذاشتن ورودی‌های بسته',
    'move blocked entries': 'جابه‌جا کردن ورودی‌های بسته',
    'earn the days of plans': 'ثبت درآمد روزهای پلن‌ها',
    'follow the versions of plans': 'به‌روز کردن شرایط پلن‌ها',
    'add up what plans were sold': 'جمع زدن فروش پلن‌ها',
    'warn of ending plans': 'خبر دادن پایان پلن‌ها',
    'forget old notifications': 'پاک کردن اعلان‌های قدیمی',
    'forget old deliveries': 'پاک کردن پیام‌های قدیمی',
    'go on with bulks': 'ادامهٔ کارهای گروهی',
    'forget old phone codes': 'پاک کردن کدهای قدیمی شماره‌ها',
    'mail.send': 'فرستادن ایمیل',
    'sms.send': 'فرستادن پیامک',
    'push.send': 'فرستادن اعلان مرورگر',
    'service.restore': 'برگرداندن سرویس',
    'service.reclaim': 'پس گرفتن سهم‌ها',
    'password.forgot': 'لینک گذرواژهٔ تازه',
    'refund.send': 'فرستادن برگشت به کارت',
    mail: 'ایمیل',
    webhook: 'وب‌هوک',
  }),
);

/** Schedules of which each gateway has one. */
const perGateway: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'reconcile refunds of': 'پیگیری برگشت‌های',
    'reconcile payments of': 'پیگیری پرداخت‌های',
    'sweep unverified payments of': 'جست‌وجوی پرداخت‌های تأییدنشدهٔ',
  }),
);

/** A schedule, a queue, a gateway or a channel as a reader of this language calls it. */
export function nameOfCause(cause: string, locale: Locale): string {
  const gateway = gatewayTitle(cause, locale);
  if (gateway !== undefined || locale === 'en') return gateway ?? cause;
  return named.get(cause) ?? nameOfGatewaySchedule(cause) ?? cause;
}

function nameOfGatewaySchedule(cause: string): string | undefined {
  const words = cause.split(' ');
  const gateway = gatewayTitle(words.pop() ?? '', 'fa');
  const work = perGateway.get(words.join(' '));
  return gateway === undefined || work === undefined ? undefined : `${work} ${gateway}`;
}

function gatewayTitle(name: string, locale: Locale): string | undefined {
  const gateway = paymentGateways.find((known) => known === name);
  return gateway && gatewayTitles[gateway][locale];
}
