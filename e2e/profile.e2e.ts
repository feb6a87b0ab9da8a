import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, readTexts, sizes, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { lookAtPage } from './world/look.ts';
import { waitForCode, waitForTextCode } from './world/mailbox.ts';
import { PASSWORD, signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { signUp, type TestUser } from './world/user.ts';

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The profile with its four tabs, and the frame of the panel around it (specification 2, sections 2, 4, 5 and 8). */
describe.skipIf(whyNoBrowser)('the profile', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    user = await signUp(site.controlPlane.url, site.mailbox, 'profile@mail.example');
    await signInAtBrowser(page, user);
  });

  const dataDir = () => join(site.directory, 'data');
  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });
  const field = (key: string) => page.getByLabel(text(key), { exact: true });
  const heading = (key: string) => page.getByRole('heading', { name: text(key), exact: true });
  const tab = (key: string) => page.getByRole('tab', { name: text(key), exact: true });
  const toast = (sentence: string) => page.locator('[role=status] p', { hasText: sentence }).first();
  const message = (sentence: string) => page.getByText(sentence, { exact: true }).first();
  /** While this runs, calls to a path find no server. */
  async function without(path: string, work: () => Promise<void>): Promise<void> {
    await page.route(path, (route) => route.abort());
    const before = reader.complaints.length;
    await work();
    await page.unroute(path);
    reader.complaints.splice(before);
  }

  test('tabs have addresses, the back button and the arrow keys go through them; the old page of sessions leads here', async () => {
    await page.goto('/profile');
    await page.waitForURL('**/user/profile');
    await tab('profile_tab_personal').focus();
    // In Persian the next one is to the left.
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**/user/profile?tab=security');
    await heading('sessions_heading').waitFor();
    await page.keyboard.press('End');
    await page.waitForURL('**/user/profile?tab=usage');
    expect(await tab('profile_tab_usage').getAttribute('aria-selected')).toBe('true');
    await page.goBack();
    await heading('sessions_heading').waitFor();
    await page.goto('/user/security');
    await page.waitForURL('**/user/profile?tab=security');
    for (const [key, wanted] of [
      ['profile_tab_personal', 'avatar_heading'],
      ['profile_tab_security', 'account_heading'],
      ['profile_tab_settings', 'settings_panel'],
      ['profile_tab_usage', 'profile_tab_usage'],
    ] as const) {
      await tab(key).click();
      await heading(wanted).first().waitFor();
      expect(await lookAtPage(page)).toEqual([]);
    }
  });

  test('a name is text whatever it is, and each field has its rule', async () => {
    await page.goto('/user/profile');
    const name = field('full_name_label');
    await name.fill('');
    await button('profile_save').click();
    await message('نام کامل الزامی است').waitFor();
    await name.fill('ن'.repeat(10_000));
    await button('profile_save').click();
    await message('این متن بیش از اندازه بلند است.').waitFor();
    const hostile = '<img src=x onerror=alert(1)> علي 👩‍👧';
    await name.fill(`\u202e${hostile}`);
    await button('profile_save').click();
    await toast('پروفایل به‌روزرسانی شد').waitFor();
    const kept = hostile.replace('ي', 'ی');
    await page.getByTestId('user').getByText(kept, { exact: true }).waitFor();
    expect(await name.inputValue()).toBe(kept);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await field('email_label').fill('no address');
    await button('profile_save').click();
    await message('لطفاً ایمیل معتبر وارد کنید').waitFor();
    await field('email_label').fill(user.email);
    await name.fill('سارا احمدی');
    await without('**/api/v1/user/profile', async () => {
      await button('profile_save').click();
      await message('خطا در به‌روزرسانی پروفایل').waitFor();
    });
    await button('profile_save').click();
    await page.getByTestId('user').getByText('سارا احمدی', { exact: true }).waitFor();
  });

  test('a picture: too large, none, a disguised one, a good one; it falls back to the general one, then to the letter', async () => {
    await page.goto('/user/profile');
    const choose = (file: Buffer, mimeType: string) =>
      page.getByTestId('avatar-file').setInputFiles({ name: 'picture', mimeType, buffer: file });
    await choose(Buffer.alloc(2_000_001), 'image/png');
    await message('حجم فایل نباید از 2 مگابایت بیشتر باشد').waitFor();
    await choose(Buffer.from('words'), 'text/plain');
    await message('فقط فایل‌های تصویری مجاز هستند').waitFor();
    await page.reload();
    await reader.whileRefused(async () => {
      await choose(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png');
      await message('فقط فایل‌های تصویری مجاز هستند').waitFor();
    });
    await without('**/api/v1/user/avatar', async () => {
      await choose(PNG, 'image/png');
      await message('خطا در آپلود تصویر').waitFor();
    });
    await choose(PNG, 'image/png');
    await toast(text('avatar_saved')).waitFor();
    const mine = page.getByTestId('user').locator('img');
    await expect.poll(() => mine.getAttribute('src')).toMatch(/^\/api\/v1\/avatars\/[0-9a-f-]{36}$/);
    await expect.poll(() => mine.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(256);
    await page.route('**/api/v1/avatars/**', (route) => route.fulfill({ status: 404 }));
    await reader.whileRefused(async () => {
      await page.reload();
      await expect.poll(() => mine.getAttribute('src')).toBe('/avatar.svg');
    });
    await page.route('**/avatar.svg', (route) => route.fulfill({ status: 404 }));
    await reader.whileRefused(async () => {
      await page.reload();
      await page.getByTestId('user').getByText('س', { exact: true }).waitFor();
    });
    await page.unrouteAll();
    await page.reload();
    await button('avatar_remove').click();
    await toast(text('avatar_removed')).waitFor();
    await expect.poll(() => mine.count()).toBe(0);
  });

  test('a number: typed anyhow, saved only once it is proved, verified for two seconds', async () => {
    await page.goto('/user/profile');
    const phone = field('phone_label');
    await phone.fill('۰۲۱ ۸۸');
    await button('phone_send_code').click();
    await message('شماره موبایل را مانند ۰۹۱۲۰۰۰۰۰۰۰ وارد کنید.').waitFor();
    await phone.fill('+98 912 765 4321');
    await button('profile_save').click();
    await message('لطفا ابتدا شماره موبایل خود را تایید کنید').waitFor();
    await without('**/api/v1/user/phone/**', async () => {
      await button('phone_send_code').click();
      await message('خطا در ارسال کد تایید').waitFor();
    });
    await button('phone_send_code').click();
    await heading('phone_verify_heading').waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    const code = await waitForTextCode(dataDir(), '09127654321');
    await reader.whileRefused(async () => {
      await field('code_label').fill(code === '111111' ? '222222' : '111111');
      await message('کد تایید نادرست است').waitFor();
    });
    await field('code_label').fill([...code].map((digit) => persian(Number(digit))).join(''));
    await toast(text('phone_verified')).waitFor();
    expect(await phone.inputValue()).toBe('09127654321');
    await message(text('phone_is_verified')).waitFor();
    await button('profile_save').click();
    await toast(text('profile_saved')).waitFor();
    expect((await user.api.me()).user.phone).toBe('09127654321');
  });

  test('a new e-mail: the owner’s password, then its own code', async () => {
    const email = 'moved-away@mail.example';
    await page.goto('/user/profile');
    await field('email_label').fill(email);
    await button('profile_save').click();
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await reader.whileRefused(async () => {
      await dialog.getByLabel(text('current_password_label'), { exact: true }).fill('Wrong-horse-7');
      await dialog.getByRole('button', { name: text('confirm_continue'), exact: true }).click();
      await dialog.getByText('گذرواژهٔ فعلی درست نیست.').waitFor();
    });
    await dialog.getByLabel(text('current_password_label'), { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: text('confirm_continue'), exact: true }).click();
    await heading('email_pending_heading').waitFor();
    expect((await user.api.me().catch((error: { code: string }) => error)) as object).toMatchObject({
      user: { email: user.email },
    });
    // It waits over a reload, too.
    await page.reload();
    // What is changed elsewhere meanwhile is in the field that nobody typed into.
    await expect.poll(() => field('full_name_label').inputValue()).toBe('سارا احمدی');
    await user.api.updateProfile({ body: { name: 'سارا راد' } });
    await page.getByTestId('user').getByText('سارا راد', { exact: true }).waitFor();
    await expect.poll(() => field('full_name_label').inputValue()).toBe('سارا راد');
    await field('code_label').fill(await waitForCode(site.mailbox, email));
    await toast(text('email_changed')).waitFor();
    await page.getByTestId('user').getByText(email, { exact: true }).waitFor();
    await expect.poll(() => field('email_label').inputValue()).toBe(email);
    // Only what was typed is sent: the old address does not come back with the name.
    await field('full_name_label').fill('سارا احمدی');
    const saving = page.waitForRequest((request) => request.method() === 'PUT');
    await button('profile_save').click();
    expect((await saving).postDataJSON()).toEqual({ name: 'سارا احمدی' });
    await toast(text('profile_saved')).waitFor();
    // The other session, the one of this test's own program, is over.
    await expect(user.api.me()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('settings take effect at once: mails, text messages, theme', async () => {
    await page.goto('/user/profile?tab=settings');
    const email = page.getByRole('switch', { name: text('settings_email'), exact: true });
    const kind = page.getByRole('checkbox', { name: 'کانفیگ آماده است', exact: true });
    await expect.poll(() => email.getAttribute('aria-checked')).toBe('true');
    expect(await kind.isChecked()).toBe(false);
    await page.getByText('کانفیگ آماده است', { exact: true }).click();
    await toast('تنظیمات ذخیره شد').waitFor();
    const taken = page.waitForResponse('**/api/v1/user/settings');
    await page.getByRole('switch', { name: text('settings_sms'), exact: true }).click();
    await taken;
    await page.reload();
    await expect.poll(() => kind.isChecked()).toBe(true);
    const sms = page.getByRole('switch', { name: text('settings_sms'), exact: true });
    await expect.poll(() => sms.getAttribute('aria-checked')).toBe('true');
    await email.click();
    await kind.waitFor({ state: 'detached' });
    await reader.whileRefused(async () => {
      await page.route('**/api/v1/user/settings', (route) =>
        route.request().method() === 'PUT'
          ? route.fulfill({ status: 403, json: { success: false, code: 'forbidden', message: 'نشد' } })
          : route.continue(),
      );
      await email.click();
      await toast('نشد').waitFor();
      await expect.poll(() => email.getAttribute('aria-checked')).toBe('false');
      await page.unrouteAll();
    });
    const theme = () => page.evaluate(() => document.documentElement.className);
    await page.getByText(text('settings_theme_dark'), { exact: true }).click();
    expect(await theme()).toContain('dark');
    await page.getByText(text('settings_theme_auto'), { exact: true }).click();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme).toContain('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(theme).toContain('light');
    await page.reload();
    expect(await page.getByRole('radio', { name: text('settings_theme_auto'), exact: true }).isChecked()).toBe(true);
  });

  test('with automatic connection the config that was used last is connected when the panel opens', async () => {
    await page.goto('/user/profile?tab=settings');
    await page.getByRole('switch', { name: text('settings_connect'), exact: true }).click();
    await toast('تنظیمات ذخیره شد').waitFor();
    await site.controlPlane.raha('settings', 'set', 'trial.requiresActivation', 'false');
    const asked: unknown[] = [];
    const base = { protocol: 'wireguard', status: 'inactive', service: 'disconnected', applied: true };
    const more = { keepKey: true, traffic_used: 0, totalTraffic: 0, uploaded: 0, downloaded: 0, lastUsed: null };
    const location = { country: 'DE', city: 'Frankfurt' };
    const server = { id: crypto.randomUUID(), name: 'de1', location, ping: null, isOnline: true };
    const configs = ['2026-11-01T00:00:00.000Z', '2026-11-20T00:00:00.000Z', null].map((last, index) => ({
      ...{ ...base, ...more, server, id: crypto.randomUUID(), name: `دستگاه ${index}` },
      ...{ last_connected: last, created_at: '2026-10-01T00:00:00.000Z', connected: false },
    }));
    await page.route('**/api/v1/user/configs', (route) =>
      route.fulfill({ json: { success: true, data: { configs } } }),
    );
    await page.route('**/api/v1/connection/connect', async (route) => {
      asked.push(route.request().postDataJSON());
      await route.continue({ url: `${site.controlPlane.url}/api/v1/connection/status`, method: 'GET' });
    });
    // Not the dashboard, whose answer brings the configs along.
    await page.goto('/user/payments');
    await toast('دستگاه 1').waitFor();
    expect(asked).toEqual([{ configId: configs[1]?.id }]);
    await page.unrouteAll();
    await site.controlPlane.raha('settings', 'set', 'trial.requiresActivation', 'true');
    await page.evaluate(() => localStorage.setItem('auto-connect', 'off'));
  });

  test('what did not load says so, and comes when asked again; all data come as one file', async () => {
    // Refused until the button was pressed for the second time, however often the page asks by itself.
    await page.addInitScript(() => {
      Object.assign(window, { presses: 0 });
      const count = () => ((window as unknown as { presses: number }).presses += 1);
      document.addEventListener('click', count, { capture: true });
    });
    const presses = () => page.evaluate(() => (window as unknown as { presses: number }).presses);
    await page.route('**/api/v1/user/profile', async (route) => {
      const json = { success: false, code: 'forbidden', message: 'نه' };
      await ((await presses()) < 2 ? route.fulfill({ status: 403, json }) : route.continue());
    });
    await reader.whileRefused(async () => {
      await page.goto('/user/profile?tab=usage');
      for (const tries of [1, 2]) {
        await message('خطا در بارگذاری اطلاعات پروفایل').waitFor({ timeout: 60_000 });
        await button('try_again').click();
        expect(await presses()).toBe(tries);
      }
      await message(text('usage_hours')).waitFor();
    });
    await page.unrouteAll();
    await message(`${persian(0)} ساعت`).waitFor();
    await page.goto('/user/profile?tab=security');
    const download = page.waitForEvent('download');
    await button('export_action').click();
    const file = await (await download).path();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ profile: { email: 'moved-away@mail.example' } });
  });

  describe('around it', () => {
    test('the sidebar knows the user, that nothing is activated and whether the panel hears anything; role and balance are in the header', async () => {
      await page.goto('/user/dashboard');
      const presence = page.getByTestId('presence').first();
      await presence.getByText(text('presence_not_activated'), { exact: true }).waitFor();
      expect(await page.getByTestId('role').textContent()).toBe('کاربر');
      await page.context().setOffline(true);
      await presence.getByText(text('presence_offline'), { exact: true }).waitFor();
      await page.context().setOffline(false);
      reader.complaints.splice(0);
      await presence.getByText(text('presence_not_activated'), { exact: true }).waitFor();
      const asked = page.waitForResponse('**/api/v1/auth/me');
      await button('refresh_balance').click();
      expect((await asked).status()).toBe(200);
    });

    test('on a phone everything is reached by the bar and the sheet behind it', async () => {
      await page.setViewportSize(sizes.narrow);
      await page.goto('/user/dashboard');
      await button('nav_more').click();
      const sheet = page.getByRole('dialog', { name: text('more_title'), exact: true });
      await sheet.getByRole('link', { name: text('nav_upgrade'), exact: true }).waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      await sheet
        .getByRole('link', { name: text('nav_profile'), exact: true })
        .last()
        .click();
      await page.waitForURL('**/user/profile');
      await sheet.waitFor({ state: 'detached' });
      expect(await button('nav_more').getAttribute('aria-current')).toBe('page');
      await page.setViewportSize(sizes.wide);
    });

    test('becoming an agent: says that it is not there yet, and gives the address to write to', async () => {
      await page.goto('/user/upgrade-agent');
      await heading('upgrade_soon').waitFor();
      const write = page.getByRole('link', { name: text('upgrade_write'), exact: true });
      expect(await write.getAttribute('href')).toContain('mailto:support@raha.example');
      expect(await lookAtPage(page)).toEqual([]);
    });
  });

  test('in English: each tab, the sheet and the page for agents, left to right and without Persian words', async () => {
    await page.goto('/user/profile?tab=settings');
    await page.getByText('English', { exact: true }).click();
    await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      'en',
      'ltr',
    ]);
    const english = readTexts('en') as Record<string, string>;
    for (const [path, wanted] of [
      ['profile', 'avatar_heading'],
      ['profile?tab=security', 'account_heading'],
      ['profile?tab=settings', 'settings_panel'],
      ['profile?tab=usage', 'usage_hours'],
      ['upgrade-agent', 'upgrade_soon'],
    ] as const) {
      await page.goto(`/user/${path}`);
      await page
        .getByText(english[wanted] ?? '', { exact: true })
        .first()
        .waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      const words = await page.locator('main').innerText();
      expect(words.replace('فارسی', '').replaceAll('سارا احمدی', '').replace(/^س$/m, '')).not.toMatch(
        /[\u0600-\u06ff]/,
      );
    }
    await page.goto('/user/profile?tab=settings');
    await page.getByText('فارسی', { exact: true }).click();
    await heading('settings_notifications').waitFor();
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
