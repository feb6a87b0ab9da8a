import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import type { Site } from './world/site.ts';

/** What the operator sets, as a visitor meets it. */
describe.skipIf(whyNoBrowser)('the operator’s own', () => {
  const journey = openJourney({});
  let site: Site;
  let reader: Reader;
  let page: Page;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
  });

  test('the operator’s name, address, trial and claims are on the pages, also without scripts, and in the application', async () => {
    const set = (key: string, value: string) => site.controlPlane.raha('settings', 'set', key, value);
    await set('brand.name', 'پرواز');
    await set('brand.nameEnglish', 'Parvaz');
    await set('brand.tagline', 'بال‌هایی برای|همه');
    await set('brand.supportEmail', 'help@parvaz.example');
    await set('trial.passwordDays', '5');
    await set('trial.passwordlessDays', '6');
    await set('claims.countries', '12');
    await set('claims.rating', '4.2');
    await set('claims.packageToman', '31000');
    await set('price.usdCentsPerGb', '7');
    await set('configs.perUser', '3');
    const plain = await openBrowser(site.controlPlane.url, { scripts: false });
    try {
      await expect.poll(() => titleOf(plain.page)).toContain('پرواز');
      const words = await plain.page.locator('body').innerText();
      for (const expected of ['پرواز', '۶ روز رایگان، ', '۱۲ کشور', '۴٫۲ از ۵']) expect(words).toContain(expected);
      expect(await plain.page.title()).toContain('بال‌هایی برای همه');
      expect(await plain.page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^بال‌هایی برای\s+همه$/);
      expect(words).not.toMatch(/(?<![\u0600-\u06ff])رها(?![\u0600-\u06ff])/);
      await plain.page.goto('/contact');
      expect(await plain.page.locator('main a[href^="mailto:"]').getAttribute('href')).toBe(
        'mailto:help@parvaz.example',
      );
      for (const [path, expected] of [
        ['/pricing', '۷ سنت'],
        ['/terms', '۷ سنت'],
        ['/features', 'تا ۳ کانفیگ'],
        ['/faq', 'تا ۳ کانفیگ'],
      ] as const) {
        await plain.page.goto(path);
        expect(await plain.page.locator('main').textContent()).toContain(expected);
      }
      await plain.page.goto('/en');
      expect(await plain.page.title()).toContain('Parvaz');
    } finally {
      await plain.close();
    }
    await page.goto('/register');
    await page.getByText('بستهٔ ۵ روزه', { exact: false }).waitFor();
    await page
      .getByRole('region', { name: text('short_way_title') })
      .getByText('۶ روز رایگان')
      .waitFor();
    await page.getByText('۳۱٬۰۰۰', { exact: false }).waitFor();
    expect(await page.title()).toContain('پرواز');
    expect(await page.locator('header').innerText()).toContain('پرواز');
  });

  test('an operator without free days promises none, and nowhere "0 days"', async () => {
    for (const way of ['password', 'passwordless']) {
      await site.controlPlane.raha('settings', 'set', `trial.${way}Days`, '0');
    }
    const plain = await openBrowser(site.controlPlane.url, { scripts: false });
    const words = async (path: string) => {
      await plain.page.goto(path);
      return await plain.page.locator('body').innerText();
    };
    try {
      await expect.poll(() => words('/')).not.toContain('روز رایگان');
      for (const path of ['/', '/pricing', '/faq', '/terms']) {
        expect(await words(path)).not.toMatch(/(?<!\p{Nd})۰ روز/u);
        expect(await words(`/en${path}`)).not.toMatch(/(?<!\d)0 (free )?days/);
      }
      for (const path of ['/pricing', '/terms']) expect(await words(path)).toContain('فعلاً دورهٔ رایگان نداریم.');
      await plain.page.goto('/faq');
      const structured = await plain.page.locator('script[type="application/ld+json"]').first().textContent();
      expect(JSON.parse(String(structured))).toMatchObject({ '@type': 'FAQPage' });
      expect(structured).toContain('فعلاً دورهٔ رایگان نداریم.');
    } finally {
      await plain.close();
    }
    await page.goto('/register');
    await page.getByRole('region', { name: text('short_way_title') }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('رایگان');
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});

async function titleOf(page: Page): Promise<string> {
  await page.goto('/');
  return await page.title();
}
