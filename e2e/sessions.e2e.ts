import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser, type Reader, text } from './world/browser.ts';
import { whyNoBrowser } from './world/journey.ts';
import { keepLastSight } from './world/last-sight.ts';
import { lookAtPage } from './world/look.ts';
import { enterPassword, PASSWORD, setPassword } from './world/panel.ts';
import { createSite, type Site } from './world/site.ts';
import { apiClient, signUp, type TestUser } from './world/user.ts';

/** What keeps a session, guards the panel and ends both (specification 1, sections 2, 4, 7 and 9), in a real browser. */
describe.skipIf(whyNoBrowser)('sessions and guards', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let people = 0;
  /** In tests of spoilt tokens every call may meet a 401, whenever it comes. */
  let isSpoilt = false;

  beforeAll(async () => {
    site = await createSite();
  });
  afterAll(async () => {
    await site?.close();
  });
  beforeEach(async () => {
    reader = await openBrowser(site.controlPlane.url);
    page = reader.page;
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepLastSight();
    const complaints = reader.complaints.splice(0);
    await reader.close();
    const expected = isSpoilt ? /^401: |^console: Failed to load resource.* 401 / : /^$/;
    isSpoilt = false;
    expect(complaints.filter((complaint) => !expected.test(complaint))).toEqual([]);
  });

  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });
  const field = (key: string) => page.getByLabel(text(key), { exact: true });
  const heading = (key: string) => page.getByRole('heading', { name: text(key), exact: true });
  const toast = (sentence: string) => page.locator('[role=status] p', { hasText: sentence }).first();
  const cookies = async () => (await page.context().cookies()).map(({ name }) => name).sort();

  /** Signs a new user up over HTTP, and this browser in by code. */
  async function signedIn(): Promise<TestUser> {
    people += 1;
    const user = await signUp(site.controlPlane.url, site.mailbox, `keeper${people}@mail.example`);
    const { host, protocol } = new URL(site.controlPlane.url);
    // Registered with a password besides, so that the browser can come in without waiting for another code.
    await setPassword(user);
    await page.goto('/auth/passwordless?method=password');
    await enterPassword(page, user.email);
    await page.waitForURL(`${protocol}//${host}/user/**`);
    return user;
  }

  describe('guards', () => {
    test('say that they are checking, send visitors to sign-in, and afterwards on to where they wanted', async () => {
      const messages: string[] = [];
      await page.exposeFunction('keepMessage', (words: string) => messages.push(words));
      await page.addInitScript(() => {
        new MutationObserver(() => {
          const words = document.querySelector('main [role=status]')?.textContent;
          if (words) void (window as unknown as { keepMessage(words: string): void }).keepMessage(words);
        }).observe(document, { childList: true, subtree: true });
      });
      await page.goto('/user/wallet');
      await heading('sign_in_heading').waitFor();
      expect(messages).toContain(text('guard_checking'));
      expect(new URL(page.url()).pathname).toBe('/auth/passwordless');
      const user = await signUp(site.controlPlane.url, site.mailbox, 'wanted@mail.example');
      await setPassword(user);
      await page.getByRole('link', { name: text('sign_in_with_password') }).click();
      await enterPassword(page, user.email);
      await page.waitForURL('**/user/wallet');
      await heading('wallet_title').waitFor();
      expect(await lookAtPage(page)).toEqual([]);
    });

    test('a destination that is no page of the panel is not gone to', async () => {
      await page.goto('/auth/passwordless');
      await heading('sign_in_heading').waitFor();
      await page.evaluate(() => sessionStorage.setItem('destination', 'https://evil.example/user/'));
      await signedIn();
      await page.waitForURL((url) => url.href === `${site.controlPlane.url}/user/dashboard`);
    });

    test('a signed-in user is sent from the screens for visitors to the panel, and short paths lead to the long ones', async () => {
      await signedIn();
      for (const [path, lead] of [
        ['/register', '/user/dashboard'],
        ['/auth/passwordless', '/user/dashboard'],
        ['/verify-email', '/user/dashboard'],
        ['/dashboard', '/user/dashboard'],
        ['/configs', '/user/configs'],
        ['/wallet', '/user/wallet'],
        ['/subscriptions?code=ABCD-1234', '/user/subscriptions'],
      ] as const) {
        await page.goto(path);
        await page.waitForURL((url) => url.pathname === lead);
        await page.locator('main h1').first().waitFor();
      }
    });

    test('an unfinished profile is finished first', async () => {
      const email = 'unfinished@mail.example';
      await apiClient(site.controlPlane.url).sendVerificationCode({ body: { email } });
      const { waitForCode } = await import('./world/mailbox.ts');
      const code = await waitForCode(site.mailbox, email);
      await page.goto('/auth/passwordless');
      const answer = await page.request.post('/api/v1/auth/verify-code', { data: { email, code } });
      expect(answer.ok()).toBe(true);
      await page.goto('/user/configs');
      await heading('profile_heading').waitFor();
      expect(new URL(page.url()).search).toBe('?step=profile');
    });

    test('redirects that chase each other are stopped with a view that leads home', async () => {
      await page.goto('/auth/forgot-password');
      await heading('forgot_title').waitFor();
      // Two guards in turn ask for the same screen, faster than it can be shown.
      await page.evaluate(async () => {
        for (const path of ['/user/wallet', '/user/configs', '/user/wallet']) {
          history.pushState({}, '', path);
          dispatchEvent(new PopStateEvent('popstate'));
          await new Promise((done) => setTimeout(done, 155));
        }
      });
      await page.getByRole('heading', { name: 'خطا در سیستم ناوبری' }).waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      expect(reader.complaints.splice(0).filter((words) => !words.includes('NavigationBlocked'))).toEqual([]);
      await page.getByRole('link', { name: text('back_home') }).click();
      await page.waitForURL((url) => url.pathname === '/');
    });
  });

  describe('the session', () => {
    test('a refused token is answered by one refresh, and the user notices nothing', async () => {
      await signedIn();
      isSpoilt = true;
      await leaveSite(page);
      await spoilToken(page);
      await page.goto('/user/wallet');
      await heading('wallet_title').waitFor();
      expect(await cookies()).toEqual(expect.arrayContaining(['auth_token', 'user_data']));
    });

    test('when that fails too, the cookies are gone and the way leads to the landing page', async () => {
      await signedIn();
      isSpoilt = true;
      await leaveSite(page);
      await spoilToken(page);
      await page.context().clearCookies({ name: 'refreshToken' });
      await page.goto('/user/wallet');
      await page.getByText('نشست شما پایان یافته است. لطفاً دوباره وارد شوید.').first().waitFor();
      expect(new URL(page.url()).pathname).toBe('/user/wallet');
      expect(await cookies()).not.toEqual(expect.arrayContaining(['auth_token']));
      expect(await cookies()).not.toEqual(expect.arrayContaining(['user_data']));
      await page.waitForURL((url) => url.pathname === '/');
    });

    test('a visitor already on the sign-in page is left there; a session that ends later leads home again', async () => {
      await page.addInitScript(holdPauses);
      const { email } = await signedIn();
      isSpoilt = true;
      const over = page.getByText('نشست شما پایان یافته است. لطفاً دوباره وارد شوید.').first();
      const endSession = async () => {
        await spoilToken(page);
        await page.context().clearCookies({ name: 'refreshToken' });
      };
      await leaveSite(page);
      await endSession();
      await page.goto('/user/wallet');
      await over.waitFor();
      await page
        .getByRole('link', { name: text('nav_configs') })
        .first()
        .click();
      await heading('sign_in_heading').waitFor();
      await page.getByRole('link', { name: text('sign_in_with_password') }).click();
      await field('email_label').fill(email);
      await page.evaluate(endPauses);
      // A redirect would begin with the next message of the loop, which has passed by now.
      expect(await page.evaluate(() => 'endPauses' in window)).toBe(true);
      expect(await field('email_label').inputValue()).toBe(email);
      await enterPassword(page, email);
      await page.waitForURL('**/user/configs');
      await over.waitFor({ state: 'detached' });
      await endSession();
      await button('refresh_balance').first().click();
      await over.waitFor();
      await page.evaluate(endPauses);
      await page.waitForURL((url) => url.pathname === '/');
    });

    test('on the screens for signing in nobody is sent away', async () => {
      await page.goto('/auth/passwordless');
      await page.context().addCookies([{ name: 'auth_token', value: 'a.b.c', url: site.controlPlane.url }]);
      await reader.whileRefused(async () => {
        await page.goto('/auth/callback?success=true');
        await page.getByText(text('social_processing_failed')).first().waitFor();
      });
      expect(new URL(page.url()).pathname).toBe('/auth/callback');
      expect(await cookies()).not.toContain('auth_token');
    });

    test('a reload finds it again; signing out leads to the landing page at once and everywhere', async () => {
      await signedIn();
      await page.reload();
      await heading('nav_dashboard').waitFor();
      isSpoilt = true;
      const second = await page.context().newPage();
      await second.goto('/user/wallet');
      await second.getByRole('heading', { name: text('wallet_title') }).waitFor();
      const goings: string[] = [];
      page.on('request', (request) => request.isNavigationRequest() && goings.push(new URL(request.url()).pathname));
      await page.getByRole('button', { name: /حساب کاربری/ }).click();
      await page.getByRole('menuitem', { name: text('log_out') }).click();
      await page.waitForURL((url) => url.pathname === '/');
      // The button leaves, and so does the news that the session is over: once.
      expect(goings).toEqual(['/']);
      expect(await cookies()).not.toEqual(expect.arrayContaining(['auth_token']));
      expect(await cookies()).not.toEqual(expect.arrayContaining(['refreshToken']));
      await second.goto('/user/wallet');
      await second.getByRole('heading', { name: text('sign_in_heading') }).waitFor();
    });
  });

  test('the news that the session is over does not overtake the answer to signing out, which takes the cookies', async () => {
    await signedIn();
    // The page stays for a second after its session has ended, and may ask for something in that time.
    isSpoilt = true;
    let isAnswered = false;
    await page.route('**/api/v1/auth/logout', async (route) => {
      const response = await route.fetch();
      await new Promise((done) => setTimeout(done, 1_000));
      isAnswered = true;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: /حساب کاربری/ }).click();
    await page.getByRole('menuitem', { name: text('log_out') }).click();
    await page.waitForURL((url) => url.pathname === '/');
    expect(isAnswered).toBe(true);
    expect(await cookies()).toEqual(['device']);
  });

  test('a second press while the first is on its way sends nothing', async () => {
    let calls = 0;
    await page.route('**/api/v1/auth/forgot-password', async (route) => {
      calls += 1;
      await new Promise((done) => setTimeout(done, 300));
      await route.continue();
    });
    await page.goto('/auth/forgot-password');
    await field('email_label').fill('twice@mail.example');
    await button('forgot_action').dblclick();
    await page.getByText('اگر با این ایمیل حسابی باشد').waitFor();
    expect(calls).toBe(1);
  });

  test('the header knows a user by first letter, name, address and role', async () => {
    const user = await signedIn();
    const account = page.getByRole('button', { name: text('account_of', { name: 'سارا احمدی' }) });
    expect((await account.innerText()).trim()).toBe('س');
    await account.click();
    const menu = page.getByRole('menu').locator('..');
    for (const words of ['سارا احمدی', user.email, text('role_user')]) {
      await menu.getByText(words, { exact: true }).first().waitFor();
    }
  });

  describe('devices and the password', () => {
    test('one session is ended from the list, then all others', async () => {
      const user = await signedIn();
      await page.goto('/user/security');
      const rows = page.locator('section[aria-labelledby=sessions] li');
      await expect.poll(() => rows.count()).toBe(2);
      expect(await lookAtPage(page)).toEqual([]);
      await rows
        .filter({ hasNot: page.getByText(text('session_current')) })
        .getByRole('button')
        .click();
      await toast(text('session_ended')).waitFor();
      await expect.poll(() => rows.count()).toBe(1);
      await expect(user.api.me()).rejects.toMatchObject({ code: 'unauthenticated' });
      await page.getByText(text('sessions_only_this')).waitFor();
      for (let more = 0; more < 2; more += 1) {
        await apiClient(site.controlPlane.url).login({ body: { email: user.email, password: PASSWORD } });
      }
      await page.reload();
      await expect.poll(() => rows.count()).toBe(3);
      await button('sessions_end_others').click();
      await page.getByRole('alertdialog').waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      await button('sessions_end_confirm').click();
      await toast(text('sessions_others_ended')).waitFor();
      await expect.poll(() => rows.count()).toBe(1);
    });

    test('a first password is set right after signing in by code; later it needs the old one', async () => {
      const email = 'first@mail.example';
      const { waitForCode } = await import('./world/mailbox.ts');
      await page.goto('/auth/passwordless');
      await field('email_label').fill(email);
      await button('continue_with_email').click();
      await field('code_label').fill(await waitForCode(site.mailbox, email));
      await field('full_name_label').fill('سارا');
      await button('complete_registration').click();
      await page.waitForURL('**/user/dashboard');
      await page.goto('/user/security');
      const choose = async (current: string, password: string) => {
        await field('current_password_label').fill(current);
        await field('new_password_label').fill(password);
        await field('password_again_label').fill(password);
        await button('reset_password_action').click();
      };
      await choose('', PASSWORD);
      await toast(text('password_changed')).waitFor();
      await reader.whileRefused(async () => {
        await choose('Wrong-horse-7', 'Another-horse-8');
        await page.getByText('گذرواژهٔ فعلی درست نیست.').first().waitFor();
      });
      await choose(PASSWORD, 'Another-horse-8');
      await expect.poll(() => field('new_password_label').inputValue()).toBe('');
      const entered = await apiClient(site.controlPlane.url).login({ body: { email, password: 'Another-horse-8' } });
      expect(entered.token).toBeTruthy();
    });
  });
});

/** As if fifteen minutes had passed for the server, and nobody had told the page. */
/** A page of the panel that stays open could ask in the background and meet the spoilt token before the test does. */
async function leaveSite(page: Page): Promise<void> {
  await page.goto('about:blank');
}

async function spoilToken(page: Page): Promise<void> {
  const token = (await page.context().cookies()).find(({ name }) => name === 'auth_token');
  if (!token) throw new Error('there is no session to spoil');
  await page.context().addCookies([{ ...token, value: token.value.replace(/.{4}$/, 'AAAA') }]);
}

/** Runs in the page: the pause before somebody is led home ends when the test says so. */
function holdPauses(): void {
  const later = window.setTimeout.bind(window);
  const held: (() => void)[] = [];
  Object.assign(window, {
    setTimeout: (act: () => void, ms?: number) => (ms === 1_500 ? held.push(act) : later(act, ms)),
    endPauses: () => {
      for (const act of held.splice(0)) act();
    },
  });
}

function endPauses(): void {
  (window as unknown as { endPauses(): void }).endPauses();
}
