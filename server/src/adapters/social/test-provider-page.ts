import { createHash } from 'node:crypto';

/** The page of the test providers. It states in large letters that nobody is asked. */
const STYLE = `:root{color-scheme:light dark}*{box-sizing:border-box}body{margin:0;min-height:100dvh;display:grid;place-items:center;font-family:Vazirmatn,Tahoma,sans-serif;line-height:1.9;background:repeating-linear-gradient(135deg,#eef1fb 0 24px,#e1e7f7 24px 48px);color:#1d2436}main{background:#fffefb;border:2px dashed #1b3a8a;border-radius:28px;padding:32px;width:min(28rem,calc(100vw - 32px));text-align:center}h1{font-size:1.375rem;margin:0 0 8px}.mark{display:inline-block;background:#1b3a8a;color:#fff;border-radius:999px;padding:2px 16px;font-weight:700;margin:0 0 16px}label{display:block;text-align:start;margin-top:16px;font-weight:700}input{display:block;font:inherit;width:100%;min-height:48px;border:1px solid #8a90a2;border-radius:14px;padding:0 16px;margin-top:4px;background:#fff;color:#1d2436}button{font:inherit;font-weight:700;min-height:48px;padding:0 24px;border-radius:14px;border:0;cursor:pointer;background:#1b3a8a;color:#fff;margin:24px 6px 0}button.quiet{background:#ece7dc;color:#1d2436}button:focus-visible,input:focus-visible{outline:3px solid #0b7a75;outline-offset:2px}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const problems = {
  client: 'این نشانی از رها نیامده است. لطفاً از صفحهٔ ورود دوباره بیایید.',
  email: 'این ایمیل درست نیست. لطفاً برگردید و دوباره بنویسید.',
} as const;

export type TestProviderContent =
  | { readonly title: string; readonly problem: keyof typeof problems }
  /** `action`: where the form posts to; its answer is `allow` or `cancel`. */
  | { readonly title: string; readonly action: string };

export function testProviderPolicy(publicOrigin: string): string {
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${publicOrigin}; base-uri 'none'; frame-ancestors 'none'`;
}

export function testProviderPage(content: TestProviderContent): string {
  const name = `<bdi dir="ltr">${content.title}</bdi>`;
  const inside = 'problem' in content ? `<p>${problems[content.problem]}</p>` : form(name, content.action);
  return `<!doctype html><html lang="fa" dir="rtl"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>ورود آزمایشی</title><style>${STYLE}</style></head><body><main><p class="mark">آزمایشی</p><h1>ورود آزمایشی ${name}</h1>${inside}</main></body></html>`;
}

function form(name: string, action: string): string {
  return `<p>این صفحه جای صفحهٔ ورود ${name} است. چیزی به ${name} فرستاده نمی‌شود و رمزی لازم نیست.</p><form method="post" action="${inMarkup(action)}"><label>ایمیل<input name="email" type="email" dir="ltr" required value="test@gmail.com"></label><label>نام<input name="name" maxlength="60" value="کاربر آزمایشی"></label><button name="answer" value="allow">ورود با این حساب</button><button class="quiet" name="answer" value="cancel" formnovalidate>انصراف</button></form>`;
}

function inMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
