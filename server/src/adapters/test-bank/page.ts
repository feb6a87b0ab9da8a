import { createHash } from 'node:crypto';
import { formatNumber } from '@raha/contract/persian.ts';

/** The payer's page of the test bank. It states in large letters that no money moves. */
const STYLE = `:root{color-scheme:light dark}*{box-sizing:border-box}body{margin:0;min-height:100dvh;display:grid;place-items:center;font-family:Vazirmatn,Tahoma,sans-serif;line-height:1.9;background:repeating-linear-gradient(135deg,#fff7e0 0 24px,#fdf0c8 24px 48px);color:#1d2436}main{background:#fffefb;border:2px dashed #b4770a;border-radius:28px;padding:32px;width:min(28rem,calc(100vw - 32px));text-align:center}h1{font-size:1.375rem;margin:0 0 8px}.mark{display:inline-block;background:#7a4b00;color:#fff;border-radius:999px;padding:2px 16px;font-weight:700;margin-bottom:16px}.sum{font-size:1.75rem;font-weight:800;margin:16px 0 0}small{color:#5b6274;font-size:.8125rem}form{display:inline-block;margin:20px 6px 0}button{font:inherit;font-weight:700;min-height:48px;padding:0 24px;border-radius:14px;border:0;cursor:pointer;background:#1b3a8a;color:#fff}button.quiet{background:#ece7dc;color:#1d2436}button:focus-visible{outline:3px solid #0b7a75;outline-offset:2px}code{direction:ltr;display:inline-block;font-size:.8125rem;word-break:break-all}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export function testBankPolicy(publicOrigin: string): string {
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${publicOrigin}; base-uri 'none'; frame-ancestors 'none'`;
}

export interface ShownSession {
  readonly authority: string;
  readonly amountRial: number;
  readonly open: boolean;
  readonly gateway: string;
  /** The path of this page; its buttons post below it. */
  readonly path: string;
}

export function testBankPage(session: ShownSession | undefined): string {
  return `<!doctype html><html lang="fa" dir="rtl"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>بانک آزمایشی</title><style>${STYLE}</style></head><body><main><p class="mark">آزمایشی</p><h1>بانک آزمایشی${session ? ` ${session.gateway}` : ''}</h1><p>این صفحه جایگزین درگاه بانک است و هیچ پولی جابه‌جا نمی‌شود.</p>${session ? payment(session) : '<p>این پرداخت پیدا نشد.</p>'}</main></body></html>`;
}

function payment(session: ShownSession): string {
  const action = session.path;
  const buttons = session.open
    ? `<form method="post" action="${action}/pay"><button type="submit">پرداخت موفق</button></form><form method="post" action="${action}/cancel"><button class="quiet" type="submit">انصراف</button></form>`
    : `<p>این پرداخت پیش‌تر پایان یافته است.</p><form method="post" action="${action}/pay"><button class="quiet" type="submit">بازگشت به فروشنده</button></form>`;
  return `<p class="sum">${formatNumber(session.amountRial / 10)} <small>تومان</small></p><small>برابر ${formatNumber(session.amountRial)} ریال</small><p><code dir="ltr">${session.authority}</code></p>${buttons}`;
}
