import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';

/** The mail with a verification code: plain text with the code alone on a line, and Persian HTML without images or links. */
export function codeMail(brand: string, code: string): { subject: string; text: string; html: string } {
  const minutes = formatNumber(limits.verificationCode.lifetimeSeconds / 60);
  const subject = `کد ورود به ${brand}: ${code}`;
  const text = [
    'سلام',
    '',
    `کد ورود شما به ${brand}:`,
    '',
    code,
    '',
    `این کد تا ${minutes} دقیقه اعتبار دارد و فقط یک بار به کار می‌آید.`,
    'اگر شما این کد را نخواسته‌اید، این نامه را نادیده بگیرید و کد را به هیچ‌کس ندهید.',
    '',
  ].join('\n');
  return { subject, text, html: page(brand, code, minutes) };
}

function page(brand: string, code: string, minutes: string): string {
  const font = "font-family:Vazirmatn,Tahoma,'Segoe UI',Arial,sans-serif";
  return `<!doctype html>
<html lang="fa" dir="rtl">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(brand)}</title></head>
<body dir="rtl" style="margin:0;background:#f7f4ee;${font};color:#151d33">
<table role="presentation" dir="rtl" width="100%" cellpadding="0" cellspacing="0" style="background:#f7f4ee"><tr><td dir="rtl" align="center" style="padding:32px 16px">
<table role="presentation" dir="rtl" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#fffefb;border:1px solid #e4dfd4;border-radius:20px"><tr><td dir="rtl" style="padding:32px;text-align:right;${font};font-size:16px;line-height:1.9">
<p style="margin:0 0 8px;font-size:20px;font-weight:bold;color:#1b3a8a">${escapeHtml(brand)}</p>
<p style="margin:0 0 20px">سلام، کد ورود شما:</p>
<p style="margin:0 0 20px;text-align:center"><bdi dir="ltr" style="display:inline-block;padding:12px 24px;border-radius:14px;background:#e7f3f2;font-size:32px;font-weight:bold;letter-spacing:6px;font-family:'DejaVu Sans Mono',Consolas,monospace;color:#151d33">${code}</bdi></p>
<p style="margin:0 0 8px;font-size:14px;color:#4a5164">این کد تا ${minutes} دقیقه اعتبار دارد و فقط یک بار به کار می‌آید.</p>
<p style="margin:0;font-size:14px;color:#4a5164">اگر شما این کد را نخواسته‌اید، این نامه را نادیده بگیرید و کد را به هیچ‌کس ندهید.</p>
</td></tr></table></td></tr></table></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
