import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openBrowser, type Reader, text } from './world/browser.ts';
import { signInAtBrowser } from './world/panel.ts';
import { activate, signUp } from './world/person.ts';
import { createSite, type Site } from './world/site.ts';

/** What does not come at the profile: a code, an answer, a file. */
const whyNot = findBrowser() ? undefined : 'a browser is needed';

describe.skipIf(whyNot)('the profile in bad weather', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;

  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    reader = await openBrowser(site.controlPlane.url);
    page = reader.page;
    const person = await signUp(site.controlPlane.url, site.mailbox, 'troubles@mail.example');
    await activate(site.controlPlane, person.api, 1);
    await signInAtBrowser(page, person);
  });
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });


  test('a transfer without an answer is given up after 30 seconds, up and down, and says so', async () => {
    const tab = await page.context().newPage();
    // A hundred times faster, for what waits for just so long.
    await tab.addInitScript(() => {
      const limit = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => limit(ms === 30_000 ? 300 : ms);
    });
    for (const call of ['user/avatar', 'user/wallet/statement.csv*']) await tab.route(`**/api/v1/${call}`, () => {});
    await tab.goto('/user/profile');
    await tab
      .getByTestId('avatar-file')
      .setInputFiles({ name: 'picture', mimeType: 'image/png', buffer: Buffer.from('a picture') });
    await tab.getByText('خطا در آپلود تصویر').first().waitFor();
    await tab.goto('/user/wallet?view=statement');
    await tab.getByRole('button', { name: text('statement_export'), exact: true }).click();
    await tab.getByText(text('error_network')).first().waitFor();
    await tab.unrouteAll();
    await tab.close();
  });
});
