import { createHash } from 'node:crypto';
import { formatNumber } from '@raha/contract/persian.ts';

/** The page of the test store. It states in large letters that nothing is paid. */
const STYLE = `:root{color-scheme:light dark}*{box-sizing:border-box}body{margin:0;min-height:100dvh;display:grid;place-items:center;font-family:Vazirmatn,Tahoma,sans-serif;line-height:1.9;background:repeating-linear-gradient(135deg,#e7f6f4 0 24px,#d9efec 24px 48px);color:#1d2436}main{background:#fffefb;border:2px dashed #0b7a75;border-radius:28px;padding:32px;width:min(30rem,calc(100vw - 32px));text-align:center}h1{font-size:1.375rem;margin:0 0 8px}.mark{display:inline-block;background:#0b5f5b;color:#fff;border-radius:999px;padding:2px 16px;font-weight:700;margin:0 0 16px}ul{list-style:none;margin:20px 0 0;padding:0;display:grid;grid-template-columns:1fr 1fr;gap:12px}button{font:inherit;font-weight:700;width:100%;min-height:64px;border-radius:14px;border:0;cursor:pointer;background:#1b3a8a;color:#fff;font-size:1.125rem}button:focus-visible{outline:3px solid #b4770a;outline-offset:2px}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const problems = {
  signature: 'امضای این نشانی درست نیست. لطفاً از صفحهٔ فعال‌سازی دوباره بیایید.',
  expired: 'زمان این نشانی گذشته است. لطفاً از صفحهٔ فعال‌سازی دوباره بیایید.',
  used: 'با این نشانی یک بار خرید شده است. برای خرید دیگر از صفحهٔ فعال‌سازی بیایید.',
  unknown: 'این کارت در فروشگاه نیست.',
} as const;

type Content =
  | { readonly slug: string; readonly problem: keyof typeof problems }
  | { readonly slug: string; readonly query: string; readonly shelf: readonly number[] };

export function testStorePolicy(publicOrigin: string): string {
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${publicOrigin}; base-uri 'none'; frame-ancestors 'none'`;
}

export function testStorePage(content: Content): string {
  const inside = 'problem' in content ? `<p>${problems[content.problem]}</p>` : window(content.slug, content);
  return `<!doctype html><html lang="fa" dir="rtl"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>فروشگاه آزمایشی</title><style>${STYLE}</style></head><body><main><p class="mark">آزمایشی</p><h1>فروشگاه آزمایشی گیفت کارت</h1>${inside}</main></body></html>`;
}

function window(slug: string, { query, shelf }: { query: string; shelf: readonly number[] }): string {
  const cards = shelf.map(
    (cents) =>
      `<li><form method="post" action="/dev/store/${inMarkup(slug)}/buy/${cents}?${inMarkup(query)}"><button type="submit">${formatNumber(cents / 100)} دلار</button></form></li>`,
  );
  return `<p>این صفحه جایگزین فروشگاه واقعی است و هیچ پولی گرفته نمی‌شود. کارتی را انتخاب کنید تا با کد آن برگردید.</p><ul>${cards.join('')}</ul>`;
}

function inMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
