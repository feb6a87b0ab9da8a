import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser, type Reader, text } from './world/browser.ts';
import { whyNoBrowser } from './world/journey.ts';
import { keepLastSight } from './world/last-sight.ts';
import { lookAtPage } from './world/look.ts';
import { type Providers, startProviders } from './world/providers.ts';
import { createSite, type Site } from './world/site.ts';

/** Google and GitHub in a real browser: providers of their own on loopback (specification 1, sections 2, 4, 5 and 8). */
describe.skipIf(whyNoBrowser)('with Google and GitHub', () => {
  let site: Site;
  let providers: Providers;
  let reader: Reader;
  let page: Page;

  beforeAll(async () => {
    site = await createSite(async (url, directory) => {
      providers = await startProviders(url, directory);
      return providers.environment;
    });
  });
  afterAll(async () => {
    await providers?.close();
    await site?.close();
  });
  beforeEach(async () => {
    reader = await openBrowser(site.controlPlane.url, { foreign: providers.origins });
    page = reader.page;
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepLastSight();
    const complaints = reader.complaints.splice(0);
    await reader.close();
    expect(complaints).toEqual([]);
  });

  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });
  const field = (key: string) => page.getByLabel(text(key), { exact: true });
  const heading = (key: string) => page.getByRole('heading', { name: text(key), exact: true });
  const toast = (sentence: string) => page.locator('[role=status] p', { hasText: sentence }).first();
  const inPanel = () => page.waitForURL('**/user/dashboard');

  const google = () => page.getByRole('button', { name: text('continue_with', { provider: 'Google' }) }).click();
  const github = () => page.getByRole('button', { name: text('continue_with', { provider: 'GitHub' }) }).click();

  test('Google: a new user completes the profile, a known one is greeted by name', async () => {
    const account = { sub: 'b-1', email: 'browser@gmail.com', email_verified: true, name: 'نیلوفر' };
    await providers.asGoogle(account);
    await page.goto('/register');
    await google();
    await heading('profile_heading').waitFor();
    await field('full_name_label').fill('نیلوفر احمدی');
    await button('complete_registration').click();
    await inPanel();
    await page.context().clearCookies();
    await page.goto('/auth/passwordless');
    await google();
    await toast('خوش آمدید نیلوفر احمدی!').waitFor();
    await inPanel();
    expect(page.url()).not.toMatch(/token|code=/);
  });

  test('the addresses of the specification lead to their providers, and unknown ones beside them say so', async () => {
    await providers.asGoogle({ sub: 'b-9', email: 'address@gmail.com', email_verified: true, name: 'نیلوفر' });
    await page.goto('/auth/google');
    await heading('profile_heading').waitFor();
    await page.context().clearCookies();
    providers.asGithub({ id: 79, login: 'gh79' }, [{ email: 'gh79@mail.example', primary: true, verified: true }]);
    await page.goto('/auth/github');
    await heading('profile_heading').waitFor();
    await page.context().clearCookies();
    for (const path of ['/auth/nowhere', '/register/nowhere']) {
      await page.goto(path);
      await page.getByRole('heading', { name: 'صفحه پیدا نشد - ۴۰۴', exact: true }).waitFor();
    }
  });

  test('GitHub: a new user, and an account without a verified address', async () => {
    providers.asGithub({ id: 71, login: 'gh' }, [{ email: 'gh71@mail.example', primary: true, verified: true }]);
    await page.goto('/auth/passwordless');
    await github();
    await heading('profile_heading').waitFor();
    await page.context().clearCookies();
    providers.asGithub({ id: 72 }, []);
    await page.goto('/auth/passwordless');
    await github();
    await page.getByText('نشانی ایمیل این حساب GitHub تأیید نشده است', { exact: false }).first().waitFor();
  });

  test('a return that finds the server out of reach keeps the session, says why, and asks again when told to', async () => {
    providers.asGithub({ id: 73, login: 'gh73' }, [{ email: 'gh73@mail.example', primary: true, verified: true }]);
    await page.goto('/auth/passwordless');
    const sentence = 'سرویس برای لحظاتی در دسترس نیست. لطفاً کمی بعد دوباره تلاش کنید.';
    const json = { success: false, code: 'unavailable', message: sentence };
    await page.route('**/api/v1/auth/me', (route) => route.fulfill({ status: 503, json }));
    await github();
    const failure = page.getByRole('alert').filter({ hasText: text('social_failed', { provider: 'GitHub' }) });
    await failure.getByText(sentence).waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    expect((await page.context().cookies()).map(({ name }) => name)).toContain('auth_token');
    await page.unroute('**/api/v1/auth/me');
    await page.route('**/api/v1/auth/me', (route) => route.abort('connectionfailed'));
    await button('try_again').click();
    await failure.getByText(text('error_network')).waitFor();
    await page.unroute('**/api/v1/auth/me');
    await button('try_again').click();
    await heading('profile_heading').waitFor();
    // What was made to fail was meant to.
    expect(reader.complaints.splice(0).filter((words) => !/^503: |Failed to load resource/.test(words))).toEqual([]);
  });

  test('a no, a foreign state, a token that is none, and nothing: told, then back to signing in after 3 seconds', async () => {
    await providers.asGoogle({ deny: true });
    await page.goto('/auth/passwordless');
    await google();
    // Saying no is no error: signing in is there at once, and says it calmly.
    await heading('sign_in_heading').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: text('social_cancelled', { provider: 'Google' }) })
      .waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.clock.install({ time: new Date() });
    for (const [query, sentence] of [
      ['code=x&state=foreign', text('social_foreign_state', { provider: 'Google' })],
      ['token=a.b', 'خطا در پردازش اطلاعات ورود'],
      ['', 'هیچ اطلاعات احراز هویت دریافت نشد'],
      ['error=server_error', text('social_not_this_time', { provider: 'Google' })],
    ] as const) {
      await page.goto(`/auth/google/callback?${query}`);
      await page.getByRole('heading', { name: 'خطا در ورود با Google' }).waitFor();
      await page.getByText('در حال انتقال به صفحه ورود...').waitFor();
      await page.getByRole('alert').getByText(sentence).waitFor();
      expect(await page.locator('body').innerText()).not.toMatch(/OAuth error|Invalid|_/);
      await page.clock.fastForward(3_100);
      await heading('sign_in_heading').waitFor();
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    }
  });

  test('the screen of a failed return, looked at for longer than it stays', async () => {
    await page.addInitScript(() => {
      const later = window.setTimeout.bind(window);
      const patient = (act: () => void, ms?: number) => (ms === 3000 ? 0 : later(act, ms));
      Object.assign(window, { setTimeout: patient });
    });
    await page.goto('/auth/callback?error=server_error');
    await page.getByText(text('social_details')).click();
    await page.getByText('OAuth error: server_error').waitFor();
    expect(await lookAtPage(page)).toEqual([]);
  });
});
