import './style/family.css';
import { formatBytes, formatDate, formatTime } from '@raha/contract/persian.ts';
import type { FamilyLinkView, GuestPage } from '@raha/contract/public/family.ts';
import { SAMPLE_FILENAME } from './pages/family/sample-filename.ts';
import { profileFor } from './pages/user/configs/config-file.ts';
import { findOwnSystem, isOwnPhone, type System } from './pages/user/configs/device-system.ts';
import { select, selectAll } from './site-scripts/page.ts';

/**
 * The script of the page behind a family link. The token stands behind the `#`, so it is in no log; it is sent in the body of a
 * POST, and opening is one that only a press makes.
 */
type Screen = 'checking' | 'new' | 'page' | 'used' | 'expired' | 'ended' | 'unknown' | 'offline' | 'failed' | 'cookies';
type Answer<Data> = { readonly data: Data } | { readonly screen: Screen };

const API = '/api/v1/family';
/** Long, because who waits here may be on a very slow network. */
const TIMEOUT_MS = 30_000;
const language = document.documentElement.lang === 'en' ? 'en' : 'fa';
const token = location.hash.slice(1);
const screens: Readonly<Record<string, Screen>> = {
  family_link_used: 'used',
  family_link_expired: 'expired',
  family_ended: 'ended',
  family_link_unknown: 'unknown',
};

/** Whether this browser is known to send back the cookie by which it may come back. */
let remembers: Promise<boolean> = Promise.resolve(true);
let shown: GuestPage | undefined;

const languageLink = select<HTMLAnchorElement>('[data-language]');
if (languageLink) languageLink.hash = location.hash;
addEventListener('hashchange', () => location.reload());
for (const button of selectAll('[data-again]')) button.addEventListener('click', () => void start());
select('[data-open]')?.addEventListener('click', ({ currentTarget }) => void openByPress(currentTarget as HTMLElement));
for (const link of selectAll('[data-file]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    void saveFile(link);
  });
}
select('[data-where]')?.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement) showPart(target.value);
});
const systemChoice = select<HTMLSelectElement>('[data-system]');
systemChoice?.addEventListener('change', showGuide);
select('[data-code]')?.addEventListener('error', () => void openPage());
void start();

/** Looks, which uses nothing up. The browser that has opened the link sees its page again. */
async function start(): Promise<void> {
  show('checking');
  if (!/^[\w-]{43}$/.test(token)) return show('unknown');
  if (!navigator.cookieEnabled) return show('cookies');
  const answer = await call<FamilyLinkView>('look');
  if ('screen' in answer) return show(answer.screen);
  const { state, remembered, guest_name, sender_name, expires_at } = answer.data;
  if (state === 'open') return await openPage();
  if (state !== 'new') return show(state);
  // The cookie came with the first answer; a second look says whether this browser has kept it.
  remembers = remembered
    ? Promise.resolve(true)
    : call<FamilyLinkView>('look').then((again) => !('data' in again) || again.data.remembered);
  fillNames(guest_name, sender_name);
  fillTime('expires', expires_at);
  show('new');
}

async function openByPress(button: HTMLElement): Promise<void> {
  await whileBusy(button, async () => {
    // Opened without it, the page could not be shown a second time, nor its file fetched.
    if (!(await remembers)) return show('cookies');
    await openPage();
  });
}

async function openPage(): Promise<void> {
  const answer = await call<GuestPage>('open');
  if ('screen' in answer) return show(answer.screen);
  const page = answer.data;
  const isFirst = shown === undefined;
  shown = page;
  fillNames(page.guest_name, page.sender_name);
  fillTime('resets', page.resets_at);
  fillTime('shown', page.shown_until);
  fill('bytes', formatBytes(page.monthly_bytes, language));
  fill('filename', page.filename);
  for (const part of selectAll('svg text')) if (part.textContent === SAMPLE_FILENAME) part.textContent = page.filename;
  for (const part of selectAll('[data-cap-reached]')) part.hidden = !page.cap_reached;
  if (isFirst) arrange(page);
  show('page');
}

/** At a desk the code leads, for the phone beside it; a phone cannot scan what it shows itself. */
function arrange({ protocol }: GuestPage): void {
  const isPhone = isOwnPhone();
  for (const part of selectAll('[data-on]')) part.hidden = (part.dataset.on === 'phone') !== isPhone;
  if (systemChoice) systemChoice.value = findOwnSystem();
  showGuide();
  const hasCode = protocol === 'wireguard';
  for (const part of selectAll('[data-where]')) part.hidden = !hasCode;
  const first = hasCode && !isPhone ? 'other' : 'this';
  const option = select<HTMLInputElement>(`[data-where] input[value=${first}]`);
  if (option) option.checked = true;
  showPart(first);
}

function showPart(name: string): void {
  for (const part of selectAll('[data-part]')) part.hidden = part.dataset.part !== name;
  const code = select<HTMLImageElement>('[data-code]');
  if (code && name === 'other' && shown && !code.src) code.src = `${API}/${shown.id}/qr`;
}

function showGuide(): void {
  const wanted = `${shown?.protocol ?? ''} ${systemChoice?.value ?? ''}`;
  for (const guide of selectAll('[data-guide]')) guide.hidden = guide.dataset.guide !== wanted;
}

/**
 * Asks before it leads to the file, so that what has ended meanwhile is said on this page. The file itself comes by its address:
 * browsers inside other apps save nothing that a script has made.
 */
async function saveFile(link: HTMLElement): Promise<void> {
  await whileBusy(link, async () => {
    const answer = await call<GuestPage>('open');
    if ('screen' in answer) return show(answer.screen);
    const { id, protocol } = answer.data;
    const system = protocol === 'ikev2' ? `?system=${profileFor(systemChoice?.value as System)}` : '';
    location.assign(`${API}/${id}/file${system}`);
  });
}

async function call<Data>(name: 'look' | 'open'): Promise<Answer<Data>> {
  try {
    const response = await fetch(`${API}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': language },
      body: JSON.stringify({ token }),
      // Older phones have no such signal, and wait as long as the browser does.
      signal: AbortSignal.timeout?.(TIMEOUT_MS) ?? null,
    });
    const body = (await response.json()) as { data: Data; code?: string };
    return response.ok ? { data: body.data } : { screen: screens[body.code ?? ''] ?? 'failed' };
  } catch {
    return { screen: 'offline' };
  }
}

/** The title says it to those who do not see the page, and the heading takes the focus. */
function show(screen: Screen): void {
  for (const part of selectAll('[data-screen]')) part.hidden = part.dataset.screen !== screen;
  const heading = select(`[data-screen=${screen}] h1`);
  if (!heading) return;
  document.title = heading.textContent ?? '';
  if (screen !== 'checking') heading.focus();
}

/** A second press meanwhile does nothing. */
async function whileBusy(control: HTMLElement, work: () => Promise<void>): Promise<void> {
  if (control.ariaBusy === 'true') return;
  control.ariaBusy = 'true';
  await work();
  control.ariaBusy = null;
}

function fillNames(guest: string, sender: string): void {
  fill('guest', guest);
  fill('sender', sender);
  for (const part of selectAll('[data-with-sender]')) part.hidden = sender === '';
  for (const part of selectAll('[data-without-sender]')) part.hidden = sender !== '';
}

function fillTime(name: string, instant: string): void {
  const at = new Date(instant);
  fill(`${name}_date`, formatDate(at, language));
  fill(`${name}_time`, formatTime(at, language));
}

function fill(name: string, text: string): void {
  for (const part of selectAll(`[data-slot=${name}]`)) part.textContent = text;
}
