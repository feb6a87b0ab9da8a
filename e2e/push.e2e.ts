import type { CDPSession, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, openBrowser, type Reader, text } from './world/browser.ts';
import { enterPassword, setPassword } from './world/panel.ts';
import { createSite, type Site } from './world/site.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { signUp, type TestUser } from './world/user.ts';

/**
 * Notifications of a device while the panel is closed (decision 88). No browser of a test reaches a real push service: that one
 * call, `PushManager.subscribe`, has a stand-in that keeps an address in this browser, and Chromium's own tools deliver the message.
 * What is sent, and how it is encrypted, is tested in server/test/flows/push.test.ts.
 */
describe.skipIf(!findChromium())('notifications while the panel is closed', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let tools: CDPSession;
  let registrationId = '';
  const workerErrors: string[] = [];
  let niloufar: TestUser;
  let sara: TestUser;

  stopAtFirstFailure();
  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    niloufar = await signUp(site.controlPlane.url, site.mailbox, 'niloufar@mail.example');
    sara = await signUp(site.controlPlane.url, site.mailbox, 'sara@mail.example');
    for (const user of [niloufar, sara]) await setPassword(user);
    reader = await openBrowser(site.controlPlane.url, { serviceWorkers: true, full: true });
    page = reader.page;
    tools = await page.context().newCDPSession(page);
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      registrationId = registrations.at(-1)?.registrationId ?? registrationId;
    });
    tools.on('ServiceWorker.workerErrorReported', ({ errorMessage }) => workerErrors.push(errorMessage.errorMessage));
    await page.context().addInitScript(standInForPushService);
    await page.context().addInitScript(holdWorker);
  });
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });

  const push = (tab = page) => tab.getByRole('switch', { name: text('settings_push'), exact: true });
  const isOn = async (tab = page) => await push(tab).and(tab.locator('[aria-checked=true]')).count();
  const settle = (tab = page) => push(tab).and(tab.locator(':not([aria-disabled])')).waitFor();
  const openSettings = async (tab = page) => {
    await tab.goto('/user/profile?tab=settings');
    await settle(tab);
  };
  const permit = async (setting: 'prompt' | 'granted' | 'denied') => {
    const { browserContextId = '' } = (await tools.send('Target.getTargetInfo')).targetInfo;
    const permission = { name: 'notifications' };
    await tools.send('Browser.setPermission', { origin: site.controlPlane.url, permission, setting, browserContextId });
  };
  const isAddressKept = () => page.evaluate(() => localStorage.getItem('push-address') !== null);
  async function signIn(user: TestUser): Promise<void> {
    await page.goto('/auth/passwordless?method=password');
    await enterPassword(page, user.email);
    await page.waitForURL('**/user/dashboard');
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  }
  async function signOut(): Promise<void> {
    await page.getByRole('button', { name: /حساب کاربری/ }).click();
    await page.getByRole('menuitem', { name: text('log_out') }).click();
    await page.waitForURL((url) => url.pathname === '/');
  }

  test('nothing is asked until the switch is pressed; then it is on, also after a reload and in another tab', async () => {
    await permit('prompt');
    await signIn(niloufar);
    await openSettings();
    expect(await isOn()).toBe(0);
    await page.getByText(text('settings_push_text'), { exact: true }).waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('asked'))).toBe(null);
    await permit('granted');
    await expect.poll(() => page.evaluate(() => Notification.permission)).toBe('granted');
    await pressBeforeWorkerIsReady();
    const asked = () => page.evaluate(() => sessionStorage.getItem('asked'));
    await expect.poll(async () => ({ on: await isOn(), asked: await asked() })).toEqual({ on: 1, asked: '1' });
    await page.reload();
    await expect.poll(() => isOn()).toBe(1);
    await reader.inspect('settings-push');
    const other = await page.context().newPage();
    await openSettings(other);
    await expect.poll(() => isOn(other)).toBe(1);
    await other.close();
    expect(reader.complaints).toEqual([]);
  });

  test('what comes is shown, the latest in place of the one before, and a press opens the page that it is about', async () => {
    await tools.send('ServiceWorker.enable');
    await expect.poll(() => registrationId).not.toBe('');
    await deliver({ title: 'موجودی رو به پایان است', body: 'شارژ کنید.', path: '/user/wallet/charge', lang: 'fa' });
    const cut = { title: 'اینترنت قطع است', body: 'موجودی تمام شد.', path: '/user/wallet/charge', lang: 'fa' };
    await deliver(cut);
    await expect
      .poll(() => page.evaluate(shownNotifications))
      .toEqual([{ title: cut.title, body: cut.body, dir: 'rtl', lang: 'fa' }]);
    await pressNotification();
    await page.waitForURL('**/user/wallet/charge');
    // The next one takes its place, and would be put away with it.
    await expect.poll(() => page.evaluate(shownNotifications)).toEqual([]);
    await deliver({ title: 'Internet is back', body: 'Nothing to do.', path: 'https://evil.example/', lang: 'en' });
    await expect.poll(async () => (await page.evaluate(shownNotifications))[0]?.dir).toBe('ltr');
    await pressNotification();
    await page.waitForURL('**/user/dashboard');
    expect(workerErrors).toEqual([]);
    expect(reader.complaints).toEqual([]);
  });

  test('signing out ends it: the next user of this browser, and the same one, have it off', async () => {
    expect(await isAddressKept()).toBe(true);
    // The worker of this page is ready only when the session is over; what it would ask then, the server must not be asked.
    await page.evaluate(() => sessionStorage.setItem('hold-worker', 'asked'));
    await openSettings();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('hold-worker'))).toBe('held');
    await signOut();
    expect(reader.complaints).toEqual([]);
    await page.evaluate(() => sessionStorage.removeItem('hold-worker'));
    await signIn(sara);
    await expect.poll(isAddressKept).toBe(false);
    await openSettings();
    expect(await isOn()).toBe(0);
    await signOut();
    await signIn(niloufar);
    await openSettings();
    expect(await isOn()).toBe(0);
  });

  test('turned off, it is off at the browser as well', async () => {
    await push().click();
    await expect.poll(() => isOn()).toBe(1);
    await settle();
    await push().click();
    await expect.poll(() => isOn()).toBe(0);
    expect(await isAddressKept()).toBe(false);
  });

  test('where the browser refuses, or has none, the switch says why and does nothing', async () => {
    await permit('denied');
    await page.reload();
    await page.getByText(text('settings_push_refused'), { exact: true }).waitFor();
    await push().and(page.locator('[aria-disabled=true]')).waitFor();
    await reader.inspect('settings-push-refused');
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
    await page.reload();
    await page.getByText(text('settings_push_absent'), { exact: true }).waitFor();
    await push().and(page.locator('[aria-disabled=true]')).waitFor();
    expect(reader.complaints).toEqual([]);
  });

  /** As on a slow device: the page looks for an address of an earlier session while the server is being told the new one. */
  async function pressBeforeWorkerIsReady(): Promise<void> {
    await page.evaluate(() => sessionStorage.setItem('hold-worker', 'asked'));
    await openSettings();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('hold-worker'))).toBe('held');
    const isPush = (response: Response) => response.url().endsWith('/api/v1/user/push');
    await page.route('**/api/v1/user/push', async (route) => {
      if (route.request().method() === 'PUT') {
        const looked = page.waitForResponse((response) => isPush(response) && response.request().method() === 'GET');
        await page.evaluate(() => sessionStorage.removeItem('hold-worker'));
        await looked;
      }
      await route.fallback();
    });
    await push().click();
    await expect.poll(isAddressKept).toBe(true);
    await settle();
    await page.unroute('**/api/v1/user/push');
  }

  async function deliver(message: object): Promise<void> {
    const origin = site.controlPlane.url;
    await tools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) });
  }

  async function pressNotification(): Promise<void> {
    const [worker] = page.context().serviceWorkers();
    await worker?.evaluate(pressShown);
  }
});

