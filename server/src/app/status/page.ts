import { createHash } from 'node:crypto';
import type { Locale } from '@raha/contract/locale.ts';
import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import { OLD_AFTER_SECONDS, type PartKind, type PartState, type Status, type StatusPart } from './status.ts';

/**
 * The page as one file, which any host can serve: its style and its script stand in it, and are named by their hashes. Without the
 * script it says of when it is; with it, also when that is too long ago.
 */
export function renderStatus(status: Status, locale: Locale, publicKey: string): string {
  const text = texts[locale];
  const at = new Date(status.written_at);
  const brand = status.brand[locale];
  return `<!doctype html>
<html lang="${locale}" dir="${locale === 'fa' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>${escapeHtml(text.title(brand))}</title>
<style>${STYLE}</style>
</head>
<body data-written="${status.written_at}">
<header><b>${escapeHtml(brand)}</b><a href="${text.otherFile}" lang="${locale === 'fa' ? 'en' : 'fa'}">${text.other}</a></header>
<main>
<p id="old" role="status" hidden>${text.old}</p>
<h1>${text[findingOf(status)]}</h1>
<p class="when">${text.when(timeOf(at, locale))}</p>
<ul>
${status.parts.map((part) => renderPart(part, locale)).join('\n')}
</ul>
<p class="foot">${text.meaning}</p>
<p class="foot">${text.signed} <code dir="ltr">${publicKey}</code></p>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** The same page, saying from the start that it is old: for a host that knows so. */
export function markOld(page: string): string {
  return page.replace('id="old" role="status" hidden', 'id="old" role="status"');
}

type Finding = 'allUp' | 'someBad' | 'noDatabase';

function findingOf({ database, parts }: Status): Finding {
  if (database === 'away') return 'noDatabase';
  return parts.some(({ state }) => state === 'down' || state === 'degraded') ? 'someBad' : 'allUp';
}

function renderPart({ kind, name, state }: StatusPart, locale: Locale): string {
  const text = texts[locale];
  const shown =
    kind === 'country' ? countryName(name, locale) : kind === 'gateway' ? (gateways[name]?.[locale] ?? name) : '';
  const isInner = kind === 'gateway';
  return `<li class="${state}${isInner ? ' inner' : ''}"><span>${escapeHtml(text.parts[kind](shown))}</span><b>${text.states[state]}</b></li>`;
}

function countryName(code: string, locale: Locale): string {
  return new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' }).of(code) ?? code;
}

function timeOf(at: Date, locale: Locale): string {
  const options = { timeZone: 'Asia/Tehran', dateStyle: 'long', timeStyle: 'medium' } as const;
  return new Intl.DateTimeFormat(locale === 'fa' ? 'fa-IR' : 'en-GB', options).format(at);
}

const gateways: Readonly<Record<string, Readonly<Record<Locale, string>>>> = gatewayTitles;

interface Texts extends Readonly<Record<Finding, string>> {
  title(brand: string): string;
  when(time: string): string;
  readonly other: string;
  readonly otherFile: string;
  readonly old: string;
  readonly meaning: string;
  readonly signed: string;
  readonly parts: Readonly<Record<PartKind, (name: string) => string>>;
  readonly states: Readonly<Record<PartState, string>>;
}

const texts: Readonly<Record<Locale, Texts>> = {
  fa: {
    title: (brand) => `وضعیت سرویس | ${brand}`,
    when: (time) =>
      `آخرین اندازه‌گیری: ${time} به وقت تهران. هر نیم دقیقه تازه می‌شود؛ اگر بیش از دو دقیقه پیش است، آنچه این‌جاست کهنه است.`,
    other: 'English',
    otherFile: 'en.html',
    old: 'این صفحه تازه نشده است. آنچه پایین می‌بینید، مال آخرین اندازه‌گیری است و شاید دیگر درست نباشد.',
    allUp: 'هر چه اندازه گرفته‌ایم کار می‌کند.',
    someBad: 'بخشی از سرویس درست کار نمی‌کند.',
    noDatabase: 'پایگاه دادهٔ ما در دسترس نیست: ورود، پنل و پرداخت کار نمی‌کند.',
    meaning:
      'اگر پنل در دسترس نباشد، سرورها برای کسانی که موجودی دارند تا نیم ساعت کار می‌کنند. «نامعلوم» یعنی چیزی برای اندازه‌گیری نبوده است.',
    signed: 'فایل status.json کنار این صفحه با این کلید امضا شده است (Ed25519):',
    parts: {
      site: () => 'سایت',
      account: () => 'ورود و پنل',
      payments: () => 'پرداخت',
      gateway: (name) => `درگاه ${name}`,
      mail: () => 'نامه‌ها',
      usage: () => 'ثبت مصرف و برگشت سرویس',
      country: (name) => `سرورهای ${name}`,
    },
    states: { up: 'کار می‌کند', degraded: 'با اختلال', down: 'کار نمی‌کند', unknown: 'نامعلوم' },
  },
  en: {
    title: (brand) => `Status | ${brand}`,
    when: (time) =>
      `Last measured: ${time}, Tehran time. It is written every half minute; if that is more than two minutes ago, what stands here is old.`,
    other: 'فارسی',
    otherFile: 'index.html',
    old: 'This page has not been renewed. What you see below was measured last, and may not be true any more.',
    allUp: 'Everything that we measured works.',
    someBad: 'A part of the service does not work as it should.',
    noDatabase: 'Our database is not available: signing in, the panel and payments do not work.',
    meaning:
      'While the panel is away, servers go on for half an hour for users with money. “Unknown” means that there was nothing to measure.',
    signed: 'The file status.json beside this page is signed with this key (Ed25519):',
    parts: {
      site: () => 'Site',
      account: () => 'Sign-in and panel',
      payments: () => 'Payments',
      gateway: (name) => `Gateway ${name}`,
      mail: () => 'Mails',
      usage: () => 'Booking of usage, restoring of service',
      country: (name) => `Servers in ${name}`,
    },
    states: { up: 'Works', degraded: 'Impaired', down: 'Does not work', unknown: 'Unknown' },
  },
};

const STYLE = `:root{color-scheme:light dark;--bg:#faf7f1;--text:#151d33;--soft:#5a6175;--line:#e4dfd4;--bad:#b3123f;--look:#8a5a00;--accent:#0b6e6a}
@media (prefers-color-scheme:dark){:root{--bg:#0b1020;--text:#eef0f6;--soft:#a3abc2;--line:#2a3350;--bad:#ff8296;--look:#f3b94d;--accent:#5fd4cd}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--text);font:16px/1.8 Vazirmatn,Tahoma,'Segoe UI',Arial,sans-serif}
header,main{max-width:44rem;margin:0 auto;padding:16px 20px}header{display:flex;justify-content:space-between;align-items:center;font-size:18px}
a{color:var(--accent);padding:8px 0}h1{margin:16px 0 4px;font-size:24px;line-height:1.5}.when,.foot{margin:0 0 16px;color:var(--soft);font-size:14px}
#old{margin:0;padding:12px 16px;border-inline-start:4px solid var(--bad);color:var(--bad);font-weight:bold}#old[hidden]{display:none}
ul{list-style:none;margin:24px 0;padding:0;border-top:1px solid var(--line)}
li{display:flex;justify-content:space-between;gap:16px;padding:10px 0;border-bottom:1px solid var(--line)}li.inner{padding-inline-start:20px}
li b{font-weight:500;color:var(--soft);text-align:end}.down b{color:var(--bad);font-weight:700}.degraded b{color:var(--look);font-weight:700}
code{display:block;font-size:12px;overflow-wrap:anywhere;text-align:start}`;

/** The time of the host counts, not that of the reader's clock. */
const SCRIPT = `(function(){
var written=Date.parse(document.body.dataset.written),old=document.getElementById('old');
function look(){fetch('status.json',{cache:'no-store'}).then(function(r){
if(!r.ok)throw 0;var host=Date.parse(r.headers.get('date'))||performance.timeOrigin+performance.now();
return r.json().then(function(s){var at=Date.parse(JSON.parse(s.signed).written_at);
old.hidden=host-at<=${OLD_AFTER_SECONDS * 1_000};if(at>written&&host-at<=${OLD_AFTER_SECONDS * 1_000})location.reload()})
}).catch(function(){old.hidden=false})}
look();setInterval(look,30000)})()`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** For the page where it stands, and for the header with which we serve it. */
export const policy = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; connect-src 'self'; base-uri 'none'`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
