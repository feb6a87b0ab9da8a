import { limits } from '@raha/contract/limits.ts';
import { formatDate, formatNumber, formatTime } from '@raha/contract/persian.ts';
import { composeEmail as compose, type EmailContent } from '../../platform/email.ts';

/** The e-mails about signing in, in Persian. */

export type { EmailContent };

const codeTitles = {
  'sign-in': { title: 'کد ورود', line: 'سلام، کد ورود شما:' },
  'verify-email': { title: 'کد تأیید ایمیل', line: 'سلام، کد تأیید ایمیل شما:' },
  'change-email': { title: 'کد تأیید ایمیل تازه', line: 'سلام، کد تأیید این نشانی به‌عنوان ایمیل تازهٔ حساب:' },
  console: { title: 'کد ورود به مدیریت', line: 'سلام، کد ورود شما به بخش مدیریت:' },
  confirm: { title: 'کد تأیید', line: 'سلام، کد تأیید کاری که در حساب خود خواسته‌اید:' },
} as const;

const linkLines: Partial<Record<keyof typeof codeTitles, string>> = {
  'sign-in': 'یا این نشانی را در همان مرورگری که کد را خواستید باز کنید:',
};

/** A code for signing in or proving an address; it stands alone on a line. */
export function codeMail(brand: string, code: string, purpose: keyof typeof codeTitles, link?: string): EmailContent {
  const minutes = formatNumber(limits.verificationCode.lifetimeSeconds / 60);
  const { title, line } = codeTitles[purpose];
  return compose(brand, `${title} ${brand}: ${code}`, [
    { line },
    { code },
    ...(link ? [{ line: linkLines[purpose] ?? 'یا این نشانی را باز کنید:' }, { link }] : []),
    { note: `این کد تا ${minutes} دقیقه اعتبار دارد و فقط یک بار به کار می‌آید.` },
    { note: 'اگر شما این کد را نخواسته‌اید، این نامه را نادیده بگیرید و کد را به هیچ‌کس ندهید.' },
  ]);
}

/** To an address that somebody registered again. Says how to sign in; nothing was changed. */
export function alreadyRegisteredMail(brand: string, links: { signIn: string; forgotten: string }): EmailContent {
  return compose(brand, `شما در ${brand} حساب دارید`, [
    { line: 'سلام، با این ایمیل دوباره درخواست ثبت‌نام شد، ولی شما پیش‌تر حساب ساخته‌اید. برای ورود:' },
    { link: links.signIn },
    { line: 'اگر گذرواژه را فراموش کرده‌اید:' },
    { link: links.forgotten },
    { note: 'اگر این درخواست از شما نبوده است، کاری لازم نیست: حسابتان تغییری نکرده است.' },
  ]);
}

/** The first step was right and the second was not, again and again. */
export function secondStepFailingMail(brand: string, firstStep: keyof typeof firstSteps, now: Date): EmailContent {
  return compose(brand, `تلاش ناموفق برای ورود به حساب ${brand} شما`, [
    {
      line: `تا ${moment(now)} کسی ${firstSteps[firstStep]} وارد شد و در مرحلهٔ دوم چند کد نادرست داد. به حساب شما دست نیافته است.`,
    },
    { note: firstStep === 'password' ? CHANGE_PASSWORD : SECURE_MAILBOX },
  ]);
}

const firstSteps = {
  password: 'با گذرواژهٔ درست شما',
  code: 'با کدی که به ایمیل شما فرستادیم',
  google: 'با حساب Google شما',
  github: 'با حساب GitHub شما',
  passkey: 'با گذرکلید شما',
} as const;
const CHANGE_PASSWORD =
  'اگر شما نبوده‌اید، گذرواژه‌تان را کسی می‌داند: همین حالا آن را عوض کنید، و هر جای دیگری که همین گذرواژه را دارید هم.';
const SECURE_MAILBOX =
  'اگر شما نبوده‌اید، کسی به آن حساب یا صندوق ایمیل شما راه دارد: گذرواژهٔ آنجا را همین حالا عوض کنید.';

/** To the old address: the new address of the account, masked. */
export function emailChangedMail(brand: string, email: string, now: Date): EmailContent {
  return compose(brand, `ایمیل حساب ${brand} شما عوض شد`, [
    { line: `ایمیل حساب شما در ${moment(now)} عوض شد و نشست‌های دیگر پایان یافت. نشانی تازه:` },
    { line: maskEmail(email) },
    { note: 'اگر این کار شما نبوده است، همین حالا با پشتیبانی تماس بگیرید.' },
  ]);
}

export function accountDeletedMail(brand: string, now: Date): EmailContent {
  return compose(brand, `حساب ${brand} شما حذف شد`, [
    { line: `حساب شما در ${moment(now)} به خواست شما حذف شد. داده‌های شخصی شما پاک شد و کانفیگ‌ها از کار افتاد.` },
    { note: 'این آخرین نامه‌ای است که از ما دریافت می‌کنید.' },
  ]);
}

export function accountDeactivatedMail(brand: string, now: Date): EmailContent {
  return compose(brand, `حساب ${brand} شما غیرفعال شد`, [
    { line: `حساب شما در ${moment(now)} غیرفعال شد: کانفیگ‌ها قطع شد و همهٔ نشست‌ها پایان یافت.` },
    { note: 'اگر این کار شما نبوده است، وارد شوید و گذرواژه را عوض کنید، یا با پشتیبانی تماس بگیرید.' },
  ]);
}

/** Enough for people who know the address to recognise it, too little for others. */
export function maskEmail(email: string): string {
  const [name = '', host = ''] = email.split('@');
  return `${name.slice(0, 2)}…@${host}`;
}

export function resetMail(brand: string, link: string): EmailContent {
  return compose(brand, `گذرواژهٔ تازه برای ${brand}`, [
    { line: 'سلام، برای گذاشتن گذرواژهٔ تازه این نشانی را باز کنید:' },
    { link },
    { note: `این نشانی تا ${formatNumber(limits.password.resetMinutes)} دقیقه و فقط یک بار کار می‌کند.` },
    { note: 'اگر شما آن را نخواسته‌اید، این نامه را نادیده بگیرید؛ گذرواژه‌تان همان می‌ماند.' },
  ]);
}

export function passwordChangedMail(brand: string, now: Date): EmailContent {
  return compose(brand, `گذرواژهٔ حساب ${brand} شما عوض شد`, [
    { line: `گذرواژهٔ حساب شما در ${moment(now)} عوض شد و نشست‌های دیگر پایان یافت.` },
    { note: 'اگر این کار شما نبوده است، همین حالا با کد ایمیل وارد شوید و گذرواژه را عوض کنید.' },
  ]);
}

export function newDeviceMail(brand: string, device: string, now: Date): EmailContent {
  return compose(brand, `ورود به حساب ${brand} از دستگاهی تازه`, [
    { line: `در ${moment(now)} از دستگاهی تازه به حساب شما وارد شدند${device ? `: ${device}` : '.'}` },
    { note: 'اگر شما بوده‌اید، کاری لازم نیست. اگر نه، در بخش امنیتِ حساب، نشست‌ها را پایان دهید.' },
  ]);
}

/** Date and time of Tehran, in Persian. */
export function moment(now: Date): string {
  return `${formatDate(now)} ساعت ${formatTime(now)}`;
}
