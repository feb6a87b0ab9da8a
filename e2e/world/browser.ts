import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Locale } from '@raha/contract/locale.ts';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { root } from './processes.ts';

/** A user at a real Chromium, in Persian. Whatever the page complains about is collected and is a failure. */
export interface Reader {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors on the console, refusals of the content security policy, failed and foreign requests so far. */
  readonly complaints: string[];
  /** While this runs, answers of 4xx are what is wanted and no reason to complain. */
  whileRefused(work: () => Promise<void>): Promise<void>;
  /** While this runs, calls to an address below the API end in a fault of the server; no reason to complain either. */
  whileFailing(call: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`, work: () => Promise<void>): Promise<void>;
  /** Runs axe on the page as it stands in both themes and at both widths (`looksAt`), and keeps a picture of each. */
  inspect(name: string): Promise<void>;
  /** What the user sees now, as a file. */
  keepPicture(name: string): Promise<void>;
  close(): Promise<void>;
}

const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];
export const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;

/** The full Chromium, as users have it. */
export function findChromium(): string | undefined {
  return CHROMIUMS.find((path) => existsSync(path));
}

/**
 * The headless shell if it is installed, as in Playwright's own builds: the full Chromium in headless mode now and then
 * stops drawing a tab, and waiting for a frame of that tab never ends.
 */
export function findBrowser(): string | undefined {
  return existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : findChromium();
}

/** Every browser of this file that is open. */
export const openContexts = new Set<BrowserContext>();

/**
 * `foreign`: origins that the journey leads to on purpose. `scripts: false`: a browser that runs none. `serviceWorkers`: whether
 * the panel's is admitted; a test cannot stand in for the server in what a worker asks for, so it is not elsewhere. `full`: the
 * full Chromium, because the headless shell refuses notifications whatever is permitted.
 */
export async function openBrowser(
  baseUrl: string,
  options: {
    readonly foreign?: readonly string[];
    readonly scripts?: boolean;
    readonly serviceWorkers?: boolean;
    readonly full?: boolean;
  } = {},
): Promise<Reader> {
  const executablePath = options.full ? findChromium() : findBrowser();
  if (!executablePath) throw new Error('There is no Chromium on this machine');
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  const context = await browser.newContext({
    baseURL: baseUrl,
    locale: 'fa-IR',
    timezoneId: 'Asia/Tehran',
    viewport: sizes.wide,
    acceptDownloads: true,
    javaScriptEnabled: options.scripts ?? true,
    serviceWorkers: options.serviceWorkers ? 'allow' : 'block',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  openContexts.add(context);
  await context.addInitScript(reportViolations);
  const page = await context.newPage();
  const complaints: string[] = [];
  listen(page, [new URL(baseUrl).origin, ...(options.foreign ?? [])], complaints);
  return {
    page,
    context,
    complaints,
    whileRefused: async (work) => {
      const before = complaints.length;
      await work();
      const during = complaints.splice(before);
      complaints.push(...during.filter((complaint) => !/^4\d\d: |^console: Failed to load resource/.test(complaint)));
    },
    whileFailing: async (call, work) => {
      const before = complaints.length;
      const [method = '', path = ''] = call.split(' ');
      const address = `**/api/v1${path}`;
      const json = { success: false, code: 'internal', message: 'خطای سرور', request_id: '0194f3a0-fault' };
      await page.route(address, (route) =>
        route.request().method() === method ? route.fulfill({ status: 500, json }) : route.fallback(),
      );
      await work();
      await page.unroute(address);
      complaints.push(...complaints.splice(before).filter((complaint) => inspected.test(complaint)));
    },
    inspect: (name) => inspect(page, name, complaints),
    keepPicture: async (name) => {
      await page.screenshot({ path: pictureOf(name) });
    },
    close: async () => {
      openContexts.delete(context);
      await browser.close();
    },
  };
}

/** Runs in the page: whatever the content policy or Trusted Types refuse becomes an error on the console. */
function reportViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
    console.error(`policy violation: ${effectiveDirective} ${blockedURI} ${sample}`);
  });
}

function listen(page: Page, origins: readonly string[], complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`page: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    const own = origins.some((origin) => url.startsWith(`${origin}/`)) || /^(data|blob|about):/.test(url);
    if (!own) complaints.push(`foreign request: ${url}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
}

interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: keyof typeof sizes;
}

/**
 * How a screen is looked at: in both themes and at both widths, each once. Which theme at which width follows from its name, so that
 * half of the screens are seen one way round and half the other. With EVERY_LOOK, as in `npm run test:long`, each theme at each width.
 */
export function looksAt(name: string): readonly Look[] {
  const straight = [
    { theme: 'light', width: 'wide' },
    { theme: 'dark', width: 'narrow' },
  ] as const;
  const crossed = [
    { theme: 'light', width: 'narrow' },
    { theme: 'dark', width: 'wide' },
  ] as const;
  if (process.env.EVERY_LOOK) return [...straight, ...crossed];
  const sum = [...name].reduce((all, letter) => all + letter.charCodeAt(0), 0);
  return sum % 2 === 0 ? straight : crossed;
}

/** A complaint of an inspection begins with where it looked: it counts whatever fails meanwhile. */
const inspected = /^[\w-]+, (light|dark), (wide|narrow): /;

async function inspect(page: Page, name: string, complaints: string[]): Promise<void> {
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  await readyAxe(page);
  for (const { theme, width } of looksAt(name)) {
    await page.evaluate(setTheme, theme);
    await page.setViewportSize(sizes[width]);
    await settle(page);
    // A picture of the whole page stretches the window, and an open dialog sets out for its new middle.
    const fullPage = (await page.getByRole('dialog').or(page.getByRole('alertdialog')).count()) === 0;
    const picture = await page.screenshot({ path: pictureOf(`${name}-${theme}-${width}`), fullPage });
    if (!isOpaque(picture)) complaints.push(`${name}, ${theme}, ${width}: a part of the screen is not painted`);
    for (const wrong of await findWrong(page)) complaints.push(`${name}, ${theme}, ${width}: ${wrong}`);
  }
  await page.evaluate(setTheme, before ?? 'light');
  await page.setViewportSize(sizes.wide);
}

/** Chromium leaves an alpha channel out where nothing shines through (PNG, third edition, 11.2.1: colour type 2). */
const isOpaque = (png: Buffer) => png[25] === 2;

export function pictureOf(name: string): string {
  const directory = join(root, '.build/screenshots');
  mkdirSync(directory, { recursive: true });
  return join(directory, `${name}.png`);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Puts axe into the page, once per document. */
export async function readyAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
}

/**
 * What axe finds on the page at rest, and whether it is wider than the window: in words. On a slow machine something may come into
 * view while axe looks, and is pale for a moment: what was found is looked for again.
 */
export async function findWrong(page: Page): Promise<string[]> {
  let found = await findWrongNow(page);
  for (let tries = 0; found.length > 0 && tries < 2; tries += 1) {
    await settle(page);
    found = await findWrongNow(page);
  }
  return found;
}

async function findWrongNow(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    type Node = { readonly target: readonly string[]; readonly failureSummary?: string };
    type Result = { readonly violations: readonly { readonly id: string; readonly nodes: readonly Node[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Result> } };
    // Asked for violations only: the rest takes most of the time and is thrown away.
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    const overflow = document.documentElement.scrollWidth - window.innerWidth;
    return [
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} — ${failureSummary ?? ''}`),
      ),
      ...(overflow > 0 ? [`${overflow} px too wide`] : []),
    ];
  });
}

