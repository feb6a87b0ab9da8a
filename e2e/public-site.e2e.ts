import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type Reader } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { keepLastSight } from './world/last-sight.ts';
import { lookAtPage } from './world/look.ts';
import { root } from './world/processes.ts';
import type { Site } from './world/site.ts';

const OPENED = new Date('2026-11-20T08:00:00Z');
const publicPaths = Object.entries(
  JSON.parse(readFileSync(join(root, 'web/dist/pages.json'), 'utf8')) as Record<string, string>,
)
  // The page of a family link is no page for visitors; `family.e2e.ts` looks at it.
  .filter(([path, file]) => file.endsWith('.html') && !path.endsWith('/family'))
  .map(([path]) => path);

/** The public pages as a visitor meets them (specification 1, sections 1, 2 and 4). */
describe.skipIf(whyNoBrowser)('the public site', () => {
  const journey = openJourney({});
  let site: Site;
  let reader: Reader;
  let page: Page;
  /** A second browser whose clock stands still until it is moved. */
  let timed: Reader;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    timed = await openBrowser(site.controlPlane.url);
    await timed.page.clock.install({ time: OPENED });
  });
  afterAll(async () => {
    await timed?.close();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepLastSight();
    expect([...reader.complaints.splice(0), ...timed.complaints.splice(0)]).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('there are eleven pages in two languages', () => {
    const persian = publicPaths.filter((path) => !/^\/en\b/.test(path));
    expect(persian.sort()).toEqual(
      [
        '/',
        '/blog',
        '/contact',
        '/downloads',
        '/faq',
        '/features',
        '/guides',
        '/pricing',
        '/privacy',
        '/support',
      ].concat('/terms'),
    );
    expect(publicPaths).toHaveLength(22);
  });

  test.each(publicPaths)(
    '%s: axe finds nothing in either theme at either width, nothing is refused by the policy, nothing is foreign',
    async (path) => {
      await page.goto(path);
      await expect.poll(() => page.locator('html').getAttribute('dir')).toBe(path.startsWith('/en') ? 'ltr' : 'rtl');
      expect(await lookAtPage(page)).toEqual([]);
    },
  );

  test('any other path: page not found - 404, in the language of the address', async () => {
    await reader.whileRefused(async () => {
      for (const [path, words] of [
        ['/no-such-page', 'صفحه پیدا نشد'],
        ['/en/no-such-page', 'Page not found'],
      ] as const) {
        const response = await page.goto(path);
        expect(response?.status()).toBe(404);
        expect(await page.locator('h1').innerText()).toContain(words);
        expect(await page.title()).toContain(path.startsWith('/en') ? '404' : '۴۰۴');
        expect(await lookAtPage(page)).toEqual([]);
      }
    });
  });

  test('without scripts every public page reads completely and its controls that need one are gone', async () => {
    const plain = await openBrowser(site.controlPlane.url, { scripts: false });
    try {
      for (const path of publicPaths) {
        await plain.page.goto(path);
        const words = await plain.page.locator('main').innerText();
        expect(words.length, path).toBeGreaterThan(120);
        expect(await plain.page.locator('h1').count(), path).toBe(1);
        for (const button of await plain.page.locator('button:visible').all()) {
          expect(await button.innerText(), `a button on ${path} that does nothing`).toBe(undefined);
        }
        // Nothing waits, transparent, for a script to show it.
        const hidden = await plain.page
          .locator('main :is(h2,h3,p,li,td):visible')
          .evaluateAll((parts) =>
            parts.filter((part) => getComputedStyle(part).opacity === '0').map((part) => part.textContent),
          );
        expect(hidden, path).toEqual([]);
      }
      await plain.page.goto('/');
      await plain.page.setViewportSize({ width: 390, height: 844 });
      await plain.page.locator('details[data-menu] > summary').click();
      await plain.page.locator('details[data-menu] a[href="/faq"]').click();
      await plain.page.waitForURL('**/faq');
      await plain.page.locator('details > summary').nth(1).click();
      expect(plain.complaints).toEqual([]);
    } finally {
      await plain.close();
    }
  });

  test('every page leads the short way, without a password, at its top and at its end', async () => {
    for (const path of ['/', '/en', '/pricing', '/en/pricing', '/faq', '/downloads', '/guides']) {
      await page.goto(path);
      for (const part of ['header', 'header details', 'main', 'footer']) {
        const where = `${path} ${part}`;
        const ways = page.locator(`${part} a[href="/auth/passwordless"]`);
        expect(await ways.count(), where).toBeGreaterThan(0);
        expect(await page.locator(`${part} a[href="/register"]`).count(), where).toBe(0);
      }
    }
  });

  test('the hero leads to the trial, the downloads and the walk-through', async () => {
    await page.goto('/');
    const hero = page.locator('main section').first();
    expect(await hero.getByRole('link', { name: 'شروع با ایمیل' }).getAttribute('href')).toBe('/auth/passwordless');
    expect(await hero.getByText('۱۴ روز رایگان، تا ۱۰ گیگابایت').count()).toBe(1);
    expect(await hero.getByRole('link', { name: 'دانلود', exact: false }).getAttribute('href')).toBe('/downloads');
    await page.locator('[data-tour-open]').click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    for (const anchor of ['features', 'apps', 'support'])
      expect(await page.locator(`section#${anchor}`).count()).toBe(1);
  });

  /** Opens the landing page and stops its clock a minute on. */
  async function openStill(): Promise<Page> {
    await timed.page.goto('/');
    // A minute on from wherever it has got to: it has run since the page before, on a busy machine for long.
    const now = await timed.page.evaluate(() => Date.now());
    await timed.page.clock.pauseAt(new Date(now + 60_000));
    return timed.page;
  }

  test('simulated figures turn every 3 seconds, the suggested server every 8, and are marked as a demonstration', async () => {
    const still = await openStill();
    const shown = async () => [
      await still.locator('[data-live-connected]').innerText(),
      await still.locator('[data-live-server]').innerText(),
    ];
    const changes = [0, 0];
    let before = await shown();
    for (let half = 0; half < 48; half += 1) {
      await still.clock.runFor(500);
      const after = await shown();
      for (const index of [0, 1]) if (after[index] !== before[index]) changes[index]! += 1;
      before = after;
    }
    expect(changes).toEqual([8, 3]);
    expect(await still.locator('.badge', { hasText: 'نمایشی' }).count()).toBeGreaterThanOrEqual(4);
  });

  test('the features turn every 6 seconds, rest under the pointer and when told to', async () => {
    const still = await openStill();
    const section = still.locator('section#features');
    await section.scrollIntoViewIfNeeded();
    const dots = section.locator('[data-carousel-dots] button');
    const current = async () =>
      (await dots.evaluateAll((all) => all.map((dot) => dot.getAttribute('aria-current')))).indexOf('true');
    await expect.poll(() => dots.filter({ visible: true }).count()).toBe(4);
    await still.mouse.move(5, 5);
    await dots.first().evaluate((dot: HTMLElement) => dot.click());
    await still.clock.runFor(6000);
    await expect.poll(current).toBe(1);
    for (let turn = 0; turn < 2; turn += 1) {
      // What moves under a resting pointer may lose it for a moment on a busy machine.
      await section.hover();
      await expect.poll(() => section.evaluate((part) => part.matches(':hover'))).toBe(true);
      await still.clock.runFor(6000);
      expect(await current()).toBe(1);
    }
    const pause = section.locator('[data-carousel-pause]');
    await pause.evaluate((button: HTMLElement) => button.click());
    expect(await pause.getAttribute('aria-pressed')).toBe('true');
    await still.mouse.move(5, 5);
    await still.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await still.clock.runFor(13_000);
    expect(await current()).toBe(1);
    await dots.nth(3).click();
    await expect.poll(current).toBe(3);
  });

  test('the map: disconnected, connecting for two seconds during which choices are ignored, connected, disconnected', async () => {
    const still = await openStill();
    const map = still.locator('[data-map-demo]');
    await map.scrollIntoViewIfNeeded();
    const status = map.locator('[data-map-status]');
    const idle = await status.innerText();
    const cities = map.locator('button[data-location]');
    await expect.poll(() => cities.filter({ visible: true }).count()).toBe(8);
    await pressed(cities.nth(0), still);
    expect(await status.innerText()).toContain(await cityOf(cities.nth(0)));
    await cities.nth(1).click();
    await still.clock.runFor(1900);
    expect(await cities.nth(1).getAttribute('aria-pressed')).toBe('false');
    expect(await map.locator('[data-map-disconnect]').isVisible()).toBe(false);
    await still.clock.runFor(200);
    await map.locator('[data-map-disconnect]').click();
    expect(await status.innerText()).toBe(idle);
    expect(await cities.nth(0).getAttribute('aria-pressed')).toBe('false');
    await map.locator('[data-map-all]').click();
    expect(await map.locator('[data-map-all][aria-pressed]').count()).toBe(0);
    expect(await cities.filter({ visible: true }).count()).toBe(28);
  });

  test('ARIA asks, thinks for two seconds, suggests three servers, connects and begins again', async () => {
    const still = await openStill();
    const demo = still.locator('[data-assistant]');
    await demo.scrollIntoViewIfNeeded();
    await demo.getByText('امنیت', { exact: true }).click();
    const analyse = demo.locator('button[type=submit]');
    await expect.poll(async () => (await analyse.isVisible()) && (await submitted(analyse, demo))).toBe(true);
    expect(await demo.locator('[data-suggestion]:visible').count()).toBe(0);
    expect(await demo.locator('[data-assistant-says]:focus').count()).toBe(1);
    await still.clock.runFor(2100);
    expect(await demo.locator('[data-suggestion]:visible').count()).toBe(3);
    expect(await demo.locator('[data-assistant-says]').innerText()).toContain('برای تماشای ویدیو');
    for (const reason of await demo.locator('[data-reason]').allInnerTexts()) {
      expect(reason).toMatch(/^چون سرور ویژه است و پینگش [۰-۹]+ میلی‌ثانیه است\.$/);
    }
    const city = (await demo.locator('[data-suggestion] b[data-city]').first().innerText()).trim();
    await demo.locator('[data-choose]').first().click();
    expect(await demo.locator('[data-assistant-connected]').innerText()).toContain(city);
    await demo.locator('[data-assistant-restart]').click();
    expect(await analyse.isVisible()).toBe(true);
  });

  test('the theme is kept, as a class of the root; the phone’s menu opens, leads on and closes', async () => {
    await page.goto('/');
    const before = await page.locator('html').getAttribute('data-theme');
    await page.locator('[data-theme-toggle]').click();
    const after = before === 'dark' ? 'light' : 'dark';
    await expect.poll(() => page.locator('html').getAttribute('class')).toContain(after);
    await page.goto('/downloads');
    expect(await page.locator('html').getAttribute('data-theme')).toBe(after);
    await page.locator('[data-theme-toggle]').click();
    await page.setViewportSize({ width: 390, height: 844 });
    const menu = page.locator('details[data-menu]');
    await menu.locator('summary').click();
    expect(await lookAtPage(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('open')).toBeNull();
    await menu.locator('summary').click();
    await menu.getByRole('link', { name: 'پرسش‌ها' }).first().click();
    await page.waitForURL('**/faq');
  });

  test('the claims of the landing page, in their places', async () => {
    await page.goto('/');
    const words = (id: string) => page.locator(`section#${id}`).innerText();
    const compare = await words('compare');
    for (const claim of [
      '۹۹٬۰۰۰ تومان',
      '۱۲۰٬۰۰۰ تا ۱۸۰٬۰۰۰ تومان',
      '۹۴ کشور',
      '۵٬۰۰۰',
      'AES-256',
      'WireGuard',
      '۱۰ دستگاه',
    ]) {
      expect(compare).toContain(claim);
    }
    // No operator has stated them, and they say so where they stand.
    expect(await page.locator('section#compare').getByText('نمونه', { exact: true }).count()).toBe(6);
    expect(await page.locator('main section').first().getByText('نمونه', { exact: true }).count()).toBe(2);
    expect(await words('promises')).toContain('خود سرور');
    expect(await words('testimonials')).toContain('نمونه');
    expect(await page.locator('section#faq details').count()).toBe(5);
    const hero = await page.locator('main section').first().innerText();
    for (const claim of ['بازگشت وجه تا ۷ روز', 'بدون نیاز به کارت بانکی', '۹۴', '۵٬۰۰۰'])
      expect(hero).toContain(claim);
    expect(await page.locator('footer').innerText()).toContain('2.0.1');
  });

  test('the pricing page has toman first, the plans beside it, and from where a plan is the better choice', async () => {
    await site.controlPlane.raha('plans', 'set', '--id', 'basic', '--max-mbit', '20');
    await page.goto('/pricing');
    const perGb = page.locator('section', { has: page.locator('#per-gb') });
    await perGb.getByText('۱۶٬۲۰۰').waitFor();
    await perGb.getByText('نرخ آزمایشی').waitFor();
    const plans = page.locator('section[data-plans]');
    await plans.getByText('از ۷ گیگابایت به بالا').waitFor();
    expect(await plans.locator('li').count()).toBe(3);
    expect(await plans.locator('li').nth(0).innerText()).toContain('تا ۲۰ مگابیت بر ثانیه');
    expect(await plans.locator('li').nth(1).innerText()).toContain('ترافیک نامحدود');
    expect(await plans.locator('li').nth(1).innerText()).not.toContain('مگابیت');
    expect(await lookAtPage(page)).toEqual([]);
  });

  test('six ways to install, each with what it is, its version and size, and a way to an account', async () => {
    await page.goto('/downloads');
    const main = page.locator('main');
    for (const name of ['ویندوز', 'مک', 'اندروید', 'آیفون و آیپد', 'لینوکس', 'افزونهٔ کروم']) {
      expect(await main.getByRole('heading', { name, exact: true }).count(), name).toBe(1);
    }
    // Five with the newest version and its size from where they come; the extension is not there yet and says so.
    expect(await main.getByText('نسخه و حجم', { exact: false }).count()).toBe(5);
    expect(await main.locator('a[href="/auth/passwordless"]').count()).toBeGreaterThan(0);
  });

  test('the language goes with the visitor into the application', async () => {
    await page.goto('/');
    await page.locator('header [data-language=en]').first().click();
    await page.waitForURL('**/en');
    await page.locator('header a[href="/auth/passwordless"]').first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.goto('/en');
    await page.locator('header [data-language=fa]').first().click();
    await page.waitForURL((url) => url.pathname === '/');
  });

  test.each(['/register', '/auth/passwordless', '/verify-email'])(
    '%s names in its document all that it is made of',
    async (path) => {
      // The document is written for a visitor without a language cookie.
      await page.context().clearCookies();
      await page.setViewportSize({ width: 390, height: 844 });
      // Requests of the previous page do not count for this one.
      await page.goto('about:blank');
      const asked: string[] = [];
      const note = (request: { resourceType(): string; url(): string }) => {
        if (request.resourceType() === 'script') asked.push(new URL(request.url()).pathname);
      };
      page.on('request', note);
      const document = await (await page.goto(path, { waitUntil: 'networkidle' }))?.text();
      page.off('request', note);
      expect(asked.filter((script) => !document?.includes(`"${script}"`))).toEqual([]);
      expect(asked.length).toBeGreaterThan(2);
    },
  );

  test('what search engines and previews are told', async () => {
    await page.goto('/');
    const head = (selector: string, attribute: string) => page.locator(selector).getAttribute(attribute);
    const origin = site.controlPlane.url;
    expect(await head('link[rel=canonical]', 'href')).toBe(`${origin}/`);
    expect((await page.request.get((await head('meta[property="og:image"]', 'content')) ?? '')).ok()).toBe(true);
    expect(JSON.parse(await page.locator('script[type="application/ld+json"]').innerText())).toHaveProperty('@graph');
    for (const path of ['/sitemap.xml', '/robots.txt', '/manifest.webmanifest', '/icon.svg']) {
      expect((await page.request.get(path)).ok(), path).toBe(true);
    }
    const map = await (await page.request.get('/sitemap.xml')).text();
    for (const path of publicPaths) expect(map).toContain(`<loc>${origin}${path}</loc>`);
  });
});

/** Presses a city until the script that makes it work has arrived. */
async function pressed(city: Locator, page: Page): Promise<void> {
  await expect
    .poll(async () => {
      await city.click();
      return await city.getAttribute('aria-pressed');
    })
    .toBe('true');
  await page.locator('[data-map-status]').waitFor();
}

async function cityOf(button: Locator): Promise<string> {
  return (await button.getAttribute('data-city')) ?? '';
}

async function submitted(button: Locator, demo: Locator): Promise<boolean> {
  await button.click();
  return await demo.locator('[data-assistant-step="1"]').isVisible();
}

/** The landing page's title, freshly loaded. */
