import type { SettingArea } from '@raha/contract/admin/settings.ts';
import type { Locale } from '@raha/contract/locale.ts';

type InBoth = Readonly<Record<Locale, string>>;

interface SettingText extends InBoth {
  /** Which values it takes, where the schema is not a number, a switch or a choice, which say so themselves. */
  readonly allowed?: InBoth;
}

/** By the first word of the key, or the whole of one. */
export const settingAreaOf: Readonly<Record<string, SettingArea>> = {
  brand: 'site',
  claims: 'site',
  trial: 'accounts',
  accounts: 'accounts',
  rate: 'money',
  gateways: 'money',
  payments: 'money',
  wallet: 'money',
  invoices: 'money',
  settlements: 'money',
  approvals: 'staff',
  nodes: 'service',
  configs: 'service',
  'cutOff.reachable': 'service',
  reach: 'service',
  entries: 'service',
  sms: 'messages',
  flags: 'flags',
};

const safeText = (most: { fa: string; en: string }): InBoth => ({
  fa: `از یک تا ${most.fa} حرف، بدون گیومه، «&» و پرانتز تیز.`,
  en: `1 to ${most.en} characters, without quotes, ampersands, backslashes and angle brackets.`,
});
const name = safeText({ fa: '۴۰', en: '40' });
const tagline = safeText({ fa: '۸۰', en: '80' });
const template: InBoth = {
  fa: 'نام قالب: حداکثر ۶۰ حرف لاتین، رقم، خط تیره یا زیرخط.',
  en: 'The name of a template: up to 60 Latin characters, digits, hyphens or underscores.',
};

