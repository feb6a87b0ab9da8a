import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrolWith, type FakeNode } from '../server/test/fake-node.ts';
import { persian, type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { AT_OPERATOR, keepReach } from './world/operator.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/** From ARIA's question to a config, what its server says of it, and what the wallet says it has cost. */
describe.skipIf(whyNoBrowser)('servers, connections and the statement', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;
  let user: TestUser;
  let node: FakeNode;
  let isOver = false;
  let polling: Promise<void>;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    await site.controlPlane.raha('settings', 'set', 'trial.passwordlessDays', '0');
    const { token } = await site.controlPlane.raha<{ token: string }>(
      ...['nodes', 'add', '--name', 'fra-1', '--country', 'DE', '--city', 'Frankfurt', '--address', '198.51.100.2'],
    );
    node = await enrolWith({ origin: site.controlPlane.url }, token);
    node.wireguardPorts = [53, 123, 8443, 25_000];
    node.protocols = ['wireguard', 'openvpn'];
    await node.report([]);
    await node.settle();
    // Like an agent, polls again after each response; that is how it answers a probe.
    const poll = async () => {
      while (!isOver) await node.sync(5).catch(() => new Promise((resolve) => setTimeout(resolve, 200)));
    };
    polling = poll();
    user = await signUp(site.controlPlane.url, site.mailbox, 'chooser@mail.example');
    await activate(site.controlPlane, user.api, 5);
    await signInAtBrowser(page, user);
  });
  afterAll(async () => {
    isOver = true;
    await polling?.catch(() => undefined);
  });
  stopAtFirstFailure();

  const button = (key: string, values: Record<string, string> = {}) =>
    page.getByRole('button', { name: text(key, values), exact: true });

  test('ARIA measures the real servers, suggests one that answers, and ends in a config on it', async () => {
    await keepReach(site.controlPlane);
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': AT_OPERATOR });
    const advice = page.getByRole('region', { name: text('reach_title', { operator: 'همراه اول' }) });
    await page.goto('/user/configs');
    await page.getByRole('link', { name: text('aria_open') }).click();
    await page.getByText(text('aria_real_note')).waitFor();
    await page.getByText('بررسی و پیشنهاد').waitFor();
    // What users answered at TCP, and of what servers counted at the usual port of WireGuard the share.
    await advice.getByText(/^۹۶٪ از ۲۴ نفر گفتند وصل شد، /).waitFor();
    await advice.getByText(/^۶۴٪ از ۳۲۰ تلاش وصل شد، /).waitFor();
    await advice.getByText(/^۳٪ از ۱٬۴۸۰ تلاش وصل شد، /).waitFor();
    await reader.keepPicture('aria-real');
    await page.getByText('بررسی و پیشنهاد').click();
    await page.getByText(text('aria_fewer')).waitFor();
    await page.getByText(/همین حالا در .* به ما پاسخ داد/).waitFor();
    await page.getByText(/^چون .*[۰-۹]/).waitFor();
    await reader.inspect('aria-suggestions');
    await page.getByRole('button', { name: new RegExp(`^${text('aria_create')}`) }).click();
    await page.getByLabel(text('config_name'), { exact: true }).fill('گوشی من');
    await page
      .getByRole('dialog')
      .getByRole('radio', { name: /فرانکفورت/ })
      .waitFor();
    // Not the port that no server accepts, though all got through there.
    await expect
      .poll(() =>
        page
          .getByRole('dialog')
          .getByText(/٪ از .* وصل شد، /)
          .count(),
      )
      .toBe(3);
    await reader.inspect('create-with-reach');
    await button('create_config').click();
    await page.getByRole('dialog').getByText(text('download_file')).waitFor();
    await button('reach_yes').scrollIntoViewIfNeeded();
    await reader.keepPicture('did-it-connect');
    await button('reach_yes').click();
    await page.getByText(text('reach_thanks'), { exact: true }).waitFor();
    await page.setExtraHTTPHeaders({});
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('close'), exact: true })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText(text('aria_made_text')).waitFor();
    await reader.keepPicture('aria-made');
    await page.getByRole('link', { name: text('aria_to_configs') }).click();
    await page.getByRole('heading', { name: 'گوشی من' }).waitFor();
  });

  test('the network is told as it is, and again when asked', async () => {
    const card = page.getByRole('region', { name: text('network_title') });
    await card.getByText(text('network_unprotected'), { exact: true }).waitFor();
    await card.getByText('127.0.0.1').waitFor();
    const asked = page.waitForResponse('**/api/v1/network/status');
    await button('network_refresh').click();
    expect((await asked).status()).toBe(200);
  });

  test('a device comes, its bytes pass, and both stand in the history and in the statement', async () => {
    const config = (await user.api.listConfigs()).data.configs[0]?.id ?? '';
    for (const down of [3_000_000, 9_000_000])
      await node.report([{ config, down }], { tunnels: [{ config, handshakeAgeSeconds: 1, pingMs: 42 }] });
    await page
      .getByText(text('connected_to', { country: 'آلمان' }))
      .first()
      .waitFor();
    await button('history_title').click();
    const history = page.getByRole('region', { name: text('history_title') });
    await history.getByText(text('history_now')).waitFor();
    await history.getByText('۹ مگابایت').waitFor();
    await reader.inspect('configs-connected');
    await page.goto('/user/wallet?view=statement');
    await page.locator('[aria-controls^="day-"]').first().click();
    await page.getByRole('cell', { name: text('toman', { amount: persian(3_000) }) }).waitFor();
    await page.getByRole('cell', { name: text('toman', { amount: persian(27) }) }).waitFor();
    await button('ledger_show').click();
    await page.getByText(/جمع این سطرها/).waitFor();
    await reader.inspect('statement');
  });

  test('the statement is a file for spreadsheets', async () => {
    const downloading = page.waitForEvent('download');
    await button('statement_export').click();
    const bytes = readFileSync(await (await downloading).path());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(bytes.toString('utf8')).toMatch(/\r\n14\d\d\/\d\d\/\d\d,مصرف,گوشی من,9000000,3000,27,,/);
    await page.getByText(text('statement_exported')).waitFor();
  });

  test('the block list of a server is offered, takes effect at once, and blocked queries are shown as a number', async () => {
    const config = (await user.api.listConfigs()).data.configs[0]?.id ?? '';
    const health = {
      load: 0.1,
      tunnelsUp: true,
      unmeteredUpperBoundBytes: 0,
      agentVersion: 'fake',
      blockedNames: 120_000,
    };
    await page.goto('/user/profile?tab=settings');
    await page.getByRole('heading', { name: text('settings_panel') }).waitFor();
    expect(await page.getByRole('switch', { name: text('dns_filtering_label') }).count()).toBe(0);
    await node.report([], { health, blockedQueries: [{ config, count: 1_240 }] });
    await page.reload();
    const blockSwitch = page.getByRole('switch', { name: text('dns_filtering_label') });
    await blockSwitch.click();
    await page.getByText(text('settings_saved')).first().waitFor();
    await expect.poll(() => node.peers.get(config)?.dnsFiltering, { timeout: 10_000 }).toBe(true);
    const card = page.getByRole('region', { name: text('dns_filtering_title') });
    expect(await card.getByText(persian(1_240), { exact: true }).count()).toBe(2);
    await reader.inspect('dns-filtering');
    await blockSwitch.click();
    await expect.poll(() => node.peers.get(config)?.dnsFiltering, { timeout: 10_000 }).toBe(undefined);
  });

  test('the demonstration says that it is one; ARIA, the map, and a choice made while connecting', async () => {
    await page.goto('/user/servers?mode=demo');
    await page.getByText(text('aria_demo_note')).waitFor();
    const cities = page.getByRole('list', { name: 'شهرها' }).getByRole('button');
    await cities.first().waitFor();
    expect(await cities.count()).toBe(8);
    await page.getByRole('button', { name: 'نمایش همهٔ شهرها' }).click();
    expect(await cities.count()).toBe(28);
    await page.getByText('امنیت').click();
    await page.getByText('بررسی و پیشنهاد').click();
    await page.getByText('آریا در حال سنجیدن سرورها…').waitFor();
    await page.getByText('برای تماشای ویدیو، این سه سرور را پیشنهاد می‌کنم:').waitFor();
    expect(await page.getByText(/^چون سرور ویژه است و پینگش [۰-۹]+ میلی‌ثانیه است\.$/).count()).toBe(3);
    await reader.inspect('aria-demo');
    await page.getByRole('button', { name: 'اتصال فرانکفورت' }).click();
    await page.getByText('در حال اتصال به فرانکفورت…').waitFor();
    // Ignored: it is connecting.
    await cities.filter({ hasText: 'لندن' }).click();
    await page.getByText('به فرانکفورت متصل شدید').waitFor();
    await reader.keepPicture('aria-demo-connected');
    await page.getByRole('button', { name: 'قطع اتصال' }).click();
    await page.getByText('متصل نیست').waitFor();
    await page.getByRole('button', { name: 'شروع دوباره' }).click();
    expect(await page.getByRole('radio', { name: 'امنیت' }).isChecked()).toBe(true);
  });

  test('without the map the list of places is enough, and the screen says so', async () => {
    await page.route('**/assets/world-map-*.js', (route) => route.abort());
    const before = reader.complaints.length;
    await page.reload();
    await page.locator('[data-map-error]').waitFor();
    await page
      .getByRole('button', { name: /فرانکفورت/ })
      .first()
      .waitFor();
    reader.complaints.splice(before);
    await page.unroute('**/assets/world-map-*.js');
  });

  test('and all of it in English', async () => {
    await page.context().addCookies([{ name: 'locale', value: 'en', url: site.controlPlane.url }]);
    await page.goto('/user/configs');
    await page.getByText('Not protected', { exact: true }).waitFor();
    await page.goto('/user/servers');
    await page.getByText('Round trips and loads are measured by the servers themselves.').waitFor();
    await page.getByText('Analyse and suggest').click();
    await page.getByText('These servers answer now:').waitFor();
    await reader.keepPicture('aria-english');
    await page.goto('/user/wallet?view=statement');
    await page.locator('[aria-controls^="day-"]').first().click();
    await page.getByRole('columnheader', { name: 'Price per GB' }).waitFor();
    await reader.keepPicture('statement-english');
    expect(reader.complaints).toEqual([]);
  });
});
