import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { root } from './processes.ts';

/** A person at a real Chromium, in Persian. Whatever the page complains about is collected and is a failure. */
export interface Reader {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors on the console, refusals of the content security policy, failed and foreign requests so far. */
  readonly complaints: string[];
  /** While this runs, answers of 4xx are what is wanted and no reason to complain. */
  whileRefused(work: () => Promise<void>): Promise<void>;
  /** Runs axe on the page as it stands in both themes and at both widths, and keeps a picture of each. */
  inspect(name: string): Promise<void>;
  /** What the person sees now, as a file. */
  keepPicture(name: string): Promise<void>;
  close(): Promise<void>;
}

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];
export const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;

export function findBrowser(): string | undefined {
  return CANDIDATES.find((path) => existsSync(path));
}

/** `foreign`: origins that the journey leads to on purpose. `scripts: false`: a browser that runs none. */
export async function openBrowser(
  baseUrl: string,
  options: { readonly foreign?: readonly string[]; readonly scripts?: boolean } = {},
): Promise<Reader> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error('There is no Chromium on this machine');
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  const context = await browser.newContext({
    baseURL: baseUrl,
    locale: 'fa-IR',
    timezoneId: 'Asia/Tehran',
    viewport: sizes.wide,
    acceptDownloads: true,
    javaScriptEnabled: options.scripts ?? true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
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
    inspect: (name) => inspect(page, name, complaints),
    keepPicture: async (name) => {
      await page.screenshot({ path: pictureOf(name) });
    },
    close: () => browser.close(),
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

async function inspect(page: Page, name: string, complaints: string[]): Promise<void> {
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  for (const theme of ['light', 'dark']) {
    await page.evaluate(setTheme, theme);
    for (const [width, size] of Object.entries(sizes)) {
      await page.setViewportSize(size);
      await settle(page);
      await page.screenshot({ path: pictureOf(`${name}-${theme}-${width}`), fullPage: true });
      const { violations } = await new AxeBuilder({ page }).analyze();
      for (const violation of violations) {
        const where = violation.nodes
          .map((node) => `${node.target.join(' ')} — ${node.failureSummary ?? ''}`)
          .join(' | ');
        complaints.push(`axe on ${name}, ${theme}, ${width}: ${violation.id}: ${where}`);
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (overflow > 0) complaints.push(`${name}, ${theme}, ${width} is ${overflow} px too wide`);
    }
  }
  await page.evaluate(setTheme, before ?? 'light');
  await page.setViewportSize(sizes.wide);
}

function pictureOf(name: string): string {
  const directory = join(root, '.build/screenshots');
  mkdirSync(directory, { recursive: true });
  return join(directory, `${name}.png`);
}

/** The same marks that the pages' own switch leaves. */
function setTheme(theme: string): void {
  const html = document.documentElement;
  html.dataset.theme = theme;
  html.classList.remove('dark', 'light');
  html.classList.add(theme);
}

/** Axe must not measure colours in the middle of a transition; one that ends may start another in what inherits from it. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (;;) {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const moving = document.getAnimations().filter((animation) => {
        const end = animation.effect?.getComputedTiming().endTime;
        return animation.playState === 'running' && typeof end === 'number' && Number.isFinite(end);
      });
      if (moving.length === 0) return;
      await Promise.allSettled(moving.map((animation) => animation.finished));
    }
  });
}

/** A sentence of the interface by its key, so that the test speaks of the same texts as the screens. */
export function text(key: string, values: Readonly<Record<string, string>> = {}): string {
  texts ??= JSON.parse(readFileSync(join(root, 'web/src/text/fa.json'), 'utf8')) as Record<string, unknown>;
  const found = texts[key];
  if (typeof found !== 'string') throw new Error(`The interface has no plain text "${key}"`);
  return found.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
let texts: Record<string, unknown> | undefined;

/** A number as the screens write it. */
export function persian(value: number | bigint): string {
  return new Intl.NumberFormat('fa-IR').format(value);
}
