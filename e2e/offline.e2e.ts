import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, persian, type Reader, text } from './world/browser.ts';
import { type Front, startFront } from './world/front.ts';
import { signUpFurnished } from './world/furnish.ts';
import { whyNoBrowser } from './world/journey.ts';
import { findWordsKept } from './world/kept-in-browser.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { enterPassword, setPassword } from './world/panel.ts';
import { createSite, type Site } from './world/site.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import type { TestUser } from './world/user.ts';

/** The panel where the net does not work, and what of a user stays in a browser (decision 87). */
describe.skipIf(whyNoBrowser)('without network', () => {
  let site: Site;
  let numbers: NumberNode;
  let front: Front;
  let reader: Reader;
  let page: Page;
  let niloufar: TestUser;
  let sara: TestUser;
  let file: string;

  stopAtFirstFailure();
  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    numbers = await openNumberNode(site);
    niloufar = await signUpFurnished(site, numbers, 'niloufar@mail.example', {
      user: 'نیلوفر راد',
      config: 'گوشی نیلوفر',
    });
    sara = await signUpFurnished(site, numbers, 'sara@mail.example', { user: 'سارا احمدی', config: 'لپ‌تاپ سارا' });
    for (const user of [niloufar, sara]) await setPassword(user);
    front = await startFront(site.controlPlane.port);
    reader = await openBrowser(front.url, { serviceWorkers: true });
    page = reader.page;
  });
  afterAll(async () => {
    await reader?.close();
    await front?.close();
    numbers?.close();
    await site?.close();
  });

  const lost = () => page.getByTestId('lost');
  const shownBalance = () => page.getByTestId('dashboard-balance').innerText();
  const balanceOf = async ({ api }: TestUser) => persian((await api.getWallet()).data.balance);
  const saveFile = async (name: string) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name }).first().click();
    return readFileSync(await (await download).path(), 'utf8');
  };
  async function signIn(user: TestUser): Promise<void> {
    await page.goto('/auth/passwordless?method=password');
    await enterPassword(page, user.email);
    await page.waitForURL('**/user/dashboard');
    await page.getByTestId('dashboard-balance').waitFor();
  }
  async function workerReady(): Promise<void> {
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  }

  test('the first visit keeps what the next one needs, and nothing of the user outside of one key', async () => {
    await signIn(niloufar);
    file = await saveFile(text('download_of', { name: 'گوشی نیلوفر' }));
    expect(file).toContain('[Interface]');
    await workerReady();
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(['last-known']);
    expect(await findWordsKept(page, [niloufar.email, niloufar.user.id, 'گوشی نیلوفر'])).toEqual([
      'localStorage last-known',
    ]);
    expect(reader.complaints).toEqual([]);
  });

  test('a reload without network shows the figures with their time, the guides, and the file', async () => {
    front.cut();
    await page.reload();
    await lost().waitFor();
    expect(await lost().innerText()).toMatch(/به رها نرسیدیم\s+آخرین خبر: ساعت [۰-۹]+:[۰-۹]+، /);
    expect(await shownBalance()).toContain(await balanceOf(niloufar));
    await page.getByText(text('unknown_now'), { exact: true }).waitFor();
    await reader.inspect('offline-dashboard');
    expect(reader.complaints.filter((words) => words.startsWith('offline-dashboard'))).toEqual([]);
    expect(await saveFile(text('offline_file', { name: '\u2068گوشی نیلوفر\u2069' }))).toBe(file);
    await page.getByRole('link', { name: text('offline_guide') }).click();
    await page.waitForURL('**/guides');
    await page.getByRole('heading', { name: 'اگر وصل نشد' }).waitFor();
    await page.goto('/user/dashboard');
    await lost().waitFor();
  });

  test('what needs the network says so; once it is back the figures are those of now', async () => {
    await lost()
      .getByRole('button', { name: text('try_again') })
      .click();
    await lost().waitFor();
    await page
      .getByRole('link', { name: text('nav_wallet') })
      .first()
      .click();
    await page
      .getByText(text('screen_failed'))
      .or(page.getByText(text('error_network')))
      .first()
      .waitFor();
    front.restore();
    await page.goto('/user/dashboard');
    await page.getByText(text('usage_week')).waitFor();
    expect(await lost().count()).toBe(0);
  });

  test('what the worker stays out of: the stream, files, and pages that are not the panel’s', async () => {
    reader.complaints.splice(0);
    await page.reload();
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    await page
      .getByTestId('presence')
      .filter({ visible: true, hasText: text('presence_online') })
      .first()
      .waitFor();
    expect(await saveFile(text('download_of', { name: 'گوشی نیلوفر' }))).toBe(file);
    for (const path of ['/', '/dev/outbox', '/user/profile']) {
      expect((await page.goto(path))?.status(), path).toBe(200);
    }
    await reader.whileRefused(async () => {
      expect((await page.goto('/admin'))?.status()).toBe(200);
      await page.getByRole('textbox').first().waitFor();
    });
    const kept = await page.evaluate(async () => {
      const caches_ = await Promise.all(
        (await caches.keys()).map(async (name) => await (await caches.open(name)).keys()),
      );
      return caches_.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(kept.filter((path) => !/^\/(assets|fonts)\/|^\/user\/dashboard$|^(\/en)?\/guides$/.test(path))).toEqual([]);
    expect(reader.complaints).toEqual([]);
  });

  test('signing out leaves nothing of the user, in whichever tab', async () => {
    await page.goto('/user/dashboard');
    await page.getByTestId('dashboard-balance').waitFor();
    const other = await page.context().newPage();
    await other.goto('/user/dashboard');
    await other.getByTestId('dashboard-balance').waitFor();
    await other.getByRole('button', { name: /حساب کاربری/ }).click();
    await other.getByRole('menuitem', { name: text('log_out') }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await other.waitForURL((url) => url.pathname === '/');
    const words = [niloufar.email, niloufar.user.id, 'نیلوفر', keyOf(file)];
    expect(await findWordsKept(page, words)).toEqual([]);
    await other.close();
  });

  test('a session that was ended elsewhere leaves nothing either', async () => {
    await signIn(niloufar);
    await saveFile(text('download_of', { name: 'گوشی نیلوفر' }));
    await expect.poll(() => findWordsKept(page, [keyOf(file)])).toEqual(['localStorage last-known']);
    front.cut();
    await page.goto('/user/dashboard');
    await lost().waitFor();
    await niloufar.api.endOtherSessions();
    front.restore();
    // The open page may hear of it first, and leave.
    await page.goto('/user/dashboard').catch(() => undefined);
    await page.waitForURL(({ pathname }) => !pathname.startsWith('/user'));
    expect(await findWordsKept(page, [niloufar.email, niloufar.user.id, keyOf(file)])).toEqual([]);
    reader.complaints.splice(0);
  });

  test('two people on one browser never see each other’s, even when the first has not signed out', async () => {
    await signIn(niloufar);
    await page.goto('about:blank');
    await page.context().clearCookies();
    await signIn(sara);
    expect(await findWordsKept(page, [niloufar.email, niloufar.user.id, 'نیلوفر'])).toEqual([]);
    front.cut();
    await page.reload();
    await lost().waitFor();
    const shown = await page.locator('body').innerText();
    expect(shown).toContain('سارا');
    expect(shown).toContain('لپ‌تاپ سارا');
    expect(shown).not.toContain('نیلوفر');
    front.restore();
  });

  test('a new release is there at the next visit, whole, and then without network as well', async () => {
    const filesOf = async () => await page.evaluate(assetsOnPage);
    await page.goto('/user/dashboard');
    await page.getByText(text('usage_week')).waitFor();
    expect((await filesOf()).some((path) => path.includes('/second/'))).toBe(false);
    front.release();
    reader.complaints.splice(0);
    await page.reload();
    await page.getByText(text('usage_week')).waitFor();
    expect((await filesOf()).filter((path) => !path.includes('/second/'))).toEqual([]);
    expect(reader.complaints).toEqual([]);
    await expect.poll(() => page.evaluate(isTakenOver, 'shell-second')).toBe(true);
    front.cut();
    await page.reload();
    await lost().waitFor();
    expect((await filesOf()).filter((path) => !path.includes('/second/'))).toEqual([]);
  });
});

/** The private key in a WireGuard file. */
function keyOf(file: string): string {
  return /PrivateKey = (\S+)/.exec(file)?.[1] ?? '';
}

/** Runs in the page: whether a release is kept, and the worker that keeps it is the one at work. */
async function isTakenOver(shell: string): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration();
  const isBusy = registration?.installing || registration?.waiting || registration?.active?.state !== 'activated';
  return !isBusy && (await (await caches.open(shell)).match('/user/dashboard')) !== undefined;
}

/** Runs in the page: the scripts and styles that it has loaded. */
function assetsOnPage(): string[] {
  return performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name).pathname)
    .filter((path) => path.startsWith('/assets/'));
}
