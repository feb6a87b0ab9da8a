import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOfApp } from './world/authenticator-app.ts';
import { findBrowser, openBrowser, type Reader, readTexts, text } from './world/browser.ts';
import { keepLastSight } from './world/last-sight.ts';
import { lookAtPage } from './world/look.ts';
import { enterPassword, PASSWORD, setPassword } from './world/panel.ts';
import { createSite, type Site } from './world/site.ts';
import { signUp, type TestUser } from './world/user.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './world/virtual-authenticator.ts';

/** Passkeys, the authenticator app and recovery codes, with Chromium's virtual authenticator (decision 46). */
const whyNot = findBrowser() ? undefined : 'a browser is needed';
const SECURITY = '/user/profile?tab=security';

describe.skipIf(whyNot)('factors', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let device: VirtualAuthenticator;
  let people = 0;

  beforeAll(async () => {
    site = await createSite();
  });
  afterAll(async () => {
    await site?.close();
  });
  beforeEach(async () => {
    // Browsers know passkeys of localhost, and none of 127.0.0.1.
    reader = await openBrowser(site.controlPlane.url.replace('127.0.0.1', 'localhost'));
    page = reader.page;
    device = await addVirtualAuthenticator(page);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepLastSight();
    const complaints = reader.complaints.splice(0);
    await reader.close();
    expect(complaints).toEqual([]);
  });

  const button = (key: string, values: Record<string, string> = {}) =>
    page.getByRole('button', { name: text(key, values), exact: true });
  const field = (key: string) => page.getByLabel(text(key), { exact: true });
  const heading = (key: string) => page.getByRole('heading', { name: text(key), exact: true });
  const toast = (key: string) => page.locator('[role=status] p', { hasText: text(key) }).first();
  const shown = (sentence: string) => page.getByText(sentence).first();
  /** The code of an app that was not used yet: the test waits for the next half minute if it was. */
  let usedStep = 0;
  async function freshCode(secret: string): Promise<string> {
    await expect.poll(() => Math.floor(Date.now() / 30_000), { timeout: 40_000 }).toBeGreaterThan(usedStep);
    usedStep = Math.floor(Date.now() / 30_000);
    return codeOfApp(secret, Date.now());
  }

  async function openOwner(): Promise<TestUser> {
    people += 1;
    usedStep = 0;
    const user = await signUp(site.controlPlane.url, site.mailbox, `factors${people}@mail.example`);
    await setPassword(user);
    return user;
  }
  async function givePassword({ email }: TestUser): Promise<void> {
    await page.goto('/auth/passwordless?method=password');
    await heading('sign_in_with_password').waitFor();
    await enterPassword(page, email);
  }
  async function signIn(user: TestUser): Promise<void> {
    await givePassword(user);
    await page.waitForURL('**/user/**');
  }
  /** Forgets the session of this browser, but not its device cookie. */
  async function signOut(): Promise<void> {
    // A page without a stream: the panel would notice the end of its session and move.
    await page.goto('/privacy');
    await page.evaluate(() => fetch('/api/v1/auth/logout', { method: 'POST' }));
    for (const name of ['auth_token', 'user_data', 'refreshToken']) await page.context().clearCookies({ name });
  }
  async function openSecurity(): Promise<void> {
    await page.goto(SECURITY);
    await heading('factors_heading').waitFor();
    await heading('passkeys_heading').waitFor();
  }
  async function confirmByPassword(label: string): Promise<void> {
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel(text('current_password_label'), { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: text(label), exact: true }).click();
  }
  async function addPasskey(name: string): Promise<void> {
    await button('passkey_add').click();
    await confirmByPassword('proceed');
    await field('passkey_name_label').fill(name);
    await button('passkey_create').click();
    await toast('passkey_added').waitFor();
    await page.getByText(name, { exact: true }).waitFor();
  }
  /** Sets up the app; its secret and the recovery codes, as the screen showed them. */
  async function setUpApp(): Promise<{ secret: string; codes: string[] }> {
    await button('totp_set_up').click();
    await confirmByPassword('proceed');
    const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await field('code_label').fill(await freshCode(secret));
    await heading('recovery_show_title').waitFor();
    const codes = await page.getByRole('dialog').or(page.getByRole('alertdialog')).locator('ol li').allTextContents();
    return { secret, codes };
  }

  test('a passkey is made, named, used to sign in without password or code, and removed', async () => {
    const user = await openOwner();
    await signIn(user);
    await openSecurity();
    await shown(text('passkeys_empty')).waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await addPasskey('لپ‌تاپ خانه');
    await page.getByText(text('passkey_unused'), { exact: true }).waitFor();
    expect(await lookAtPage(page)).toEqual([]);

    await signOut();
    await page.goto(SECURITY);
    await heading('sign_in_heading').waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await button('sign_in_with_passkey').click();
    await page.waitForURL(`**${SECURITY}`);
    expect(await device.signCounts()).toEqual([2]);
    const card = page.getByRole('region', { name: text('factors_heading') });
    await card.getByText(text('passkey_used_on').split('{')[0] ?? '').waitFor();
    await page.getByText(text('session_method_passkey')).first().waitFor();

    await button('passkey_rename_of', { name: 'لپ‌تاپ خانه' }).click();
    await field('passkey_name_label').fill('لپ‌تاپ کار');
    await button('save').click();
    await toast('passkey_renamed').waitFor();
    await button('passkey_remove_of', { name: 'لپ‌تاپ کار' }).click();
    await confirmByPassword('passkey_remove');
    await shown(text('passkeys_empty')).waitFor();

    await signOut();
    await page.goto('/auth/passwordless');
    await reader.whileRefused(async () => {
      await button('sign_in_with_passkey').click();
      await shown('این گذرکلید پذیرفته نشد').waitFor();
    });
  });

  test('a cancelled passkey says so, and works at the next try without confirming again', async () => {
    const user = await openOwner();
    await signIn(user);
    await openSecurity();
    await button('passkey_add').click();
    await confirmByPassword('proceed');
    await device.verifiesUser(false);
    await button('passkey_create').click();
    await shown(text('passkey_cancelled')).waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    await device.verifiesUser(true);
    await button('passkey_create').click();
    await toast('passkey_added').waitFor();
    await signOut();
    await page.goto('/auth/passwordless?method=password');
    await device.verifiesUser(false);
    await button('sign_in_with_passkey').click();
    await shown(text('passkey_cancelled')).waitFor();
    await device.verifiesUser(true);
    await button('sign_in_with_passkey').click();
    await page.waitForURL('**/user/**');
  });

  test('an authenticator app: set up by keyboard, a second step after the password, wrong code, recovery code once', async () => {
    const user = await openOwner();
    await signIn(user);
    await openSecurity();
    await button('totp_set_up').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByLabel(text('current_password_label'), { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: text('totp_qr') }).waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await reader.whileRefused(async () => {
      await field('code_label').fill('000000');
      await page.getByRole('dialog').getByText('این کد درست نیست').waitFor();
    });
    await field('code_label').fill(await freshCode(secret));
    await heading('recovery_show_title').waitFor();
    expect(await lookAtPage(page)).toEqual([]);
    const codes = await page.getByRole('alertdialog').locator('ol li').allTextContents();
    expect(codes).toHaveLength(10);
    const [download] = await Promise.all([page.waitForEvent('download'), button('recovery_download').click()]);
    expect(
      readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n'),
    ).toEqual(codes);
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: text('recovery_copy'), exact: true })
      .click();
    expect((await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n')).toEqual(codes);
    await button('recovery_kept').click();
    await shown(text('recovery_left').split('{count}')[1]?.slice(0, 20) ?? '').waitFor();

    await signOut();
    await reader.whileRefused(async () => {
      await givePassword(user);
      await heading('second_step_title').waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      // The screen is there again after a reload.
      await page.reload();
      await field('code_label').fill('000000');
      await shown('این کد درست نیست').waitFor();
      await field('code_label').fill(await freshCode(secret));
      await page.waitForURL('**/user/**');
    });

    await signOut();
    await reader.whileRefused(async () => {
      await givePassword(user);
      await button('use_recovery_instead').click();
      expect(await lookAtPage(page)).toEqual([]);
      await field('recovery_code_label').fill('نادرست');
      await button('sign_in').click();
      await shown('کد بازیابی ده حرف و رقم دارد').waitFor();
      await field('recovery_code_label').fill((codes[0] ?? '').toUpperCase());
      await button('sign_in').click();
      await page.waitForURL('**/user/**');
    });

    await signOut();
    await reader.whileRefused(async () => {
      await givePassword(user);
      await button('use_recovery_instead').click();
      await field('recovery_code_label').fill(codes[0] ?? '');
      await button('sign_in').click();
      await shown('این کد بازیابی درست نیست').waitFor();
      await field('recovery_code_label').fill(codes[1] ?? '');
      await button('sign_in').click();
      await page.waitForURL('**/user/**');
    });
    await openSecurity();
    await button('totp_remove').click();
    await confirmByPassword('totp_remove');
    await toast('totp_removed').waitFor();
    await button('totp_set_up').waitFor();
    await signOut();
    await signIn(user);
  });

  test('a passkey as second step; the app or a passkey confirms instead of the password', async () => {
    const user = await openOwner();
    await signIn(user);
    await openSecurity();
    await addPasskey('تلفن');
    await page.getByRole('switch', { name: text('passkey_second_step_of', { name: 'تلفن' }) }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: text('proof_passkey'), exact: true }).click();
    expect(await lookAtPage(page)).toEqual([]);
    await dialog.getByRole('button', { name: text('passkey_second_step'), exact: true }).click();
    await heading('recovery_show_title').waitFor();
    await button('recovery_kept').click();
    await signOut();
    await reader.whileRefused(async () => {
      await givePassword(user);
      await heading('second_step_title').waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      await device.verifiesUser(false);
      await button('continue_with_passkey').click();
      await shown(text('passkey_cancelled')).waitFor();
      await device.verifiesUser(true);
      await button('continue_with_passkey').click();
      await page.waitForURL('**/user/**');
    });
    await openSecurity();
    const { secret } = await setUpAppWithoutCodes();
    await button('totp_remove').click();
    await dialog.getByRole('button', { name: text('proof_totp'), exact: true }).click();
    await field('code_label').fill(await freshCode(secret));
    await toast('totp_removed').waitFor();
  });

  /** As `setUpApp`, for an account that has recovery codes. */
  async function setUpAppWithoutCodes(): Promise<{ secret: string }> {
    await button('totp_set_up').click();
    await confirmByPassword('proceed');
    const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await field('code_label').fill(await freshCode(secret));
    await toast('totp_enabled').waitFor();
    await button('totp_remove').waitFor();
    return { secret };
  }

  test('a sign-in that expired, and a server that fails, are said and lead on', async () => {
    const user = await openOwner();
    await signIn(user);
    await openSecurity();
    await setUpApp();
    await button('recovery_kept').click();
    await reader.whileFailing('GET /user/factors', async () => {
      await page.goto(SECURITY);
      await heading('factors_failed').waitFor();
    });
    await button('try_again').click();
    await heading('recovery_heading')
      .or(page.getByText(text('recovery_heading'), { exact: true }))
      .first()
      .waitFor();
    await signOut();
    await reader.whileRefused(async () => {
      await givePassword(user);
      await field('code_label').waitFor();
      await page.context().clearCookies({ name: 'second_step' });
      await page.reload();
      await shown('زمان این ورود گذشته است').waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      await page.getByRole('link', { name: text('second_step_again'), exact: true }).click();
      await heading('sign_in_heading').waitFor();
    });
  });

  test('at an address without passkeys the panel says so in one sentence, and sign-in offers none', async () => {
    const user = await openOwner();
    const plain = await openBrowser(site.controlPlane.url);
    try {
      await plain.page.goto('/auth/passwordless?method=password');
      await plain.page.getByRole('heading', { name: text('sign_in_with_password') }).waitFor();
      expect(await plain.page.getByRole('button', { name: text('sign_in_with_passkey') }).count()).toBe(0);
      await enterPassword(plain.page, user.email);
      await plain.page.waitForURL('**/user/**');
      await plain.page.goto(SECURITY);
      await plain.page.getByText('گذرکلید در این نشانی کار نمی‌کند').waitFor();
      expect(await plain.page.getByRole('button', { name: text('passkey_add') }).count()).toBe(0);
      expect(await lookAtPage(plain.page)).toEqual([]);
      expect(plain.complaints).toEqual([]);
    } finally {
      await plain.close();
    }
    const old = await openBrowser(site.controlPlane.url.replace('127.0.0.1', 'localhost'));
    try {
      // A browser from before passkeys.
      await old.context.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));
      await old.page.goto('/auth/passwordless?method=password');
      await enterPassword(old.page, user.email);
      await old.page.waitForURL('**/user/**');
      await old.page.goto(SECURITY);
      await old.page.getByText(text('passkey_no_browser')).waitFor();
    } finally {
      await old.close();
    }
  });

  test('in English, with a passkey and an app, everything is said and nothing is too wide', async () => {
    const english = (key: string) => String(readTexts('en')[key]);
    const user = await openOwner();
    await signIn(user);
    await openSecurity();
    await addPasskey('Phone of Sara, with quite a long name');
    await setUpApp();
    await button('recovery_kept').click();
    await page.context().addCookies([{ name: 'locale', value: 'en', url: new URL(page.url()).origin }]);
    await page.goto(SECURITY);
    await page.getByRole('heading', { name: english('factors_heading'), exact: true }).waitFor();
    await page.getByText(english('passkeys_heading')).first().waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await lookAtPage(page)).toEqual([]);
    await reader.inspect('factors-en');
  });
});
