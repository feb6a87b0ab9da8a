import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { issueGiftCards } from './world/control-plane.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { setPassword, signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { signUp, type TestUser } from './world/user.ts';

/** The bell: what happens rings it without a reload; read, deleted, empty, failed; by pointer, keyboard and on a phone. */
describe.skipIf(whyNoBrowser)('notifications', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    user = await signUp(site.controlPlane.url, site.mailbox, 'listener@mail.example');
    await setPassword(user);
  });

  const redeem = async (count: number) => {
    for (const giftCardCode of await issueGiftCards(site.controlPlane, count, 1))
      await user.api.activateAccount({ body: { giftCardCode } });
  };
  const bell = () => page.getByRole('button', { name: new RegExp(`^${text('notifications_title')}`) });
  const list = () => page.getByRole('dialog', { name: text('notifications_title'), exact: true });
  const rows = () => list().getByRole('listitem');
  const remove = (title: string) =>
    list().getByRole('button', { name: text('notification_delete', { title }), exact: true });
  const badge = () => page.getByTestId('unread');

  test('signing in from this browser, new to the account, is on the list', async () => {
    await signInAtBrowser(page, user, { hasPassword: true });
    await badge().getByText(persian(2), { exact: true }).waitFor();
    await bell().click();
    await rows().first().getByText('ورود از دستگاهی تازه').waitFor();
    await rows().first().getByText(text('time_now'), { exact: true }).waitFor();
    expect(await rows().count()).toBe(2);
  });

  test('what happens elsewhere rings without a reload, also while the list is open', async () => {
    await redeem(1);
    await rows().first().getByText('حساب فعال شد').waitFor();
    await badge().getByText(persian(3), { exact: true }).waitFor();
    await reader.inspect('notifications');
  });

  test('a press marks read, the keyboard deletes, and the focus stays near', async () => {
    await rows()
      .first()
      .getByRole('button', { name: /^حساب فعال شد/ })
      .click();
    await badge().getByText(persian(2), { exact: true }).waitFor();
    expect(await rows().first().getByRole('button').count()).toBe(1);
    expect(await remove('حساب فعال شد').evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await remove('حساب فعال شد').waitFor({ state: 'detached' });
    const focused = remove('ورود از دستگاهی تازه');
    expect(await focused.evaluate((element) => element === document.activeElement)).toBe(true);
    await list()
      .getByRole('button', { name: text('notifications_read_all'), exact: true })
      .click();
    await badge().waitFor({ state: 'detached' });
    // The badge is ahead of the server's answer.
    const read = async () => (await user.api.listNotifications()).data.notifications.filter((one) => one.read);
    await expect.poll(async () => (await read()).map(({ kind }) => kind)).toEqual(['new_device', 'welcome']);
    await page.keyboard.press('Escape');
    await list().waitFor({ state: 'detached' });
    expect(await bell().evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('beyond nine the badge says so', async () => {
    await user.api.deleteNotifications();
    await redeem(10);
    await badge()
      .getByText(`+${persian(9)}`, { exact: true })
      .waitFor();
    await page.getByRole('button', { name: text('notifications_unread', { count: persian(10) }), exact: true }).click();
    expect(await rows().count()).toBe(10);
  });

  test('on a phone it is a sheet; the last one deleted leaves it empty', async () => {
    await page.keyboard.press('Escape');
    await list().waitFor({ state: 'detached' });
    await page.setViewportSize(sizes.narrow);
    await bell().click();
    await list().waitFor();
    expect(await list().evaluate((element) => element.getBoundingClientRect().width)).toBe(sizes.narrow.width);
    await reader.inspect('notifications-phone');
    await user.api.deleteNotifications();
    await list().getByText(text('notifications_empty'), { exact: true }).waitFor();
    await reader.inspect('notifications-empty');
    await page.keyboard.press('Escape');
    await list().waitFor({ state: 'detached' });
  });

  test('a list that does not come says so, and comes when asked again', async () => {
    let isDown = true;
    await page.route('**/api/v1/notifications', (route) =>
      isDown
        ? route.fulfill({ status: 403, json: { success: false, code: 'forbidden', message: '' } })
        : route.continue(),
    );
    await reader.whileRefused(async () => {
      await page.reload();
      await bell().click();
      await list().getByText(text('notifications_failed'), { exact: true }).waitFor();
      await reader.inspect('notifications-failed');
      isDown = false;
    });
    await list()
      .getByRole('button', { name: text('try_again'), exact: true })
      .click();
    await list().getByText(text('notifications_empty'), { exact: true }).waitFor();
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