/** The same marks that the pages' own switch leaves. */
export function setTheme(theme: string): void {
  const html = document.documentElement;
  html.dataset.theme = theme;
  html.classList.remove('dark', 'light');
  html.classList.add(theme);
}

/** Axe must not measure colours in the middle of a transition; one that ends may start another in what inherits from it. */
export async function settle(page: Page): Promise<void> {
  // Chromium now and then draws nothing more after a change of size, until the next one.
  for (let tries = 0; !(await comesToRest(page)) && tries < 3; tries += 1) {
    const size = page.viewportSize() ?? sizes.wide;
    console.log(`no frame was drawn at ${page.url()}, ${size.width} wide: the size is set anew`);
    await page.setViewportSize({ ...size, width: size.width + 1 });
    await page.setViewportSize(size);
  }
}

/** False: for ten seconds no frame was drawn. */
async function comesToRest(page: Page): Promise<boolean> {
  return await page.evaluate(async () => {
    await document.fonts.ready;
    const twoFrames = () =>
      new Promise<boolean>((done) => {
        setTimeout(done, 10_000, false);
        requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
      });
    while (await twoFrames()) {
      const moving = document.getAnimations().filter((animation) => {
        const end = animation.effect?.getComputedTiming().endTime;
        return animation.playState === 'running' && typeof end === 'number' && Number.isFinite(end);
      });
      if (moving.length === 0) return true;
      await Promise.race([
        Promise.allSettled(moving.map((animation) => animation.finished)),
        new Promise((done) => setTimeout(done, 10_000)),
      ]);
    }
    return false;
  });
}

/** A sentence of the interface by its key, so that the test speaks of the same texts as the screens. */
export function text(key: string, values: Readonly<Record<string, string>> = {}): string {
  texts ??= readTexts('fa');
  const found = texts[key];
  if (typeof found !== 'string') throw new Error(`The interface has no plain text "${key}"`);
  return found.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
let texts: Readonly<Record<string, unknown>> | undefined;

/** All messages of a language: one file per area of the interface. */
export function readTexts(locale: Locale): Record<string, unknown> {
  const folder = join(root, 'web/src/text', locale);
  return Object.assign(
    {},
    ...readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as object),
  );
}

/** A number as the screens write it. */
export function persian(value: number | bigint): string {
  return new Intl.NumberFormat('fa-IR').format(value);
}

/** How long the cookie of the session lives on. */
export async function lifetimeDays(page: Page, cookieName = 'auth_token'): Promise<number> {
  const cookie = (await page.context().cookies()).find(({ name }) => name === cookieName);
  return ((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400;
}
