import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { settle, sizes, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { signInAtBrowser } from './world/panel.ts';
import { activate, signUp } from './world/user.ts';

/** Moving between screens: links, the browser's history, scrolling, and what does not open. */
describe.skipIf(whyNoBrowser)('between screens', () => {
  const journey = openJourney();
  let page: Page;

  beforeAll(async () => {
    const { site } = journey;
    page = journey.page;
    const user = await signUp(site.controlPlane.url, site.mailbox, 'moving@mail.example');
    await activate(site.controlPlane, user.api, 5);
    await signInAtBrowser(page, user);
    await page.goto('/user/dashboard');
    await heading('nav_dashboard').waitFor();
  });

  const nav = (key: string) =>
    page.getByRole('navigation', { name: text('nav_label') }).getByRole('link', { name: text(key), exact: true });
  const heading = (key: string) => page.getByRole('heading', { level: 1, name: text(key) });
  const pathOf = () => new URL(page.url()).pathname;
  const scrolled = () => page.evaluate(() => Math.round(scrollY));

  test('a link is marked as soon as it is pressed; two presses are one step back', async () => {
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    await page.route('**/assets/plans-page-*', async (route) => {
      await held;
      await route.continue();
    });
    await nav('nav_plans').click();
    await expect.poll(() => nav('nav_plans').getAttribute('aria-current')).toBe('page');
    expect(await nav('nav_dashboard').getAttribute('aria-current')).toBeNull();
    // The screen before stays until the next one is there.
    await heading('nav_dashboard').waitFor();
    await nav('nav_plans').click();
    release();
    await heading('plans_title').waitFor();
    await page.goBack();
    await heading('nav_dashboard').waitFor();
    expect(pathOf()).toBe('/user/dashboard');
  });

  test('the next screen begins at its top; going back and reloading, a screen is where it was', async () => {
    await page.setViewportSize({ width: 390, height: 500 });
    await page.goto('/user/dashboard');
    await page.locator('#first-help').waitFor();
    await settle(page);
    await page.evaluate(() => scrollTo(0, 240));
    await expect.poll(scrolled).toBe(240);
    await nav('nav_wallet').click();
    await page.getByTestId('wallet-balance').waitFor();
    expect(await scrolled()).toBe(0);
    await page.goBack();
    await page.locator('#first-help').waitFor();
    await expect.poll(scrolled).toBe(240);
    await expect.poll(() => page.evaluate(() => history.state.scrolled)).toBe(240);
    await page.reload();
    await page.locator('#first-help').waitFor();
    await expect.poll(scrolled).toBe(240);
    await page.setViewportSize(sizes.wide);
  });

  test('an address that leads elsewhere is no step in the history', async () => {
    await page.goto('/user/wallet');
    await page.getByTestId('wallet-balance').waitFor();
    await page.goto('/user/security');
    await expect.poll(() => page.url()).toMatch(/\/user\/profile\?tab=security$/);
    await page.goBack();
    await page.getByTestId('wallet-balance').waitFor();
  });

  test('a link to a part of the page leaves the screen as it is, also on the way back', async () => {
    await page.goto('/user/dashboard');
    await heading('nav_dashboard').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#main');
    await page.goBack();
    await heading('nav_dashboard').waitFor();
    expect(new URL(page.url()).hash).toBe('');
  });

  test('a screen whose file does not come says so, beside the navigation; trying again opens it', async () => {
    await page.route('**/assets/payments-page-*', (route) => route.abort());
    await nav('nav_payments').click();
    await page.getByRole('heading', { name: text('screen_failed') }).waitFor();
    expect(await nav('nav_dashboard').isVisible()).toBe(true);
    await page.unroute('**/assets/payments-page-*');
    await page.getByRole('button', { name: text('try_again') }).click();
    await heading('nav_payments').waitFor();
  });

  test('an address that does not exist', async () => {
    await page.goto('/user/nothing-here');
    await heading('missing_title').waitFor();
  });
});
