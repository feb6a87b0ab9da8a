import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { loadCold } from './world/first-load.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/** What the first page costs somebody whose browser has nothing of it, while a device is connected. */
const FIRST_LOAD = { requests: 11, kb: 120 };

/** The first page of the panel: of somebody new, then of somebody with money, a config and usage. */
describe.skipIf(whyNoBrowser)('the dashboard', () => {
  const journey = openJourney();
  let site: Site;
  let numbers: NumberNode;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    numbers = await openNumberNode(site);
    user = await signUp(site.controlPlane.url, site.mailbox, 'first@mail.example');
    await signInAtBrowser(page, user);
  });
  afterAll(() => numbers?.close());

  const region = (key: string) => page.getByRole('region', { name: text(key), exact: true });
  const chart = () => page.getByRole('slider', { name: text('usage_chart_label') });

  test('of somebody new: nothing yet, and the way to begin', async () => {
    await page.goto('/user/dashboard');
    const steps = page.getByTestId('first-steps');
    await steps.getByText(user.email).waitFor();
    await page.getByText(text('subscription_promise')).waitFor();
    // One step is lit; what would refuse now is not there.
    expect(await steps.locator('[aria-current=step] h3').innerText()).toBe(text('first_card'));
    for (const key of ['charge_wallet', 'new_config', 'create_new_config', 'first_make_desk'])
      expect(await page.getByText(text(key), { exact: true }).count(), key).toBe(0);
    expect(await page.locator('a[href^="/user/wallet/charge"]').count()).toBe(0);
    await reader.inspect('first-card');
    await steps.getByRole('link', { name: text('first_have_card') }).click();
    await page.getByLabel(text('gift_label')).waitFor();
    await page.goto('/user/configs');
    await page.getByText(text('not_activated_title')).waitFor();
    expect(await page.getByRole('button', { name: text('new_config') }).count()).toBe(0);
    await page.goto('/user/dashboard');
  });

  test('once activated a config is one press away, for this computer or for a phone; then the device is waited for', async () => {
    await activate(site.controlPlane, user.api, 5);
    const steps = page.getByTestId('first-steps');
    await steps.getByRole('button', { name: text('first_make_desk') }).waitFor();
    await steps.getByText(text('first_name_desk', { name: 'سارا' })).waitFor();
    await reader.inspect('first-device');
    await steps.getByRole('button', { name: text('first_make_qr') }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('img', { name: text('qr_of', { name: text('first_name_phone', { name: 'سارا' }) }) })
      .waitFor();
    await dialog.getByText(text('guide_scan')).waitFor();
    await reader.inspect('first-code');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await steps.locator('[aria-current=step] h3').innerText()).toBe(text('first_connected'));
    await steps.getByRole('button', { name: text('first_file') }).waitFor();
    await reader.inspect('first-connect');
    const [config] = (await user.api.listConfigs()).data.configs;
    await numbers.node.settle();
    await numbers.node.report([], { tunnels: [{ config: config?.id ?? '', handshakeAgeSeconds: 1, pingMs: 31 }] });
    await page.locator('section[data-state=connected]').waitFor();
    await steps.waitFor({ state: 'detached' });
    await page.getByTestId('dashboard-balance').getByText(persian(500_000)).waitFor();
    await user.api.deleteConfig({ params: { id: config?.id ?? '' } });
  });

  test('balance, traffic, subscription, movements and configs arrive while the page is open', async () => {
    const { data } = await user.api.listServers();
    const made = await user.api.createConfig({
      body: { name: 'گوشی سارا', serverId: data.servers[0]?.id ?? '', protocol: 'wireguard', keepKey: true },
    });
    await numbers.node.settle();
    await numbers.pass(made.data.config.id, 12_340_000_000);
    const configs = region('active_configs');
    await configs.getByText('گوشی سارا').waitFor();
    expect(await configs.getByRole('listitem').innerText()).toMatch(/WireGuard/i);
    await page
      .getByTestId('today-traffic')
      .getByText(`${persian(12)}٫۳۴`)
      .waitFor();
    await region('recent_payments').getByRole('listitem').first().waitFor();
    expect(await region('recent_payments').getByRole('listitem').count()).toBeLessThanOrEqual(4);
    await page.getByRole('heading', { level: 1, name: text('nav_dashboard') }).waitFor({ state: 'attached' });
    await page.getByText('سارا', { exact: true }).first().waitFor();
    // Beside the greeting it is said whether the panel is live, on a phone as well.
    for (const size of [sizes.narrow, sizes.wide]) {
      await page.setViewportSize(size);
      await page.getByRole('banner').getByText(text('presence_online'), { exact: true }).waitFor();
    }
    await reader.inspect('dashboard');
  });

  test('the chart is read with the pointer, the keyboard and as a table: high, medium, low', async () => {
    await chart().focus();
    expect(await chart().getAttribute('aria-valuetext')).toContain(text('usage_medium'));
    // Right to left: the days go on to the left.
    await page.keyboard.press('ArrowRight');
    expect(await chart().getAttribute('aria-valuetext')).toContain(text('usage_low'));
    await page.keyboard.press('End');
    expect(await chart().getAttribute('aria-valuetext')).toContain(text('usage_medium'));
    await page.keyboard.press('Home');
    expect(await chart().getAttribute('aria-valuenow')).toBe('1');
    const box = await chart().boundingBox();
    await page.mouse.move((box?.x ?? 0) + 4, (box?.y ?? 0) + 60);
    await expect.poll(() => chart().getAttribute('aria-valuenow')).toBe('7');
    const table = page.getByRole('table', { name: text('usage_chart_label') });
    expect(await table.getByRole('row').count()).toBe(8);
    await page.getByRole('tab', { name: text('month') }).click();
    await expect.poll(() => table.getByRole('row').count()).toBe(31);
    await page.getByRole('heading', { name: text('usage_month') }).waitFor();
    await numbers.pass((await user.api.listConfigs()).data.configs[0]?.id ?? '', 11_000_000_000);
    await page.reload();
    await expect.poll(() => chart().getAttribute('aria-valuetext'), { timeout: 15_000 }).toContain(text('usage_high'));
  });

  test('a new window begins at nothing; today’s figure stays', async () => {
    await page.getByRole('button', { name: text('traffic_reset') }).click();
    await page.getByText(text('traffic_was_reset')).waitFor();
    await expect.poll(() => page.getByTestId('total-traffic').innerText()).toMatch(/^۰/);
    expect((await user.api.getDashboard()).data.quickStats.todayTraffic).toBeGreaterThan(20_000_000_000);
  });

  test('a config’s file and QR are one press away; history and charge as well', async () => {
    await page.getByRole('button', { name: text('show_qr_of', { name: 'گوشی سارا' }) }).click();
    await page.getByRole('dialog').getByRole('img').first().waitFor();
    await page.keyboard.press('Escape');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: text('download_of', { name: 'گوشی سارا' }) }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.conf$/);
    await page.getByRole('link', { name: text('charge'), exact: true }).click();
    await page.waitForURL('**/user/wallet/charge');
    await page.goBack();
    await page.getByRole('link', { name: text('history'), exact: true }).click();
    await page.waitForURL('**/user/wallet');
    await page.goBack();
    await page.getByRole('link', { name: text('view_all_transactions') }).click();
    await page.waitForURL('**/user/wallet');
  });

  test('whatever the protocol, an active config is viewed there; where no file is of use, the download leads to the guide', async () => {
    await page.goto('/user/dashboard');
    await numbers.node.serveOpenvpn();
    await numbers.node.serveIkev2();
    const serverId = (await user.api.listServers()).data.servers[0]?.id ?? '';
    const id = (await user.api.listConfigs()).data.configs[0]?.id ?? '';
    await numbers.node.report([], { tunnels: [{ config: id, handshakeAgeSeconds: 1, pingMs: 31 }] });
    for (const protocol of ['openvpn', 'ikev2'] as const)
      await user.api.createConfig({ body: { name: `دستگاه ${protocol}`, serverId, protocol } });
    await numbers.node.settle();
    const configs = region('active_configs');
    const dialog = page.getByRole('dialog');
    const closed = async () => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    for (const name of ['گوشی سارا', 'دستگاه openvpn', 'دستگاه ikev2']) {
      await configs.getByRole('button', { name, exact: true }).click();
      await dialog.getByRole('tab', { name: 'Linux' }).waitFor();
      await closed();
    }
    for (const name of ['دستگاه openvpn', 'دستگاه ikev2']) {
      await configs.getByRole('button', { name: text('show_guide_of', { name }) }).click();
      await dialog.getByRole('tab', { name: 'Linux' }).waitFor();
      await closed();
    }
    // This browser is on Linux, which has no profile of its own.
    await configs.getByRole('button', { name: text('download_of', { name: 'دستگاه ikev2' }) }).click();
    await dialog.getByText('network-manager-strongswan').waitFor();
    await closed();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      configs.getByRole('button', { name: text('download_of', { name: 'دستگاه openvpn' }) }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.ovpn$/);
    await page.setViewportSize(sizes.narrow);
    await configs.getByText('۳۱', { exact: false }).first().waitFor();
    await reader.inspect('dashboard-protocols');
  });

  test('a greeting makes way for a name that would not fit beside it; the name stays whole', async () => {
    await user.api.updateProfile({ body: { name: 'الکساندرا احمدی' } });
    await page.reload();
    const name = page.getByRole('banner').getByText('الکساندرا', { exact: true });
    const greeting = page.getByRole('banner').getByText(text('greeting'), { exact: true });
    await name.waitFor();
    for (const [size, isGreeted] of [
      [sizes.wide, true],
      [sizes.narrow, false],
    ] as const) {
      await page.setViewportSize(size);
      // Until the typeface is there, words have other widths.
      const isInLine = async (part: typeof name) => {
        const [line, box] = [await name.locator('..').boundingBox(), await part.boundingBox()];
        return box && line && box.y >= line.y - 1 && box.y + box.height <= line.y + line.height + 1;
      };
      await expect.poll(() => isInLine(name)).toBe(true);
      await expect.poll(() => name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      await expect.poll(() => isInLine(greeting)).toBe(isGreeted);
    }
    await page.setViewportSize(sizes.wide);
  });

  test('a first view asks for nothing twice, and its first calls do not wait for the program', async () => {
    const calls: string[] = [];
    const count = (request: Request) => {
      // The document before may ask for something until this one is there.
      if (request.isNavigationRequest()) calls.length = 0;
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`);
    };
    page.on('request', count);
    await page.goto('/user/dashboard');
    await region('active_configs').getByText('گوشی سارا').waitFor();
    // The first event of the stream has been applied.
    await page.getByRole('banner').getByText(text('presence_online'), { exact: true }).waitFor();
    await expect.poll(() => calls).toContain('GET /api/v1/notifications');
    page.off('request', count);
    expect(calls.slice(0, 2).sort()).toEqual(['GET /api/v1/auth/me', 'GET /api/v1/user/dashboard']);
    expect(calls.filter((call, index) => calls.indexOf(call) !== index)).toEqual([]);
    // The dashboard's answer brings these along.
    expect(calls).not.toContain('GET /api/v1/connection/status');
    expect(calls).not.toContain('GET /api/v1/user/configs');
  });

  test('a cold start asks for little', async () => {
    const loaded = await loadCold(reader.context, '/user/dashboard');
    const kb = Math.round(loaded.reduce((sum, { bytes }) => sum + bytes, 0) / 102.4) / 10;
    const lines = loaded.map(({ path, bytes }) => `${bytes} ${path}`);
    process.stdout.write(`${[`${loaded.length} requests, ${kb} KB:`, ...lines].join('\n  ')}\n`);
    expect(loaded.length).toBeLessThanOrEqual(FIRST_LOAD.requests);
    expect(kb).toBeLessThanOrEqual(FIRST_LOAD.kb);
  });

  test('a page that does not come says so, with a number for support, and comes when asked again', async () => {
    await reader.whileFailing('GET /user/dashboard', async () => {
      await page.goto('/user/dashboard');
      await page.getByText(text('dashboard_failed')).waitFor();
      await page.getByText('0194f3a0-fault').waitFor();
    });
    await page.getByRole('button', { name: text('try_again') }).click();
    await region('active_configs').waitFor();
  });

  test('in a trial that needs no card: used, and yet no movement; the way to charge, and to a config', async () => {
    await site.controlPlane.raha('settings', 'set', 'trial.requiresActivation', 'false');
    const other = await signUp(site.controlPlane.url, site.mailbox, 'trial@mail.example');
    const serverId = (await other.api.listServers()).data.servers[0]?.id ?? '';
    const { data } = await other.api.createConfig({ body: { name: 'تبلت', serverId, keepKey: true } });
    await numbers.node.settle();
    await numbers.pass(data.config.id, 2_000_000);
    await other.api.deleteConfig({ params: { id: data.config.id } });
    await page.context().clearCookies();
    await signInAtBrowser(page, other);
    await page.goto('/user/dashboard');
    await region('recent_payments').getByText(text('transactions_empty')).waitFor();
    expect(await page.getByTestId('dashboard-balance').innerText()).toContain(persian(0));
    await region('recent_payments')
      .getByRole('link', { name: text('charge_wallet') })
      .waitFor();
    await region('active_configs').getByText(text('no_active_configs')).waitFor();
    await region('active_configs')
      .getByRole('link', { name: text('create_new_config') })
      .click();
    await page.waitForURL('**/user/configs');
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
