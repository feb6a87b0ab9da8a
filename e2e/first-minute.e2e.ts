import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, persian, pictureOf, type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { lookAtPage } from './world/look.ts';
import { waitForCode } from './world/mailbox.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { activate, apiClient, signUp } from './world/user.ts';

/** 400 kbit/s, and 400 ms there and back. */
const slowLine = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const agents = {
  android:
    'Mozilla/5.0 (Linux; Android 14; SM-A145F) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
};

/** U3, U4: from the landing page to the first connection on a phone, with as few taps as can be. */
describe.skipIf(whyNoBrowser)('the first minute', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let numbers: NumberNode;
  const opened: BrowserContext[] = [];

  beforeAll(async () => {
    ({ site, reader } = journey);
    numbers = await openNumberNode(site);
  });
  afterAll(async () => {
    for (const context of opened) await context.close();
    numbers?.close();
  });

  async function openPhone(userAgent: string): Promise<Page> {
    const browser = reader.context.browser();
    if (!browser) throw new Error('the browser is gone');
    const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, acceptDownloads: true };
    const where = { baseURL: site.controlPlane.url, locale: 'fa-IR', timezoneId: 'Asia/Tehran' };
    const context = await browser.newContext({ ...phone, ...where, userAgent });
    opened.push(context);
    return await context.newPage();
  }

  test('from the landing page to a config in hand on an Android phone: at most eight taps on our pages', async () => {
    const page = await openPhone(agents.android);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...slowLine });
    let taps = 0;
    await page.exposeFunction('tapped', () => {
      taps += 1;
    });
    await page.addInitScript(() => {
      const isOurs = !location.pathname.startsWith('/dev/');
      addEventListener('click', (event) => isOurs && event.isTrusted && void Reflect.get(window, 'tapped')(), true);
    });
    const tap = (key: string) => page.getByRole('button', { name: text(key), exact: true }).tap();
    const email = 'newcomer@mail.example';
    const began = performance.now();
    const at: [string, number][] = [];
    const pass = (what: string) => at.push([what, Math.round(performance.now() - began) / 1000]);

    await page.goto('/');
    await page.locator('main').getByRole('link', { name: 'شروع با ایمیل' }).first().tap();
    await page.getByLabel(text('email_label'), { exact: true }).fill(email);
    await tap('continue_with_email');
    const code = page.getByLabel(text('code_label'));
    await code.waitFor();
    pass('the code is asked for');
    await code.fill(await waitForCode(site.mailbox, email));
    await page.getByLabel(text('full_name_label')).fill('نیلوفر احمدی');
    await tap('complete_registration');
    await page.getByRole('link', { name: text('first_buy_card') }).tap();
    pass('the first step is lit');
    await page.getByText('کارت‌پلاس').tap();
    await page.waitForURL('**/dev/store/cardplus?**');
    await page.getByRole('button', { name: `${persian(5)} دلار` }).tap();
    await page.waitForURL('**/user/dashboard');
    await page.getByText(text('first_name_phone', { name: 'نیلوفر' })).waitFor();
    pass('the card is redeemed');
    await tap('first_make_phone');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(text('guide_import_android')).waitFor();
    // This phone cannot scan what it shows itself.
    expect(await dialog.getByRole('img').filter({ visible: true }).count()).toBe(0);
    await dialog.getByText(text('code_for_another')).waitFor();
    const downloading = page.waitForEvent('download');
    await tap('download_file');
    const download = await downloading;
    pass('the file is in hand');
    expect(taps).toBeLessThanOrEqual(8);
    console.log(`first minute: ${taps} taps on our pages; seconds: ${JSON.stringify(Object.fromEntries(at))}`);
    expect(readFileSync(await download.path(), 'utf8')).toContain('[Interface]');
    await page.screenshot({ path: pictureOf('hand-over-android') });
    expect(await lookAtPage(page)).toEqual([]);
    // Longer names are refused by WireGuard's apps.
    expect(download.suggestedFilename()).toMatch(/^[\w=+.-]{1,15}\.conf$/);

    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'auth_token');
    const api = apiClient(site.controlPlane.url, () => cookie?.value ?? '');
    const [config] = (await api.listConfigs()).data.configs;
    await numbers.node.settle();
    await numbers.node.report([], { tunnels: [{ config: config?.id ?? '', handshakeAgeSeconds: 1, pingMs: 40 }] });
    await page.locator('section[data-state=connected]').waitFor({ state: 'attached' });
    expect(await page.getByTestId('first-steps').count()).toBe(0);
  });

  test('an iPhone gets a profile for its own VPN, and no code that it could not scan', async () => {
    await numbers.node.serveIkev2();
    const user = await signUp(site.controlPlane.url, site.mailbox, 'iphone@mail.example');
    await activate(site.controlPlane, user.api, 5);
    const page = await openPhone(agents.iphone);
    await signInAtBrowser(page, user);
    await page.getByRole('button', { name: text('first_make_phone'), exact: true }).tap();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(text('guide_ikev2_ios')).waitFor();
    await dialog.getByText(text('picture_ios_install')).waitFor();
    expect(await dialog.getByRole('img').count()).toBe(0);
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: text('download_file') }).tap();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^[\w=+.-]{1,15}\.mobileconfig$/);
    expect(readFileSync(await download.path(), 'utf8')).toContain('com.apple.vpn.managed');
    await page.screenshot({ path: pictureOf('hand-over-iphone') });
    expect(await lookAtPage(page)).toEqual([]);
  });

  test('the link in the mail signs in where the code was asked for; elsewhere it says so and asks for the code there', async () => {
    const email = 'linked@mail.example';
    const { page } = reader;
    await page.goto('/auth/passwordless');
    await page.getByLabel(text('email_label'), { exact: true }).fill(email);
    await page.getByRole('button', { name: text('continue_with_email'), exact: true }).click();
    await page.getByText(text('code_hint_link')).waitFor();
    await waitForCode(site.mailbox, email);
    const link = /\S+#link=\S+/.exec((await site.mailbox.mailTo(email)).at(-1)?.text ?? '')?.[0] ?? '';
    const elsewhere = await openBrowser(site.controlPlane.url);
    try {
      await elsewhere.whileRefused(async () => {
        await elsewhere.page.goto(link);
        await elsewhere.page.getByText(text('link_refused')).waitFor();
      });
      expect(await lookAtPage(elsewhere.page)).toEqual([]);
      await elsewhere.page.getByRole('link', { name: text('link_new_code') }).click();
      await elsewhere.page.getByRole('heading', { name: text('sign_in_heading') }).waitFor();
      expect(elsewhere.page.url()).not.toContain('link=');
    } finally {
      await elsewhere.close();
    }
    // A mail program opens it in a tab of its own.
    const tab = await page.context().newPage();
    await tab.goto(link);
    await tab.getByRole('heading', { name: text('profile_heading') }).waitFor();
    expect(tab.url()).not.toContain('link=');
    await tab.getByLabel(text('full_name_label')).fill('لیلا رضایی');
    await tab.getByRole('button', { name: text('complete_registration'), exact: true }).click();
    await tab.waitForURL('**/user/dashboard');
    await tab.close();
    // The tab that asked follows as soon as it is looked at.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.waitForURL('**/user/dashboard');
    expect(reader.complaints).toEqual([]);
  });
});
