import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { waitForCode } from './world/mailbox.ts';
import { PASSWORD, signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { activate, signUp } from './world/user.ts';

/** What does not come at the profile: a code, an answer, a file. */
describe.skipIf(whyNoBrowser)('the profile in bad weather', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    const user = await signUp(site.controlPlane.url, site.mailbox, 'troubles@mail.example');
    await activate(site.controlPlane, user.api, 1);
    await signInAtBrowser(page, user);
  });

  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });
  const field = (key: string) => page.getByLabel(text(key), { exact: true });
  const heading = (key: string) => page.getByRole('heading', { name: text(key), exact: true });
  const toast = (sentence: string) => page.locator('[role=status] p', { hasText: sentence }).first();

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

  test('a large picture is made small in the browser, so that a slow line can send it', async () => {
    const tab = await page.context().newPage();
    await tab.goto('/user/profile');
    const photo = await tab.evaluate(async () => {
      const canvas = new OffscreenCanvas(2_000, 1_200);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      for (let dot = 0; dot < 60_000; dot++) {
        context.fillStyle = `hsl(${(dot * 137) % 360} 80% 50%)`;
        context.fillRect((dot * 7_919) % 2_000, (dot * 104_729) % 1_200, 6, 6);
      }
      const bytes = new Uint8Array(
        await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 })).arrayBuffer(),
      );
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    });
    const buffer = Buffer.from(photo, 'base64');
    expect(buffer.length).toBeGreaterThan(500_000);
    const request = tab.waitForRequest('**/api/v1/user/avatar');
    await tab.getByTestId('avatar-file').setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer });
    expect(Number((await (await request).allHeaders())['content-length'])).toBeLessThan(200_000);
    await tab.getByText(text('avatar_saved'), { exact: true }).first().waitFor();
    await tab.close();
  });

  test('the code for a new e-mail can be sent again, as often as any other', async () => {
    await page.clock.install({ time: new Date() });
    await page.goto('/user/profile');
    await field('email_label').fill('not-there-yet@mail.example');
    await button('profile_save').click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel(text('current_password_label'), { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: text('confirm_continue'), exact: true }).click();
    await heading('email_pending_heading').waitFor();
    await waitForCode(site.mailbox, 'not-there-yet@mail.example');
    const timer = page.getByRole('timer');
    await timer.waitFor();
    expect(await button('resend_code').count()).toBe(0);
    await page.clock.fastForward(61_000);
    // The server's own minute is not over: it says for how long, and that is counted down.
    await reader.whileRefused(async () => {
      await button('resend_code').click();
      await toast('کد قبلی هنوز تازه است').waitFor();
    });
    await timer.waitFor();
    await page.clock.fastForward(61_000);
    await page.route('**/api/v1/user/email/resend-code', (route) => route.abort());
    await button('resend_code').click();
    await toast(text('error_network')).waitFor();
    await page.unroute('**/api/v1/user/email/resend-code');
    const json = { success: true, retry_after: 60, message: 'کد تایید ارسال شد' };
    await page.route('**/api/v1/user/email/resend-code', (route) => route.fulfill({ json }));
    await field('code_label').fill('12');
    await button('resend_code').click();
    await toast(text('code_resent_again')).waitFor();
    await timer.waitFor();
    expect(await field('code_label').inputValue()).toBe('');
    await page.unrouteAll();
    await reader.inspect('profile-pending-email');
    // Who comes back later may ask at once; the server knows whether it is too soon.
    await page.reload();
    await button('resend_code').waitFor();
    expect(reader.complaints.splice(0).filter((words) => !/Failed to load resource/.test(words))).toEqual([]);
  });
});