/** What each setting does, in a sentence that names its unit: the console shows it, and a test asks for each. */
export const settingTexts: Readonly<Record<string, SettingText>> = {
  'brand.name': {
    fa: 'نام سایت در صفحه‌ها، ایمیل‌ها و فایل‌های فارسی.',
    en: 'The name of the site on pages, in mails and in files in Persian.',
    allowed: name,
  },
  'brand.nameEnglish': {
    fa: 'نام سایت در صفحه‌ها، ایمیل‌ها و فایل‌های انگلیسی.',
    en: 'The name of the site on pages, in mails and in files in English.',
    allowed: name,
  },
  'brand.tagline': {
    fa: 'عنوان صفحهٔ اول به فارسی؛ خط عمودی جای شروع سطر دوم است.',
    en: 'The title of the landing page in Persian; a vertical bar begins its second line.',
    allowed: tagline,
  },
  'brand.taglineEnglish': {
    fa: 'عنوان صفحهٔ اول به انگلیسی؛ خط عمودی جای شروع سطر دوم است.',
    en: 'The title of the landing page in English; a vertical bar begins its second line.',
    allowed: tagline,
  },
  'brand.supportEmail': {
    fa: 'نشانی ایمیلی که کاربران برای کمک به آن می‌نویسند.',
    en: 'The e-mail address to which users write for help.',
    allowed: { fa: 'یک نشانی ایمیل.', en: 'An e-mail address.' },
  },
  'claims.countries': {
    fa: 'تعداد کشورهایی که سایت می‌گوید؛ auto یعنی کشورهای سرورهای فعال.',
    en: 'How many countries the site states; auto: those of the active servers.',
  },
  'claims.servers': {
    fa: 'تعداد سرورهایی که سایت می‌گوید؛ auto یعنی سرورهای فعال.',
    en: 'How many servers the site states; auto: the active ones.',
  },
  'claims.monthlyPriceToman': {
    fa: 'هزینهٔ یک ماه، به تومان، که سایت می‌گوید.',
    en: 'What a month costs, in toman, as the site states it.',
  },
  'claims.othersFromToman': {
    fa: 'ارزان‌ترین قیمت ماهانهٔ دیگران، به تومان؛ با گفتنش مقایسه در سایت می‌آید.',
    en: 'The lowest monthly price of competitors, in toman; once stated, the site shows the comparison.',
  },
  'claims.othersToToman': {
    fa: 'گران‌ترین قیمت ماهانهٔ دیگران، به تومان.',
    en: 'The highest monthly price of competitors, in toman.',
  },
  'claims.devices': {
    fa: 'تعداد دستگاه‌هایی که سایت برای هر حساب می‌گوید؛ auto یعنی سقف کانفیگ هر کاربر.',
    en: 'How many devices of an account the site states; auto: the limit of configs.',
  },
  'claims.rating': {
    fa: 'امتیاز کاربران از پنج، که سایت می‌گوید.',
    en: 'The rating by users, out of five, that the site states.',
  },
  'claims.packageToman': {
    fa: 'قیمت عادی بسته‌ای که با ثبت‌نام رایگان است، به تومان.',
    en: 'The normal price, in toman, of the package that is free at registration.',
  },
  'trial.passwordlessDays': {
    fa: 'روزهای دورهٔ رایگان برای کسی که با کد ایمیل ثبت‌نام می‌کند؛ صفر یعنی هیچ.',
    en: 'Days of the trial of who registers with a code by e-mail; 0: none.',
  },
  'trial.passwordDays': {
    fa: 'روزهای دورهٔ رایگان برای کسی که با گذرواژه ثبت‌نام می‌کند؛ صفر یعنی هیچ.',
    en: 'Days of the trial of who registers with a password; 0: none.',
  },
  'trial.gb': {
    fa: 'گیگابایت رایگان در دورهٔ رایگان؛ صفر یعنی دورهٔ رایگانی نیست.',
    en: 'Gigabytes that are free inside the trial; 0: there are no trials.',
  },
  'trial.requiresActivation': {
    fa: 'روشن: تا حساب فعال نشود کانفیگی ساخته نمی‌شود، حتی در دورهٔ رایگان.',
    en: 'On: no configs before the account is activated, also inside the trial.',
  },
  'accounts.activationTransferable': {
    fa: 'روشن: پول کارتی که حساب را فعال کرد به حساب دیگری هم منتقل می‌شود.',
    en: 'On: the value of the card that activated an account can be transferred to another one.',
  },
  'accounts.returnBySignIn': {
    fa: 'روشن: حساب غیرفعال‌شده با ورود صاحبش باز می‌شود؛ خاموش: فقط همکاران بازش می‌کنند.',
    en: 'On: signing in reactivates a deactivated account; off: only the operator does.',
  },
  'accounts.remainderDays': {
    fa: 'روزهایی که ماندهٔ کیف پول حساب پاک‌شده می‌ماند و بعد از دفتر کم می‌شود.',
    en: 'Days after which what an erased account left in its wallet is written off.',
  },
  'rate.minToman': {
    fa: 'کمترین نرخ دلار، به تومان، که از بازار پذیرفته می‌شود.',
    en: 'The lowest rate of a dollar, in toman, that is accepted from the market.',
  },
  'rate.maxToman': {
    fa: 'بیشترین نرخ دلار، به تومان، که از بازار پذیرفته می‌شود.',
    en: 'The highest rate of a dollar, in toman, that is accepted from the market.',
  },
  'gateways.zarinpal': {
    fa: 'زرین‌پال به کاربران نشان داده شود یا نه؛ پرداخت‌های شروع‌شده در هر حال تأیید می‌شوند.',
    en: 'Whether users are offered Zarinpal; payments that were started are confirmed in any case.',
  },
  'gateways.idpay': {
    fa: 'آیدی‌پی به کاربران نشان داده شود یا نه؛ auto با کلید واقعی یعنی نه.',
    en: 'Whether users are offered IDPay; auto with a real key: no.',
  },
  'gateways.nextpay': {
    fa: 'نکست‌پی به کاربران نشان داده شود یا نه؛ پرداخت‌های شروع‌شده در هر حال تأیید می‌شوند.',
    en: 'Whether users are offered NextPay; payments that were started are confirmed in any case.',
  },
  'gateways.order': {
    fa: 'ترتیب درگاه‌ها در صفحهٔ شارژ؛ آن‌ها که نیامده‌اند بعد از این‌ها می‌آیند.',
    en: 'The order of the gateways where users charge; those that it does not name come after.',
    allowed: {
      fa: 'فهرست نام درگاه‌ها: zarinpal، idpay، nextpay.',
      en: 'A list of names of gateways: zarinpal, idpay, nextpay.',
    },
  },
  'payments.minRefundToman': {
    fa: 'کمترین مبلغی که به کارت برمی‌گردد، به تومان.',
    en: 'The smallest refund, in toman.',
  },
  'payments.refundArrivalDays': {
    fa: 'روزهای کاری تا رسیدن پول به کارت، که به کاربر گفته می‌شود.',
    en: 'Working days within which a refund arrives, as users are told.',
  },
  'wallet.transferProofFrom': {
    fa: 'جمع انتقال‌های یک روز، به تومان، که از آن به بعد هر انتقال تأیید می‌خواهد؛ صفر یعنی همیشه.',
    en: 'Toman of a day’s transfers from which the sender confirms each one; 0: every transfer.',
  },
  'invoices.seller': {
    fa: 'فروشنده‌ای که روی رسیدها و فاکتورهای تازه نوشته می‌شود؛ null یعنی فقط نام سایت.',
    en: 'Who sells, as it stands on new receipts and invoices; null: the name of the site only.',
    allowed: {
      fa: 'شیء با name، و اگر هست nationalId، economicCode، registrationNumber، address، postalCode و phone؛ یا null.',
      en: 'An object with name, and if there are any nationalId, economicCode, registrationNumber, address, postalCode and phone; or null.',
    },
  },
  'invoices.vatPercent': {
    fa: 'درصد مالیات ارزش افزوده که داخل قیمت‌هاست؛ صفر یعنی ندارد.',
    en: 'VAT in percent, contained in the prices; 0: none.',
  },
  'settlements.graceDays': {
    fa: 'روزهایی که یک پرداخت می‌تواند در فایل تسویهٔ بانک نباشد؛ بعد از آن جامانده حساب می‌شود.',
    en: 'Days after which a payment that is in no settlement file is listed as missing.',
  },
  'approvals.smallToman': {
    fa: 'جمع اصلاح‌های سی روز یک کاربر، به تومان، که یک همکار تنها انجام می‌دهد؛ بیشترش همکار دوم می‌خواهد.',
    en: 'Toman of corrections of a user within 30 days that need no second member.',
  },
  'approvals.creditToman': {
    fa: 'تا این مبلغ، به تومان، یک همکار تنها به پرداخت اعتبار می‌دهد؛ بیشترش همکار دوم می‌خواهد.',
    en: 'Toman up to which one member credits a payment by hand; beyond, a second one decides.',
  },
  'approvals.cardsUsdCents': {
    fa: 'ارزش گیفت کارت‌هایی که در سی روز، به سنت، بدون همکار دوم صادر می‌شود؛ صفر یعنی همیشه همکار دوم.',
    en: 'US cents of gift cards within 30 days that are issued without a second member; 0: never.',
  },
  'approvals.pricesAlone': {
    fa: 'یک همکار تنها قیمت گیگابایت و پلن‌ها را عوض می‌کند؛ خاموش یعنی همکار دوم تأیید می‌کند.',
    en: 'One member changes the price of a gigabyte and plans; off: a second one decides.',
  },
  'approvals.aloneHours': {
    fa: 'ساعت‌هایی که همکار تنها صبر می‌کند تا پیشنهاد خودش را تأیید کند.',
    en: 'Hours after which a member who is alone may decide what they proposed.',
  },
  'approvals.openHours': {
    fa: 'ساعت‌هایی که یک پیشنهاد باز می‌ماند؛ باید از صبر همکار تنها بیشتر باشد.',
    en: 'Hours for which a proposal stays open; more than a member who is alone waits.',
  },
  'nodes.linkGbitPerSecond': {
    fa: 'سریع‌ترین خط سرورها، به گیگابیت در ثانیه؛ مصرف بیشتر از آن باور نمی‌شود.',
    en: 'The fastest link of a server, in gigabits per second; usage beyond it is not believed.',
  },
  'nodes.wireguardPorts': {
    fa: 'پورت‌های UDP که سرورها کنار پورت خودشان برای WireGuard باز می‌کنند.',
    en: 'UDP ports at which servers accept WireGuard beside their own.',
    allowed: {
      fa: 'فهرست حداکثر ۱۶ عدد از ۱ تا ۶۵۵۳۵.',
      en: 'A list of up to 16 numbers from 1 to 65535.',
    },
  },
  'entries.blockByRule': {
    fa: 'آیا ورودی‌ای که بسته به نظر می‌رسد خودکار کنار گذاشته شود. آخرین ورودی یک سرور همیشه می‌ماند.',
    en: 'Whether an entry that looks blocked is taken out automatically. The last entry of a server always stays.',
  },
  'configs.perUser': {
    fa: 'بیشترین تعداد کانفیگی که یک کاربر می‌سازد.',
    en: 'How many configs a user may have.',
  },
  'cutOff.reachable': {
    fa: 'سایت‌های بانکی که کاربر بعد از تمام شدن موجودی هم باز می‌کند.',
    en: 'Hosts of banks that a user who ran out still reaches.',
    allowed: {
      fa: 'فهرست حداکثر ۴۰ نام میزبان، با حروف کوچک لاتین.',
      en: 'A list of up to 40 host names in lower case.',
    },
  },
  'reach.networks': {
    fa: 'شبکه‌هایی که شمرده می‌شود فایل‌ها در آن‌ها وصل می‌شوند یا نه؛ فهرست خالی یعنی شمرده نشود.',
    en: 'The networks in which it is counted whether files connect; an empty list: none.',
    allowed: {
      fa: 'فهرستی از حداکثر ۶۴ شیء با id (شمارهٔ شبکه)، fa و en (نام‌ها).',
      en: 'A list of up to 64 objects with id (the number of the network), fa and en (its names).',
    },
  },
  'flags.openconnect': {
    fa: 'به چند درصد کاربران با کانفیگ OpenVPN، راه OpenConnect هم پیشنهاد می‌شود. آنچه پیشنهاد شده با همان کانفیگ می‌ماند.',
    en: 'How many of a hundred users are offered OpenConnect with configs of OpenVPN. What was offered stays with its config.',
  },
  'sms.codeTemplate': {
    fa: 'قالب پیامک کد تأیید در کاوه‌نگار.',
    en: 'The template of the text message with a code, at Kavenegar.',
    allowed: template,
  },
  'sms.lowBalanceTemplate': {
    fa: 'قالب پیامک کم شدن موجودی در کاوه‌نگار.',
    en: 'The template of the text message about a low balance, at Kavenegar.',
    allowed: template,
  },
  'sms.serviceCutTemplate': {
    fa: 'قالب پیامک قطع شدن سرویس در کاوه‌نگار.',
    en: 'The template of the text message about stopped service, at Kavenegar.',
    allowed: template,
  },
};
