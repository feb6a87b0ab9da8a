import { limits } from '@raha/contract/limits.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openBrowser, type Reader, text } from './world/browser.ts';
import { lookAtPage } from './world/look.ts';
import { waitForCode } from './world/mailbox.ts';
import { createSite, type Site } from './world/site.ts';

/** On a site where codes are being guessed newcomers get eight digits, and where addresses are, the code before the panel. */
const whyNot = findBrowser() ? undefined : 'a browser is needed';

describe.skipIf(whyNot)('a site under attack', () => {
  let site: Site;
  let reader: Reader;

  beforeAll(async () => {
    site = await createSite();
    reader = await openBrowser(site.controlPlane.url);
  });
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });

  test('a code of eight digits has eight boxes, which send themselves when all are full', async () => {
    const { page } = reader;
    await page.route('**/auth/send-verification-code', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), code_length: 8 } });
    });
    await page.goto('/auth/passwordless');
    await page.getByLabel(text('email_label'), { exact: true }).fill('eight@mail.example');
    await page.getByRole('button', { name: text('continue_with_email'), exact: true }).click();
    await page.getByText('کد ۸ رقمی را به').waitFor();
    const code = page.getByLabel(text('code_label'), { exact: true });
    await code.pressSequentially('1234567');
    await page.getByRole('button', { name: text('verify_code'), exact: true }).press('Enter');
    await page.getByText('لطفاً کد ۸ رقمی را کامل وارد کنید').waitFor();
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await lookAtPage(page)).toEqual([]);
    }
    await reader.whileRefused(async () => {
      await code.press('8');
      await page.locator('[role=status] p', { hasText: 'کد تایید نامعتبر است' }).first().waitFor();
    });
    expect(await code.inputValue()).toBe('');
    expect(reader.complaints).toEqual([]);
  });

  test('a registration that is answered by mail goes on with the code, also after a reload, and ends in the panel', async () => {
    const { page } = reader;
    const password = 'Correct-horse-7';
    const registration = { name: 'نیلوفر', password, password_confirmation: password };
    // Each of two servers counts for itself.
    for (let count = 0; count <= 2 * limits.registrationTakenPerHour + 1; count += 1)
      await fetch(`${site.controlPlane.url}${API_BASE}/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...registration, email: 'taken@mail.example' }),
      });
    const email = 'newcomer@mail.example';
    const fill = (key: string, value: string) => page.getByLabel(text(key), { exact: true }).fill(value);
    await page.goto('/register');
    await fill('full_name_label', 'نیلوفر احمدی');
    await fill('email_label', email);
    await fill('password_label', password);
    await fill('password_again_label', password);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: text('register_action'), exact: true }).click();
    await page.waitForURL('**/verify-email');
    await page.getByText('کد تایید به ایمیل شما ارسال شد').first().waitFor();
    await page.getByRole('heading', { name: text('verify_heading'), exact: true }).waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await page.reload();
    await fill('code_label', await waitForCode(site.mailbox, email));
    await page.waitForURL('**/user/dashboard');
    await page.getByText('نیلوفر احمدی').first().waitFor();
    expect(reader.complaints).toEqual([]);
  });
});
