import { limits } from '@raha/contract/limits.ts';
import { formatDate, formatNumber, formatTime } from '@raha/contract/persian.ts';

/**
 * The mails of signing in: plain text first, then Persian HTML without images or tracking. What people typed never
 * reaches a header, and is escaped in bodies.
 */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A code to sign in with, or to verify an address with; the code stands alone on a line. */
export function codeMail(brand: string, code: string, link?: string): Letter {
  const minutes = formatNumber(limits.verificationCode.lifetimeSeconds / 60);
  const what = link ? 'کد تأیید ایمیل شما' : 'کد ورود شما';
  return compose(brand, `${link ? 'کد تأیید ایمیل' : 'کد ورود'} ${brand}: ${code}`, [
    { line: `سلام، ${what}:` },
    { code },
    ...(link ? [{ line: 'یا این نشانی را باز کنید:' }, { link }] : []),
    { note: `این کد تا ${minutes} دقیقه اعتبار دارد و فقط یک بار به کار می‌آید.` },
    { note: 'اگر شما این کد را نخواسته‌اید، این نامه را نادیده بگیرید و کد را به هیچ‌کس ندهید.' },
  ]);
}

export function resetMail(brand: string, link: string): Letter {
  return compose(brand, `گذرواژهٔ تازه برای ${brand}`, [
    { line: 'سلام، برای گذاشتن گذرواژهٔ تازه این نشانی را باز کنید:' },
    { link },
    { note: `این نشانی تا ${formatNumber(limits.password.resetMinutes)} دقیقه و فقط یک بار کار می‌کند.` },
    { note: 'اگر شما آن را نخواسته‌اید، این نامه را نادیده بگیرید؛ گذرواژه‌تان همان می‌ماند.' },
  ]);
}

export function passwordChangedMail(brand: string, now: Date): Letter {
  return compose(brand, `گذرواژهٔ حساب ${brand} شما عوض شد`, [
    { line: `گذرواژهٔ حساب شما در ${moment(now)} عوض شد و نشست‌های دیگر پایان یافت.` },
    { note: 'اگر این کار شما نبوده است، همین حالا با کد ایمیل وارد شوید و گذرواژه را عوض کنید.' },
  ]);
}

export function newDeviceMail(brand: string, device: string, now: Date): Letter {
  return compose(brand, `ورود به حساب ${brand} از دستگاهی تازه`, [
    { line: `در ${moment(now)} از دستگاهی تازه به حساب شما وارد شدند${device ? `: ${device}` : '.'}` },
    { note: 'اگر شما بوده‌اید، کاری لازم نیست. اگر نه، در بخش امنیتِ حساب، نشست‌ها را پایان دهید.' },
  ]);
}

export function planEndingMail(brand: string, plan: string, endsAt: Date, link: string): Letter {
  return compose(brand, `پلن «${plan}» شما رو به پایان است`, [
    { line: `پلن «${plan}» شما در ${moment(endsAt)} پایان می‌یابد. برای ادامه آن را تمدید کنید:` },
    { link },
    { note: 'اگر تمدید نکنید، مصرف پس از آن از کیف پول و به‌ازای هر گیگابایت حساب می‌شود.' },
  ]);
}

function moment(now: Date): string {
  return `${formatDate(now)} ساعت ${formatTime(now)}`;
}

type Part =
  | { readonly line: string }
  | { readonly note: string }
  | { readonly code: string }
  | { readonly link: string };

function compose(brand: string, subject: string, parts: readonly Part[]): Letter {
  const text = parts.map((part) => Object.values(part)[0]).join('\n\n');
  return { subject, text: `${text}\n`, html: page(brand, parts.map(toHtml).join('\n')) };
}

const NOTE = 'margin:0 0 8px;font-size:14px;color:#4a5164';

function toHtml(part: Part): string {
  if ('line' in part) return `<p style="margin:0 0 20px">${escapeHtml(part.line)}</p>`;
  if ('note' in part) return `<p style="${NOTE}">${escapeHtml(part.note)}</p>`;
  if ('link' in part) {
    const url = escapeHtml(part.link);
    return `<p style="margin:0 0 20px"><a href="${url}" style="color:#0b6e6a;word-break:break-all"><bdi dir="ltr">${url}</bdi></a></p>`;
  }
  const box =
    "display:inline-block;padding:12px 24px;border-radius:14px;background:#e7f3f2;font-size:32px;font-weight:bold;letter-spacing:6px;font-family:'DejaVu Sans Mono',Consolas,monospace;color:#151d33";
  return `<p style="margin:0 0 20px;text-align:center"><bdi dir="ltr" style="${box}">${part.code}</bdi></p>`;
}

function page(brand: string, body: string): string {
  const font = "font-family:Vazirmatn,Tahoma,'Segoe UI',Arial,sans-serif";
  return `<!doctype html>
<html lang="fa" dir="rtl">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(brand)}</title></head>
<body dir="rtl" style="margin:0;background:#f7f4ee;${font};color:#151d33">
<table role="presentation" dir="rtl" width="100%" cellpadding="0" cellspacing="0" style="background:#f7f4ee"><tr><td dir="rtl" align="center" style="padding:32px 16px">
<table role="presentation" dir="rtl" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#fffefb;border:1px solid #e4dfd4;border-radius:20px"><tr><td dir="rtl" style="padding:32px;text-align:right;${font};font-size:16px;line-height:1.9">
<p style="margin:0 0 8px;font-size:20px;font-weight:bold;color:#1b3a8a">${escapeHtml(brand)}</p>
${body}
</td></tr></table></td></tr></table></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