/** Runs in the page before its own scripts. The address is a push service's, so the server takes it; nothing is sent there. */
function standInForPushService(): void {
  if (!('PushManager' in window)) return;
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const subscription = () => {
    const endpoint = localStorage.getItem('push-address');
    const unsubscribe = async () => {
      localStorage.removeItem('push-address');
      return true;
    };
    return endpoint
      ? ({ endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe } as unknown as PushSubscription)
      : null;
  };
  PushManager.prototype.getSubscription = async () => subscription();
  PushManager.prototype.subscribe = async (options) => {
    if (!options?.userVisibleOnly || String(options.applicationServerKey).length !== 87)
      throw new Error('not as asked');
    localStorage.setItem('push-address', 'https://fcm.googleapis.com/fcm/send/nobody');
    return subscription() as PushSubscription;
  };
  const ask = Notification.requestPermission.bind(Notification);
  Notification.requestPermission = async () => {
    sessionStorage.setItem('asked', String(Number(sessionStorage.getItem('asked')) + 1));
    return await ask();
  };
}

/** Runs in the page before its own scripts. */
function holdWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  const register = ServiceWorkerContainer.prototype.register;
  const isHeld = () => sessionStorage.getItem('hold-worker') !== null && document.cookie.includes('auth_token=');
  ServiceWorkerContainer.prototype.register = async function (...script) {
    const registration = await register.apply(this, script);
    if (isHeld()) sessionStorage.setItem('hold-worker', 'held');
    while (isHeld()) await new Promise((resolve) => setTimeout(resolve, 5));
    return registration;
  };
}

/** Runs in the page. */
async function shownNotifications(): Promise<{ title: string; body: string; dir: string; lang: string }[]> {
  const registration = await navigator.serviceWorker.ready;
  return (await registration.getNotifications()).map(({ title, body, dir, lang }) => ({ title, body, dir, lang }));
}

/**
 * Runs in the service worker: the event of a press, which only the system's own list can send otherwise. Such an event keeps no
 * worker alive, and only a real one may bring a tab to the front.
 */
async function pressShown(): Promise<void> {
  const worker = self as unknown as {
    registration: ServiceWorkerRegistration;
    dispatchEvent(event: Event): void;
    NotificationEvent: new (name: string, options: object) => Event;
  };
  const [notification] = await worker.registration.getNotifications();
  const event = new worker.NotificationEvent('notificationclick', { notification });
  Object.assign(event, { waitUntil: (work: Promise<unknown>) => work.catch(() => undefined) });
  worker.dispatchEvent(event);
}
