import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openBrowser, type Reader, text } from './world/browser.ts';
import { checkBooks, issueGiftCards } from './world/control-plane.ts';
import { keepLastSight } from './world/last-sight.ts';
import { waitForCode } from './world/mailbox.ts';
import { addresses } from './world/network.ts';
import { until } from './world/processes.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/**
 * The main job as a user lives it: Chromium in Persian on one side, a real tunnel on the other. From the moment the
 * configs are on the screen the page is never loaded again, and still shows what happens.
 */
const EMAIL = 'mina@example.com';
const whyNot = whyNoTunnels() ?? (findBrowser() ? undefined : 'a browser is needed');

describe.skipIf(whyNot)('the main job in a browser', () => {
  let world: World;
  let reader: Reader;
  let page: Page;
  let file: string;

  stopAtFirstFailure();
  beforeAll(async () => {
    // 2,000,000 toman per GB: a card of one dollar buys 50 MB.
    world = await createWorld({
      isFirstStart: true,
      environment: { USD_RATE_TOMAN: '100000' },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': 2_000 },
    });
    reader = await openBrowser(world.controlPlane.url);
    page = reader.page;
  });
  afterAll(async () => {
    await reader?.close();
    await world?.close();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepLastSight();
    expect(reader.complaints.splice(0)).toEqual([]);
    expect(await checkBooks(world.controlPlane)).toBe('ok');
  });

  test('the landing page leads in', async () => {
    await page.goto('/');
    await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl');
    await reader.inspect('landing');
    await page.locator('a[href^="/auth/passwordless"]').first().click();
    await page.getByRole('heading', { name: text('sign_in_heading') }).waitFor();
  });

  test('sign in: a wrong address and a wrong code are refused in Persian, the right code is taken', async () => {
    const email = page.getByLabel(text('email_label'), { exact: true });
    await email.fill('mina@');
    await button('continue_with_email').click();
    await page.getByText('لطفاً ایمیل معتبر وارد کنید').waitFor();
    await reader.inspect('sign-in');
    await email.fill(EMAIL);
    await button('continue_with_email').click();
    const code = page.getByLabel(text('code_label'));
    await code.waitFor();
    await reader.inspect('sign-in-code');
    const right = await waitForCode(world.mailbox, EMAIL);
    await reader.whileRefused(async () => {
      await code.fill(right === '111111' ? '222222' : '111111');
      await page.getByText('کد تایید نامعتبر است').first().waitFor();
    });
    // As a Persian keyboard writes it.
    await code.fill([...right].map((digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]).join(''));
    await page.getByRole('heading', { name: text('profile_heading') }).waitFor();
  });

  test('complete the profile', async () => {
    const name = page.getByLabel(text('full_name_label'));
    await name.fill('م');
    await button('complete_registration').click();
    await page.getByText('نام باید حداقل ۲ حرف باشد').waitFor();
    await reader.inspect('sign-in-profile');
    await name.fill('مینا رضایی');
    await button('complete_registration').click();
    await page.waitForURL('**/user/dashboard');
    await page.getByRole('link', { name: text('first_have_card') }).waitFor();
    await reader.inspect('dashboard-new');
  });

  test('before activation everything says so', async () => {
    await page.goto('/user/configs');
    await page.getByText(text('not_activated_title')).waitFor();
    await reader.inspect('configs-inactive');
    await page.goto('/user/wallet');
    await page.getByText(text('wallet_needs_activation')).waitFor();
    await reader.inspect('wallet-inactive');
    await page.goto('/user/wallet/charge');
    await page.getByText(text('wallet_needs_activation')).waitFor();
    await reader.inspect('charge-inactive');
  });

  test('activate: unusable codes are refused with a reason, a card is taken', async () => {
    await page.goto('/user/subscriptions');
    const field = page.getByLabel(text('gift_label'));
    await field.waitFor();
    const refusals = [
      ['TEST-1234', 'این کد گیفت کارت معتبر نیست.'],
      ['AB', 'کد گیفت کارت باید بین ۸ تا ۲۴ کاراکتر باشد.'],
      ['ABCDEFGHIJ-', 'فرمت کد گیفت کارت نامعتبر است.'],
    ] as const;
    for (const [code, sentence] of refusals) {
      await field.fill(code);
      await button('redeem').click();
      await page.getByText(sentence).first().waitFor();
    }
    await reader.inspect('activation');
    const codes = await issueGiftCards(world.controlPlane, 1, 1);
    const good = codes[0]!;
    await reader.whileRefused(async () => {
      await field.fill(good.slice(0, -1) + (good.endsWith('7') ? '8' : '7'));
      await button('redeem').click();
      await page.getByText('کد گیفت کارت یافت نشد.').first().waitFor();
    });
    await field.fill(good.toLowerCase());
    await button('redeem').click();
    await page.getByText(text('going_to_panel')).waitFor();
    await page.waitForURL('**/user/dashboard');
    await expectBalance(100_000);
    await reader.inspect('dashboard-activated');
    await page.locator('a[href="/user/configs"]').first().click();
    // From here on the page is not loaded again until the bank.
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  });

  test('create a config whose key never leaves the browser, and take its file', async () => {
    await reader.inspect('configs-empty');
    await waitForServer(world);
    await button('new_config').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(text('config_name')).waitFor();
    await dialog.getByRole('button', { name: text('create_config') }).click();
    await dialog.getByText('لطفاً همه فیلدها را پر کنید').first().waitFor();
    await reader.inspect('create-config');
    await dialog.getByLabel(text('config_name')).fill('لپ‌تاپ مینا');
    await dialog.getByText(text('key_device'), { exact: true }).click();
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/user/configs'),
    );
    await dialog.getByRole('button', { name: text('create_config') }).click();
    expect((await sent).postDataJSON()).toHaveProperty('publicKey');
    await page.getByText(text('shown_once')).waitFor();
    await reader.inspect('config-file');
    const downloading = page.waitForEvent('download');
    await button('download_file').click();
    file = readFileSync(await (await downloading).path(), 'utf8');
    expect(file).toMatch(/PrivateKey = [A-Za-z0-9+/]{43}=/);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'لپ‌تاپ مینا' }).waitFor();
  });

  test('switch the tunnel on: the page sees it', async () => {
    await connectionCard('disconnected').waitFor();
    await world.device.up(file);
    expect(await until('a page through the tunnel', () => world.device.seenAs())).toBe(addresses.node4);
    await connectionCard('connected').waitFor({ timeout: 30_000 });
    await reader.inspect('configs-connected');
  });

  test('traffic and balance move on the screen', async () => {
    const balance = await page.getByTestId('balance').innerText();
    const traffic = await metric('transferred').innerText();
    await world.device.download(10_000_000);
    await expect.poll(() => page.getByTestId('balance').innerText(), { timeout: 40_000 }).not.toBe(balance);
    await expect.poll(() => metric('transferred').innerText(), { timeout: 40_000 }).not.toBe(traffic);
  });

  test('the money runs out: the screen says so', async () => {
    const download = await world.device.download(500_000_000, { rate: '8M' });
    expect(download.complete).toBe(false);
    await page.getByText(text('service_no_balance')).first().waitFor({ timeout: 30_000 });
    await reader.inspect('configs-cut');
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
  });

  test('top up at the test bank: too little is refused, then traffic flows again', async () => {
    await page.locator('a[href^="/user/wallet/charge"]').first().click();
    const amount = page.getByLabel(text('amount_label'));
    await amount.waitFor();
    await amount.fill('۵۰۰۰');
    await amount.press('Enter');
    await page.getByText('حداقل مبلغ قابل پرداخت 10,000 تومان میباشد').first().waitFor();
    // At this price an amount buys megabytes.
    await page.getByRole('button', { name: /^۵۰٬۰۰۰ تومان\s*۲۵ مگابایت/ }).waitFor();
    await reader.inspect('charge');
    await amount.fill('۵۰٬۰۰۰');
    await page.getByRole('button', { name: new RegExp(text('pay_amount', { amount: '' }).trim()) }).click();
    await page.waitForURL('**/dev/bank/**');
    await page.getByText('بانک آزمایشی').first().waitFor();
    await page.getByRole('button', { name: 'پرداخت موفق' }).click();
    await page.getByText(text('charge_done')).waitFor();
    await until('traffic after the credit', () => world.device.seenAs(4, 0.25), 15_000, 10);
    await reader.inspect('charge-done');
  });

  test('the wallet tells it all', async () => {
    await page.locator('a[href="/user/wallet"]').first().click();
    await page.getByRole('heading', { name: text('transactions') }).waitFor();
    for (const kind of ['type_gift_card', 'type_wallet_charge', 'type_usage']) {
      await page.getByText(text(kind)).first().waitFor();
    }
    await reader.inspect('wallet');
  });

  test('delete the config: it is gone here and there', async () => {
    await page.locator('a[href="/user/configs"]').first().click();
    await page.getByRole('button', { name: text('more_of', { name: 'لپ‌تاپ مینا' }) }).click();
    await page.getByRole('menuitem', { name: text('delete') }).click();
    await page.getByRole('alertdialog').waitFor();
    await reader.inspect('delete-config');
    await button('delete_confirm').click();
    await page.getByText(text('empty_title')).waitFor();
    await until('the traffic to end', async () => (await world.device.seenAs()) === undefined);
  });

  test('over OpenVPN: offered because the server serves it, a profile to download, and a guide instead of a code', async () => {
    await waitForServer(world, 'openvpn');
    await button('new_config').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(text('config_name')).fill('تبلت مینا');
    await dialog.getByText('OpenVPN', { exact: true }).click();
    await reader.inspect('create-openvpn');
    await dialog.getByRole('button', { name: text('create_config') }).click();
    await dialog.getByRole('tab', { name: 'Android' }).click();
    await dialog.getByText(text('guide_import_openvpn')).waitFor();
    expect(await dialog.getByRole('img').count()).toBe(0);
    await reader.inspect('config-openvpn');
    await dialog.getByRole('tab', { name: 'Linux' }).click();
    const downloading = page.waitForEvent('download');
    await button('download_file').click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^raha-de-[0-9a-f]{4}\.ovpn$/);
    await dialog.getByText(`sudo openvpn --config ${download.suggestedFilename()}`).waitFor();
    expect(readFileSync(await download.path(), 'utf8')).toContain('<tls-crypt-v2>');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: text('show_guide_of', { name: 'تبلت مینا' }) }).waitFor();
  });

  test('over IKEv2: a profile in the form of every system, and the values to enter by hand', async () => {
    await waitForServer(world, 'ikev2');
    await button('new_config').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(text('config_name')).fill('آیفون مینا');
    await dialog.getByText('IKEv2', { exact: true }).click();
    await dialog.getByRole('button', { name: text('create_config') }).click();
    const download = async (system: string, name: string) => {
      await dialog.getByRole('tab', { name: system }).click();
      const downloading = page.waitForEvent('download');
      await dialog.getByRole('button', { name: new RegExp(text(name)) }).click();
      const done = await downloading;
      return { name: done.suggestedFilename(), content: readFileSync(await done.path(), 'utf8') };
    };
    const apple = await download('iOS', 'download_file');
    expect(apple.name).toMatch(/^raha-de-[0-9a-f]{4}\.mobileconfig$/);
    expect((await download('macOS', 'download_file')).content).toBe(apple.content);
    const password = /<key>AuthPassword<\/key>\s*<string>(\w+)</.exec(apple.content)?.[1] ?? '';
    expect(apple.content).toContain('<string>Raha آیفون مینا</string>');
    const windows = await download('Windows', 'download_file');
    expect(windows.name).toMatch(/\.ps1$/);
    expect(windows.content).toContain(`$password = '${password}'`);
    await dialog.getByText(text('guide_ikev2_windows')).waitFor();
    const android = await download('Android', 'download_file');
    expect(android.name).toMatch(/\.sswan$/);
    expect(JSON.parse(android.content)).toMatchObject({ local: { shared_secret: password } });
    expect(await dialog.getByText(password).count()).toBe(0);
    const authority = await download('Linux', 'ikev2_certificate');
    expect(authority.content).toContain('BEGIN CERTIFICATE');
    await dialog.getByText(password).waitFor();
    await reader.inspect('config-ikev2');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: text('show_guide_of', { name: 'آیفون مینا' }) }).waitFor();
  });

  test('a wrong address has a page of its own', async () => {
    await reader.whileRefused(async () => {
      await page.goto('/no-such-page');
      await page.getByText(text('missing_title')).first().waitFor();
    });
    await reader.inspect('missing');
  });

  function button(key: string): Locator {
    return page.getByRole('button', { name: text(key), exact: true });
  }

  function connectionCard(state: string): Locator {
    return page.locator(`section[data-state="${state}"]`);
  }

  /** The value beside a label of the connection's figures. */
  function metric(key: string): Locator {
    return page
      .locator('dl > div', { has: page.getByText(text(key), { exact: true }) })
      .locator('dd')
      .first();
  }

  async function expectBalance(toman: number): Promise<void> {
    const shown = new Intl.NumberFormat('fa-IR').format(toman);
    await expect.poll(() => page.getByTestId('balance').innerText()).toContain(shown);
  }
});
