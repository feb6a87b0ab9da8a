import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, persian, pictureOf, type Reader, text } from './world/browser.ts';
import { findCovered } from './world/covered.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { lookAtPage } from './world/look.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; SM-A145F) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36';

/** A config for somebody without an account: what its owner does, and what the guest sees (decision 90). */
describe.skipIf(whyNoBrowser)('a family link', () => {
  const journey = openJourney();
  const opened: BrowserContext[] = [];
  const guest = 'مادر';
  let site: Site;
  let numbers: NumberNode;
  let reader: Reader;
  let page: Page;
  let user: TestUser;
  let configId: string;
  let link: string;
  let phone: Page;

  stopAtFirstFailure();
  beforeAll(async () => {
    ({ site, reader, page } = journey);
    numbers = await openNumberNode(site);
    user = await signUp(site.controlPlane.url, site.mailbox, 'niloufar@mail.example', 'نیلوفر راد');
    await activate(site.controlPlane, user.api, 5);
    const body = { name: 'تبلت قدیمی', serverId: numbers.node.id, protocol: 'wireguard', keepKey: true } as const;
    configId = (await user.api.createConfig({ body })).data.config.id;
    await numbers.node.settle();
    await signInAtBrowser(page, user);
    await page.goto('/user/configs');
  });
  afterAll(async () => {
    for (const context of opened) await context.close();
    numbers?.close();
  });

  const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
  const press = (key: string, values: Record<string, string> = {}) =>
    dialog()
      .getByRole('button', { name: text(key, values), exact: true })
      .click();
  const openFromCard = () => page.getByRole('button', { name: text('family_manage') }).click();
  const titled = (at: Page, key: string, values: Record<string, string> = {}) =>
    at.getByRole('heading', { level: 1, name: text(key, values), exact: true }).waitFor();
  const readLink = async () => await dialog().getByLabel(text('family_link'), { exact: true }).inputValue();

  async function openPhone(): Promise<Page> {
    const browser = reader.context.browser();
    if (!browser) throw new Error('the browser is gone');
    const device = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, userAgent: ANDROID };
    const context = await browser.newContext({ ...device, locale: 'fa-IR', timezoneId: 'Asia/Tehran' });
    opened.push(context);
    return await context.newPage();
  }

  test('its owner makes it: a name and a monthly limit, then the link, shown once', async () => {
    await page.getByRole('button', { name: text('more_of', { name: 'تبلت قدیمی' }), exact: true }).click();
    await page.getByRole('menuitem', { name: text('family_make') }).click();
    await press('family_create');
    await dialog().getByText('لطفاً همه فیلدها را پر کنید').first().waitFor();
    await dialog().getByLabel(text('family_guest_name')).fill(guest);
    expect(await dialog().getByLabel(text('family_sender_name')).inputValue()).toBe('نیلوفر راد');
    await dialog().getByLabel(text('family_sender_name')).fill('نیلوفر');
    await dialog().getByText(text('family_cap_other')).click();
    await press('family_create');
    await dialog()
      .getByText(text('family_cap_range', { min: persian(1), max: persian(1_000) }))
      .waitFor();
    await reader.inspect('family-form');
    await dialog()
      .getByText(text('family_cap_gb', { count: persian(10) }))
      .click();
    await press('family_create');
    await dialog()
      .getByText(text('family_ready_title', { name: guest }))
      .waitFor();
    link = await readLink();
    expect(link).toMatch(/^http:\/\/[^/]+\/family#[\w-]{43}$/);
    await press('family_copy');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await reader.inspect('family-made');
    await page.keyboard.press('Escape');
    await page.getByRole('article').getByText(guest, { exact: true }).waitFor();
    await reader.inspect('family-card');
    expect(reader.complaints).toEqual([]);
  });

  test('a preview gets nothing and uses nothing up; on the phone it opens by a press', async () => {
    const preview = await page.request.get(link);
    expect(await preview.text()).not.toContain(guest);
    expect(preview.headers()['cache-control']).toBe('no-cache');
    phone = await openPhone();
    await phone.goto(link);
    await titled(phone, 'family_for', { guest });
    await phone.getByText(text('family_from', { sender: 'نیلوفر' })).waitFor();
    expect(await phone.locator('meta[name=robots]').getAttribute('content')).toContain('noindex');
    expect(await phone.locator('meta[name=referrer]').getAttribute('content')).toBe('no-referrer');
    expect(await lookAtPage(phone)).toEqual([]);
    expect(await findCovered(phone)).toEqual([]);
    await phone.screenshot({ path: pictureOf('family-unopened'), fullPage: true });
    await phone.getByRole('button', { name: text('family_open'), exact: true }).tap();
    await phone.getByText(text('family_made_by', { sender: 'نیلوفر' })).waitFor();
  });

  test('the file for this phone is the config’s; the letters are large, and the owner’s words are not there', async () => {
    await phone.getByText(text('family_step_add', { app: 'WireGuard' })).waitFor();
    const words = await phone.locator('main').innerText();
    expect(words).not.toContain('کانفیگ');
    expect(words).not.toContain('تبلت قدیمی');
    expect(words).toContain(text('family_paid_by', { bytes: `${persian(10)} گیگابایت`, sender: 'نیلوفر' }));
    const sizes = await phone
      .locator('main :is(p, a, label, legend, h1, h2, span):visible')
      .evaluateAll((parts) => parts.map((part) => Number.parseFloat(getComputedStyle(part).fontSize)));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(18);
    const downloading = phone.waitForEvent('download');
    await phone.locator('[data-file]:visible').tap();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^raha-[\w=+.-]{1,10}\.conf$/);
    const own = String(await user.api.downloadConfig({ params: { id: configId } }));
    expect(readFileSync(await download.path(), 'utf8')).toBe(own);
    await phone.getByText(download.suggestedFilename()).first().waitFor();
    expect(await lookAtPage(phone)).toEqual([]);
    expect(await findCovered(phone)).toEqual([]);
    await phone.screenshot({ path: pictureOf('family-this-phone'), fullPage: true });
  });

  test('another phone scans a large code; the browser that opened it comes back without a press', async () => {
    await phone.reload();
    await phone.getByText(text('family_other_phone')).tap();
    const code = phone.locator('[data-code]');
    await expect.poll(() => code.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    expect((await code.boundingBox())?.width).toBeGreaterThan(250);
    expect(await lookAtPage(phone)).toEqual([]);
    await phone.screenshot({ path: pictureOf('family-other-phone'), fullPage: true });
  });

  test('opened a second time elsewhere it says that it was used', async () => {
    const elsewhere = await openBrowser(site.controlPlane.url);
    try {
      await elsewhere.page.goto(link);
      await titled(elsewhere.page, 'family_used_title');
      expect(await elsewhere.page.locator('main').innerText()).not.toContain(guest);
      await elsewhere.inspect('family-used');
      await elsewhere.page.goto(link.replace('/family', '/en/family'));
      await elsewhere.page.getByRole('heading', { name: 'This link has been opened once' }).waitFor();
      await elsewhere.page.goto('/family#half-of-it');
      await titled(elsewhere.page, 'family_unknown_title');
      expect(elsewhere.complaints).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  test('its owner sends a new one, which a desk opens: the code first, and what can go wrong before it', async () => {
    await openFromCard();
    await dialog().getByText('باز شد:').waitFor();
    await reader.inspect('family-state');
    await press('family_new_link');
    await dialog()
      .getByText(text('family_ready_title', { name: guest }))
      .waitFor();
    link = await readLink();
    await page.keyboard.press('Escape');
    const desk = await openBrowser(site.controlPlane.url);
    try {
      const address = '**/api/v1/family/look';
      await desk.page.route(address, (route) => route.abort());
      await desk.page.goto(link);
      await titled(desk.page, 'family_offline_title');
      await desk.inspect('family-offline');
      desk.complaints.length = 0;
      await desk.page.unroute(address);
      const view = { guest_name: guest, sender_name: '', expires_at: '2026-12-01T08:00:00.000Z' };
      const answerWith = (data: object) =>
        desk.page.route(address, (route) => route.fulfill({ json: { success: true, data: { ...view, ...data } } }));
      await answerWith({ state: 'new', remembered: false });
      await desk.page.getByRole('button', { name: text('try_again'), exact: true }).click();
      await desk.page.getByText(text('family_from_somebody')).waitFor();
      await desk.page.getByRole('button', { name: text('family_open'), exact: true }).click();
      await titled(desk.page, 'family_cookies_title');
      await desk.page.unroute(address);
      await answerWith({ state: 'expired', remembered: true });
      await desk.page.reload();
      await titled(desk.page, 'family_expired_title');
      await desk.page.unroute(address);
      await desk.page.reload();
      await titled(desk.page, 'family_for', { guest });
      await desk.inspect('family-unopened');
      await desk.page.getByRole('button', { name: text('family_open'), exact: true }).click();
      await desk.page.getByText(text('family_qr_text')).waitFor();
      await desk.page.getByText(text('family_this_computer')).click();
      await desk.page.getByLabel(text('family_system')).selectOption('linux');
      await desk.page.getByText(/sudo wg-quick up \.\/raha-[\w-]+\.conf/).waitFor();
      await desk.page.getByText(text('family_other_phone')).click();
      await desk.inspect('family-desk');
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });

  test('the limit is changed and used up: both sides say so, and the statement knows for whom it was', async () => {
    await openFromCard();
    await press('family_change_cap');
    await dialog().getByText(text('family_cap_other')).click();
    await dialog().getByLabel(text('family_cap_field')).fill('۱');
    await press('save');
    await dialog().getByText('از ۱ گیگابایت').waitFor();
    await page.keyboard.press('Escape');
    await numbers.node.settle();
    await numbers.pass(configId, 1_000_000_000);
    await page.reload();
    await page.getByText(text('service_cap_reached')).waitFor();
    // Its link was replaced, so the first phone's page is closed; the newest is given to it.
    await openFromCard();
    await press('family_new_link');
    await dialog()
      .getByText(text('family_ready_title', { name: guest }))
      .waitFor();
    link = await readLink();
    await page.keyboard.press('Escape');
    await phone.reload();
    await titled(phone, 'family_unknown_title');
    await phone.goto(link);
    await phone.getByRole('button', { name: text('family_open'), exact: true }).tap();
    await phone.getByText('سهم این ماه تمام شد').waitFor();
    expect(await lookAtPage(phone)).toEqual([]);
    await page.goto('/user/wallet?view=statement');
    await page.locator('main button[aria-controls^=day-]').first().click();
    await page.getByText(text('family_for', { guest }), { exact: true }).first().waitFor();
    expect(reader.complaints).toEqual([]);
  });

  test('its owner ends it: asked first, then the config is gone and the page says that it has ended', async () => {
    await page.goto('/user/configs');
    await openFromCard();
    await press('family_end');
    await dialog().getByText(text('family_end_question')).waitFor();
    await reader.inspect('family-end');
    await press('family_end_confirm');
    await page.getByText(text('family_end_done')).first().waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    await phone.locator('[data-file]:visible').tap();
    await titled(phone, 'family_ended_title');
    expect(await lookAtPage(phone)).toEqual([]);
    expect(reader.complaints).toEqual([]);
  });
});
