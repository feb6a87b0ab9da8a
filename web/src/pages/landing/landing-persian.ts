import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import type { ClaimName } from '@raha/contract/site-claims.ts';
import { placeholder, type SiteCondition } from '@raha/contract/site-placeholders.ts';

const { payment } = limits;
const n = (value: number) => formatNumber(value, 'fa');

/** A row without a claim is true of every installation. */
export interface ComparisonRow {
  readonly feature: string;
  readonly ours: string;
  readonly others: string;
  readonly claim?: ClaimName;
  /** When the row is shown, if not when its claim has a value. */
  readonly holds?: SiteCondition;
}

export const persian = {
  demo: 'نمایشی',
  sample: 'نمونه',
  chip: 'هوش مصنوعی، راه را پیدا می‌کند',
  text: 'برای هر دستگاه یک کانفیگ می‌سازید، اسکنش می‌کنید و وصل می‌شوید. آریا سرور مناسبتان را پیشنهاد می‌دهد و شما فقط پول مصرفتان را می‌دهید.',
  startTrial: 'شروع با ایمیل',
  trialTerms: `${placeholder('passwordlessDays')} روز رایگان، ${placeholder('trialTerms')}`,
  watch: 'تماشای راهنما',
  download: 'دانلود',
  points: ['بدون ثبت وب‌گردی شما', `بازگشت وجه تا ${n(payment.refundDays)} روز`, 'بدون نیاز به کارت بانکی برای شروع'],
  aria: {
    card: 'پیشنهاد آریا',
    ping: 'پینگ',
    load: 'بار سرور',
    protocol: 'پروتکل',
    ms: 'میلی‌ثانیه',
  },
  stats: {
    label: 'رها در چند عدد',
    connected: 'کاربر متصل',
    countries: 'کشور',
    servers: 'سرور',
    ping: 'میانگین پینگ آلمان',
    perGb: 'هر گیگابایت',
    cents: `${placeholder('usdCentsPerGb')} سنت`,
    refund: 'مهلت بازگشت وجه',
    days: `${n(payment.refundDays)} روز`,
  },
  features: {
    title: 'چرا رها',
    text: 'آنچه یک اتصال خوب لازم دارد.',
    previous: 'امکان قبلی',
    next: 'امکان بعدی',
    pause: 'ایست چرخش',
    play: 'ادامهٔ چرخش',
    slide: 'امکان',
    items: [
      ['پرداخت به‌اندازهٔ مصرف', 'چیزی بیش از مصرفتان از کیف پول کم نمی‌شود؛ بدون تمدید خودکار.'],
      ['WireGuard، سریع و سبک', 'با کمترین سربار کار می‌کند و با جابه‌جایی میان وای‌فای و سیم‌کارت قطع نمی‌شود.'],
      [
        'وب‌گردی شما ثبت نمی‌شود',
        'نه نشانی سایت‌ها، نه پرسش‌های DNS و نه نشانی شبکهٔ شما را نگه نمی‌داریم؛ فقط حجم مصرف هر کانفیگ.',
      ],
      ['کلید روی دستگاه خودتان', 'کلید خصوصی را می‌توانید در مرورگرتان بسازید تا هرگز به سرور نرسد.'],
      ['آریا، دستیار انتخاب سرور', 'سروری را که به کار شما می‌آید پیشنهاد می‌دهد.'],
      ['پایان ناگهانی ندارد', 'موجودی که تمام شود اتصال فقط مکث می‌کند و با اولین شارژ، همان لحظه برمی‌گردد.'],
    ],
  },
  map: {
    title: 'جهان، یک لمس آن‌سوتر',
    text: 'یک شهر را انتخاب کنید تا راه آن از تهران را ببینید. این نقشه فقط نمایشی است.',
    svg: 'نقشهٔ نمایشی جهان با شهرهای انتخاب‌شدنی',
    choose: 'شهرها',
    all: 'نمایش همهٔ شهرها',
    fewer: 'نمایش شهرهای اصلی',
    idle: 'متصل نیست',
    idleText: 'یک شهر را انتخاب کنید.',
    connecting: 'در حال اتصال به {city}…',
    connected: 'متصل به {city}',
    disconnect: 'قطع اتصال',
    noScript: 'این نمایش به جاوااسکریپت نیاز دارد. شهرهای آن:',
  },
  assistant: {
    title: 'آریا پیشنهاد می‌دهد',
    text: 'بگویید چه برایتان مهم‌تر است. آریا سه سرور پیشنهاد می‌دهد و می‌گوید چرا.',
    steps: ['ترجیح شما', 'سه پیشنهاد', 'اتصال'],
    priority: 'اولویت',
    priorities: { speed: 'سرعت', security: 'امنیت', distance: 'فاصله' },
    usage: 'کاربرد',
    usages: { streaming: 'تماشای ویدیو', gaming: 'بازی', browsing: 'وب‌گردی', torrenting: 'تورنت' },
    analyse: 'بررسی و پیشنهاد',
    analysing: 'آریا در حال سنجیدن سرورها…',
    result: 'برای {usage}، این سه سرور را پیشنهاد می‌کنم:',
    reasons: {
      because: 'چون {reasons}.',
      and: ' و ',
      ping: 'پینگش {n} میلی‌ثانیه است',
      distance: '{n} درجه با ایران فاصله دارد',
      room: 'سرور ویژه است',
    },
    premium: 'ویژه',
    best: 'بهترین انتخاب',
    connect: 'اتصال',
    connected: 'به {city} متصل شدید',
    connectedText: 'این یک نمایش بود.',
    restart: 'شروع دوباره',
    noScript: 'این نمایش به جاوااسکریپت نیاز دارد.',
  },
  compare: {
    title: 'رها در کنار دیگران',
    text: 'قیمت «دیگران» بازهٔ معمول بازار است.',
    samples: 'رقم‌های «نمونه» آزمایشی‌اند.',
    feature: 'ویژگی',
    others: 'دیگران',
    yes: 'دارد',
    rows: [
      {
        feature: 'قیمت ماهانه',
        ours: `${placeholder('monthlyPriceToman')} تومان`,
        others: `${placeholder('othersFromToman')} تا ${placeholder('othersToToman')} تومان`,
        claim: 'monthlyPriceToman',
      },
      { feature: 'پرداخت به‌اندازهٔ مصرف', ours: 'دارد', others: 'متفاوت' },
      { feature: 'کشورها', ours: `${placeholder('countries')} کشور`, others: 'متفاوت', claim: 'countries' },
      { feature: 'سرورها', ours: placeholder('servers'), others: 'متفاوت', claim: 'servers' },
      { feature: 'رمزنگاری', ours: 'AES-256، و ChaCha20 در WireGuard', others: 'متفاوت' },
      { feature: 'پروتکل‌ها', ours: 'WireGuard، OpenVPN و IKEv2', others: 'متفاوت' },
      {
        feature: 'دستگاه‌های هم‌زمان',
        ours: `تا ${placeholder('devices')} دستگاه`,
        others: 'متفاوت',
        claim: 'devices',
      },
      { feature: 'امتیاز', ours: `${placeholder('rating')} از ۵`, others: 'متفاوت', claim: 'rating' },
      {
        feature: 'دورهٔ رایگان',
        ours: `${placeholder('passwordlessDays')} روز، ${placeholder('trialTerms')}`,
        others: 'متفاوت',
        holds: 'passwordless-trial',
      },
    ] as readonly ComparisonRow[],
  },
  promises: {
    title: 'به حرف ما بسنده نکنید',
    text: 'خودتان امتحان کنید.',
    items: [
      ['بیش از موجودی کم نمی‌شود', 'هستهٔ سیستم‌عامل سرور در آخرین بایت پرداخت‌شده می‌ایستد.'],
      ['فهرست کامل آنچه نگه می‌داریم', 'صفحهٔ حریم خصوصی می‌گوید چه چیزی تا کی می‌ماند و به چه کسی می‌رسد.'],
      ['پیش از درخواست می‌دانید چقدر برمی‌گردد', 'کنار هر پرداخت نوشته است چقدر و تا کی برمی‌گردد.'],
      ['با شارژ، همان کانفیگ برمی‌گردد', 'خود سرور اعلام می‌کند اینترنتتان چند ثانیه پس از پرداخت برگشت.'],
    ],
  },
  how: {
    title: 'چطور کار می‌کند',
    steps: [
      ['ساخت حساب', 'با ایمیل و کد ۶ رقمی، یا با گذرواژه.'],
      ['فعال‌سازی', 'کد گیفت کارت را ثبت کنید؛ ارزشش به کیف پول شما می‌آید.'],
      ['ساخت کانفیگ', 'سرور را انتخاب کنید و فایل یا کد QR را بگیرید.'],
      ['اتصال', 'کد را در برنامهٔ WireGuard اسکن کنید و روشنش کنید.'],
    ],
  },
  testimonials: {
    title: 'آنچه می‌خواهیم بشنوید',
    text: 'این گفته‌ها نمونه‌اند و گویندهٔ واقعی ندارند.',
    items: [
      ['فقط برای همان چند گیگ که مصرف کردم پول دادم.', 'سارا', 'طراح، تهران'],
      ['کد را با گوشی اسکن کردم و وصل شد.', 'امیر', 'دانشجو، شیراز'],
      ['برای هر دستگاه خانه یک کانفیگ ساختم و مصرف هر کدام را می‌دانم.', 'مریم', 'معلم، مشهد'],
    ],
  },
  apps: {
    title: 'روی هر دستگاهی که دارید',
    text: 'رها با برنامهٔ رسمی و متن‌باز WireGuard کار می‌کند.',
    all: 'راه نصب روی هر دستگاه',
  },
  faq: {
    title: 'پرسش‌های پرتکرار',
    all: 'همهٔ پرسش‌ها',
  },
  support: {
    title: 'کنار شما هستیم',
    text: 'پشتیبانی به فارسی و با ایمیل است.',
    guides: 'راهنماها',
    contact: 'نوشتن به پشتیبانی',
  },
  tour: {
    title: 'رها در چهار گام',
    note: 'این راهنمای تصویری صدا ندارد.',
    close: 'بستن',
    play: 'پخش',
    pause: 'ایست',
    step: 'گام',
  },
};

export type LandingText = typeof persian;
