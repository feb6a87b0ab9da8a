import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openBrowser, type Reader, text } from './world/browser.ts';
import { lookAtPage } from './world/look.ts';
import { createSite, type Site } from './world/site.ts';

/** The code for signing in on a site where codes are being guessed, so that newcomers get eight digits. */
const whyNot = findBrowser() ? undefined : 'a browser is needed';

describe.skipIf(whyNot)('a code of eight digits', () => {
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

  test('has eight boxes, which send themselves when all are full', async () => {
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
});
