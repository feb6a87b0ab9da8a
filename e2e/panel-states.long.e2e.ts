import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { persian, pictureOf, type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

const API = '**/api/v1';

/**
 * Each screen, or a tab of it: a call that it cannot do without, what it says when that fails, and what it says when all is
 * well.
 */
const screens = [
  { path: '/user/dashboard', call: '/user/dashboard', failed: 'dashboard_failed', well: 'usage_week' },
  {
    path: '/user/dashboard',
    tab: 'month',
    call: '/user/dashboard/traffic*',
    failed: 'usage_failed',
    well: 'usage_month',
  },
  { path: '/user/configs', call: '/user/configs', failed: 'configs_failed', well: 'empty_title' },
  { path: '/user/wallet', call: '/user/wallet', failed: 'wallet_failed', well: 'total_deposits' },
  { path: '/user/wallet', call: '/user/wallet/transactions*', failed: 'transactions_failed', well: 'column_status' },
  {
    path: '/user/wallet?view=statement',
    call: '/user/wallet/statement*',
    failed: 'statement_failed',
    well: 'statement_text',
  },
  { path: '/user/payments', call: '/payments?*', failed: 'payments_failed', well: 'column_gateway' },
  { path: '/user/plans', call: '/user/subscriptions/plans', failed: 'plans_failed', well: 'plan_buy' },
  { path: '/user/plans', call: '/user/subscriptions', failed: 'subscription_failed', well: 'plan_buy' },
  { path: '/user/profile?tab=settings', call: '/user/settings', failed: 'settings_failed', well: 'settings_panel' },
  { path: '/user/servers', call: '/servers', failed: 'servers_failed', well: 'no_servers' },
] as const;

/** What the panel shows when things do not go well: faults, no network, a slow one, a session that is over, nothing, too much. */
describe.skipIf(whyNoBrowser)('the panel in bad weather', () => {
  const journey = openJourney({ USD_RATE_TOMAN: '100000', SAMPLE_DATA: 'on' });
  let site: Site;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    user = await signUp(site.controlPlane.url, site.mailbox, 'weather@mail.example');
    await activate(site.controlPlane, user.api, 5);
    // An account whose window was begun anew is not new, and has the whole dashboard.
    await user.api.resetDashboardTraffic({});
    await signInAtBrowser(page, user);
  });

  const says = (sentence: string) => page.getByText(sentence, { exact: true }).first().waitFor();
  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true }).first();
  /** The button that pays an amount; it says which. */
  const pay = () => page.getByRole('button', { name: new RegExp(`^${text('pay_amount', { amount: '' }).trim()}`) });
  /** As the server's own fault arrives. */
  const fault = (route: Route) =>
    route.fulfill({
      status: 500,
      json: { success: false, code: 'internal', message: 'خطای سرور', request_id: '0194f3a0-fault' },
    });
  const unreached = (route: Route) => route.abort();
  const without = async (pattern: string, answer: (route: Route) => Promise<void>, work: () => Promise<void>) => {
    await page.route(API + pattern, answer);
    await work();
    await page.unroute(API + pattern);
  };
  /** The mode is on for the last test only: here nothing may stand in for what is to be seen failing. */
  const asOutsideTests = (tab: Page) =>
    tab.route('**/user/**', async (route) => {
      if (route.request().resourceType() !== 'document') return await route.fallback();
      const response = await route.fetch();
      const body = (await response.text()).replace('data-sample-data="on"', 'data-sample-data="off"');
      return await route.fulfill({ response, body });
    });
  const open = async (tab: Page, screen: (typeof screens)[number]) => {
    await tab.goto(screen.path);
    if ('tab' in screen) await tab.getByRole('tab', { name: text(screen.tab), exact: true }).click();
  };
  /** Each screen in a tab of its own, three at a time: every tab holds one of the browser's six connections for its stream. */
  const onEach = async (work: (tab: Page, screen: (typeof screens)[number]) => Promise<void>) => {
    await page.goto('about:blank');
    for (let first = 0; first < screens.length; first += 3) {
      await Promise.all(
        screens.slice(first, first + 3).map(async (screen) => {
          const tab = await page.context().newPage();
          await asOutsideTests(tab);
          await work(tab, screen);
          await tab.close();
        }),
      );
    }
  };

  test('a fault: what failed, the number for support, another try, and all is well again', async () => {
    await onEach(async (tab, screen) => {
      const { call, failed, well } = screen;
      await tab.route(API + call, fault);
      await open(tab, screen);
      await tab.getByText(text(failed), { exact: true }).first().waitFor();
      await tab.getByText('0194f3a0-fault', { exact: true }).first().waitFor();
      await tab.unroute(API + call);
      await tab
        .getByRole('button', { name: text('try_again'), exact: true })
        .first()
        .click();
      await tab.getByText(text(well), { exact: true }).first().waitFor();
    });
    await asOutsideTests(page);
    await page.goto('/user/wallet');
    await without('/user/wallet', fault, async () => {
      await page.reload();
      await says(text('wallet_failed'));
      await reader.inspect('state-fault');
    });
  });

  test('what a button could not do is said beside it, in the words of the specification', async () => {
    const charge = await user.api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } });
    await page.goto('/user/wallet/charge');
    await without('/user/wallet/charge', fault, async () => {
      await page.getByRole('button', { name: text('toman', { amount: persian(100_000) }) }).click();
      await pay().click();
      await page.getByText('خطا در ایجاد درخواست پرداخت').waitFor();
    });
    await without('/user/wallet/verify', fault, async () => {
      await page.goto(`/user/wallet/charge?payment=${charge.transaction_id}&outcome=ok`);
      await page.getByText('خطا در تأیید پرداخت').waitFor();
    });
    await page.goto('/user/payments');
    await page
      .getByRole('button', { name: /^جزئیات/ })
      .first()
      .click();
    await button('payment_cancel').click();
    await without('/payments/*/cancel', fault, async () => {
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: text('payment_cancel') })
        .click();
      await page.getByText('خطا در لغو پرداخت').waitFor();
    });
    await page.goto('/user/profile?tab=security');
    await without('/user/export', unreached, async () => {
      await button('export_action').click();
      await page.getByText('فایل داده‌ها آماده نشد').waitFor();
    });
    await page.goto('/user/plans');
    await without('/user/subscriptions/quote*', fault, async () => {
      await button('plan_buy').click();
      await page.getByText('محاسبهٔ مبلغ ممکن نشد').waitFor();
    });
    await button('try_again').click();
    await page.getByRole('dialog').getByText(text('quote_due'), { exact: true }).waitFor();
    await without('/user/subscriptions/purchase', fault, async () => {
      await button('pay_now').click();
      await page.getByText('خطا در خرید اشتراک').waitFor();
    });
    await without('/currency/usd-rate', fault, async () => {
      await page.goto('/user/subscriptions?redeem=1');
      await page.getByText('نرخ دلار نرسید؛ دوباره تلاش می‌کنیم.').waitFor();
    });
    await without('/giftcards/**', unreached, async () => {
      await page.getByText('کارت‌پلاس').click();
      await page.getByText('خطا در ارتباط با فروشگاه. لطفاً مستقیماً به فروشگاه مراجعه کنید.').waitFor();
    });
    await page.reload();
    await without('/currency/refresh-usd-rate', fault, async () => {
      await button('rate_refresh').click();
      await page.getByText('خطا در به‌روزرسانی نرخ ارز').waitFor();
    });
    // An answer without a rate has updated nothing.
    await page.reload();
    await page.route('**/api/v1/currency/refresh-usd-rate', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), rate: null, timestamp: null } });
    });
    await button('rate_refresh').click();
    await page.getByText('خطا در به‌روزرسانی نرخ ارز').waitFor();
    await page.unroute('**/api/v1/currency/refresh-usd-rate');
    await button('rate_refresh').click();
    await page.getByText(text('rate_updated')).waitFor();
    // Without a code the button is off; pressed all the same, it asks for one.
    expect(await button('redeem_credit').getAttribute('aria-disabled')).toBe('true');
    await button('redeem_credit').press('Enter');
    await page.getByText('لطفاً کد گیفت کارت را وارد کنید.').first().waitFor();
    await page.getByLabel(text('gift_label')).fill('ABCD-EFGH-JKLM-NPQR');
    expect(await button('redeem_credit').getAttribute('aria-disabled')).toBeNull();
    await without('/giftcards/process', fault, async () => {
      await button('redeem_credit').click();
      await page.getByText('خطا در فعال‌سازی حساب').waitFor();
    });
  });

  test('offline: said on every screen, what was there stays, and comes back by itself', async () => {
    await page.goto('/user/wallet');
    await says(text('total_deposits'));
    // The name stands there before the sum does.
    const loading = page.locator('main').getByRole('status', { name: text('loading') });
    await expect.poll(() => loading.count()).toBe(0);
    await page.context().setOffline(true);
    try {
      await says(text('offline'));
      await says(text('total_deposits'));
      await reader.keepPicture('state-offline');
    } finally {
      await page.context().setOffline(false);
    }
    await page.getByText(text('offline')).waitFor({ state: 'detached' });
  });

  test('a slow network: the shape of the screen first, then its content', async () => {
    const slowly = async (route: Route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue();
    };
    await onEach(async (tab, screen) => {
      const { call, well } = screen;
      await tab.route(API + call, slowly);
      await open(tab, screen);
      await tab
        .getByRole('status', { name: text('loading') })
        .first()
        .waitFor();
      await tab.getByText(text(well), { exact: true }).first().waitFor();
    });
  });

  test('400 kbit/s and 400 ms: nothing gives up, every screen says that it is coming, and comes', async () => {
    await page.goto('about:blank');
    const tab = await page.context().newPage();
    await asOutsideTests(tab);
    const devtools = await page.context().newCDPSession(tab);
    await devtools.send('Network.enable');
    // A new visitor: nothing is in the browser's cache.
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    const bytesPerSecond = 400_000 / 8;
    const line = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
    await devtools.send('Network.emulateNetworkConditions', { offline: false, latency: 400, ...line });
    const loading = () =>
      tab
        .getByRole('status', { name: text('loading') })
        .first()
        .waitFor();

    await tab.goto('/user/dashboard', { waitUntil: 'commit' });
    // Its document has requested all of it, so there may be nothing left to wait for once the program runs.
    await tab.getByText(text('usage_week'), { exact: true }).first().waitFor();
    await tab.screenshot({ path: pictureOf('state-slow-dashboard') });
    const menu = tab.getByRole('navigation', { name: text('nav_label') }).first();
    for (const [link, well] of [
      ['nav_wallet', 'total_deposits'],
      ['nav_payments', 'column_gateway'],
      ['nav_plans', 'plan_buy'],
      ['nav_configs', 'empty_title'],
      ['nav_profile', 'profile_save'],
    ] as const) {
      await menu.getByRole('link', { name: text(link) }).click();
      await loading();
      await tab.getByText(text(well), { exact: true }).first().waitFor();
      expect(await tab.getByRole('alert').count()).toBe(0);
    }
    await tab.getByLabel(text('full_name_label'), { exact: true }).fill('سارا احمدی نو');
    await tab
      .getByRole('button', { name: text('profile_save'), exact: true })
      .first()
      .click();
    await tab.getByText(text('profile_saved')).waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);
    await tab.close();
  });

  test('a session that is over: the payments say so and lead to the sign-in', async () => {
    const over = (route: Route) =>
      route.fulfill({ status: 401, json: { success: false, code: 'unauthenticated', message: 'وارد شوید' } });
    await without('/payments?*', over, async () => {
      await page.goto('/user/payments');
      await says(text('session_over'));
      await reader.keepPicture('state-session-over');
      const link = page.getByRole('alert').getByRole('link', { name: text('sign_in') });
      expect(await link.getAttribute('href')).toBe('/auth/passwordless');
    });
  });

  test('five hundred configs: thirty cards, and more when asked for', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      id: `01999999-0000-7000-8000-${String(index).padStart(12, '0')}`,
      name: `دستگاه ${index}`,
      protocol: 'wireguard',
      status: index % 5 === 0 ? 'inactive' : 'active',
      service: index % 5 === 0 ? 'disconnected' : 'ok',
      applied: true,
      connected: false,
      keepKey: true,
      server: {
        id: '01999999-0000-7000-8000-00000000ffff',
        name: 'fra-1',
        location: { country: 'DE', city: 'Frankfurt' },
        ping: null,
        isOnline: true,
      },
      traffic_used: 1_000_000 * index,
      totalTraffic: 1_000_000 * index,
      uploaded: 0,
      downloaded: 0,
      lastUsed: null,
      last_connected: null,
      created_at: '2026-11-01T00:00:00.000Z',
    }));
    const list = (route: Route) => route.fulfill({ json: { success: true, data: { configs: many } } });
    await without('/user/configs', list, async () => {
      await page.goto('/user/configs');
      const cards = page.getByRole('tabpanel').getByRole('listitem');
      await page.getByRole('heading', { name: 'دستگاه 29' }).waitFor();
      expect(await cards.count()).toBe(30);
      await page.getByRole('button', { name: text('show_more', { count: persian(30) }) }).click();
      await page.getByRole('heading', { name: 'دستگاه 59' }).waitFor();
      expect(await cards.count()).toBe(60);
      await page.getByRole('tab', { name: new RegExp(text('filter_inactive')) }).click();
      await page.getByRole('heading', { name: 'دستگاه 145' }).waitFor();
      expect(await cards.count()).toBe(30);
      await reader.keepPicture('state-many');
    });
  });

  test('samples stand in where a call fails, under a banner, and credit nobody’s money', async () => {
    const before = (await user.api.getWallet()).data;
    await page.unrouteAll();
    await page.goto('/user/wallet');
    await says(text('total_deposits'));
    expect(await page.locator('[data-sample-banner]').count()).toBe(0);
    await page.route(`${API}/user/wallet*`, fault);
    await page.route(`${API}/user/wallet/**`, fault);
    await page.goto('/user/wallet/charge');
    await page.locator('[data-sample-banner]').waitFor();
    await page.getByRole('button', { name: text('toman', { amount: persian(50_000) }) }).click();
    await pay().click();
    await says(text('charge_done'));
    await says(text('toman', { amount: persian(100_000) }));
    await says(text('toman', { amount: persian(350_000) }));
    await page.locator('[data-sample-banner]').waitFor();
    await reader.inspect('state-samples');
    await page.unrouteAll();
    await page.goto('/user/wallet');
    await says(text('total_deposits'));
    expect(await page.locator('[data-sample-banner]').count()).toBe(0);
    expect((await user.api.getWallet()).data).toEqual(before);
    // What was made to fail was meant to.
    expect(
      reader.complaints.filter((complaint) => !/^[45]\d\d: |^console: Failed to load resource/.test(complaint)),
    ).toEqual([]);
  });
});
