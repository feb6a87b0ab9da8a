import { describe, expect, test } from 'vitest';
import { text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { lookAtPage } from './world/look.ts';

/** T9: Google and GitHub on a fresh machine, where no keys are set. */
describe.skipIf(whyNoBrowser)('with the test Google and the test GitHub', () => {
  const journey = openJourney();
  const providers = ['Google', 'GitHub'] as const;
  const leave = (provider: string) =>
    journey.page.getByRole('button', { name: text('continue_with', { provider }) }).click();

  test.each(providers)('%s: a page that says it is a test, and a new user completes the profile', async (provider) => {
    const { page, reader } = journey;
    await page.goto('/auth/passwordless');
    await page.getByText(text('social_test')).waitFor();
    await leave(provider);
    await page.waitForURL(`**/dev/${provider.toLowerCase()}/**`);
    await page.getByText('آزمایشی', { exact: true }).waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await page.getByLabel('ایمیل').fill(`${provider}@gmail.com`);
    await page.getByLabel('نام').fill('نیلوفر احمدی');
    await page.getByRole('button', { name: 'ورود با این حساب' }).click();
    await page.getByRole('heading', { name: text('profile_heading'), exact: true }).waitFor();
    expect(await page.getByLabel(text('full_name_label'), { exact: true }).inputValue()).toBe('نیلوفر احمدی');
    await page.getByRole('button', { name: text('complete_registration'), exact: true }).click();
    await page.waitForURL('**/user/dashboard');
    await page.context().clearCookies();
    expect(reader.complaints).toEqual([]);
  });

  test('somebody who changes their mind comes back to signing in', async () => {
    const { page } = journey;
    for (const provider of providers) {
      await page.goto('/auth/passwordless');
      await leave(provider);
      await page.getByRole('button', { name: 'انصراف' }).click();
      await page.getByRole('heading', { name: text('sign_in_heading'), exact: true }).waitFor();
      await page
        .getByRole('status')
        .filter({ hasText: text('social_cancelled', { provider }) })
        .waitFor();
    }
  });
});
