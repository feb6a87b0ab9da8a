import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { lookAtPage } from './world/look.ts';
import { PASSWORD, signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { activate, apiClient, signUp, type TestUser } from './world/user.ts';

/** The account switched off and on again, and erased, by the user it belongs to. */
describe.skipIf(whyNoBrowser)('closing the account', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    user = await signUp(site.controlPlane.url, site.mailbox, 'leaver@mail.example');
    await signInAtBrowser(page, user);
  });

  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });

  /** Late, so that the news of the ended session overtakes it. */
  const answerLate = (path: string) =>
    page.route(`**/api/v1${path}`, async (route) => {
      const response = await route.fetch();
      await new Promise((done) => setTimeout(done, 500));
      await route.fulfill({ response });
    });

  const sessionCookies = async () =>
    (await page.context().cookies()).filter(({ name }) => /^(auth_token|user_data|refreshToken)$/.test(name));

  test('deactivated: out everywhere, and back by signing in', async () => {
    await answerLate('/user/deactivate');
    await page.goto('/user/profile?tab=security');
    await button('deactivate_title').click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel(text('current_password_label'), { exact: true }).fill(PASSWORD);
    expect(await lookAtPage(page)).toEqual([]);
    await button('deactivate_action').click();
    await page.getByText(text('deactivate_done'), { exact: true }).waitFor();
    await page.waitForURL((url) => url.pathname === '/');
    expect(await sessionCookies()).toEqual([]);
    await signInAtBrowser(page, user, { hasPassword: true });
    await page.getByTestId('user').getByText('سارا احمدی', { exact: true }).waitFor();
  });

  test('deleted: what is left in the wallet is said before, then nobody is there any more', async () => {
    const { email } = user;
    const api = apiClient(site.controlPlane.url, () => token);
    const token = (await apiClient(site.controlPlane.url).login({ body: { email, password: PASSWORD } })).token ?? '';
    await activate(site.controlPlane, api, 1);
    await answerLate('/user/account');
    await page.goto('/user/profile?tab=security');
    await button('account_delete_title').click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(text('delete_balance', { amount: `${persian(100_000)} تومان` }), { exact: true }).waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await dialog.getByLabel(text('current_password_label'), { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: text('account_delete_action'), exact: true }).click();
    await page.getByText(text('delete_done'), { exact: true }).waitFor();
    await page.waitForURL((url) => url.pathname === '/');
    expect(await sessionCookies()).toEqual([]);
    const again = apiClient(site.controlPlane.url).login({ body: { email, password: PASSWORD } });
    await expect(again).rejects.toMatchObject({ code: 'login_failed' });
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
