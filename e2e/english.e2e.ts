import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reader } from './world/browser.ts';
import { signUpFurnished } from './world/furnish.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { lookAtPage } from './world/look.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import type { TestUser } from './world/user.ts';

const screens = [
  ['/user/dashboard', 'Dashboard'],
  ['/user/configs', 'My configs'],
  ['/user/servers', 'ARIA'],
  ['/user/wallet', 'Wallet'],
  ['/user/wallet?view=statement', 'Wallet'],
  ['/user/wallet?view=invoices', 'Wallet'],
  ['/user/wallet/charge', 'Charge'],
  ['/user/payments', 'Payments'],
  ['/user/plans', 'Plans'],
  ['/user/subscriptions?redeem=1', 'card'],
  ['/user/profile', 'Profile'],
  ['/user/profile?tab=security', 'Profile'],
  ['/user/profile?tab=settings', 'Profile'],
  ['/user/profile?tab=usage', 'Profile'],
  ['/user/upgrade-agent', 'agent'],
] as const;

/** One pass through the whole panel in English, with something on every screen. */
describe.skipIf(whyNoBrowser)('the panel in English', () => {
  const journey = openJourney();
  let site: Site;
  let numbers: NumberNode;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    numbers = await openNumberNode(site);
    user = await signUpFurnished(site, numbers, 'english@mail.example', { user: 'Sara Ahmadi', config: 'Phone' });
    await signInAtBrowser(page, user);
    await page.context().addCookies([{ name: 'locale', value: 'en', url: site.controlPlane.url }]);
  });
  afterAll(() => numbers?.close());

  test.each(screens)('%s: left to right, complete, and axe finds nothing', async (path, heading) => {
    await page.goto(path);
    await page
      .getByRole('heading', { name: new RegExp(heading, 'i') })
      .first()
      .waitFor();
    await page.waitForFunction(() => !document.querySelector('main .skeleton'));
    expect(await page.locator('html').getAttribute('dir')).toBe('ltr');
    // The only Persian left is the name of that language in the language switch.
    const seen = await page.evaluate(() => document.body.innerText.split('\n'));
    const persian = seen.filter((line) => /[\u0600-\u06ff]/.test(line) && line.trim() !== 'فارسی');
    expect(persian).toEqual([]);
    expect(await lookAtPage(page)).toEqual([]);
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
