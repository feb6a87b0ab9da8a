import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openBrowser, persian, type Reader, sizes, text } from './world/browser.ts';
import { checkBooks } from './world/control-plane.ts';
import { addresses } from './world/network.ts';
import { signInAtBrowser } from './world/panel.ts';
import { until } from './world/processes.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, chargeThroughTestBank, signUp, type TestUser } from './world/user.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/**
 * One user at two browsers, with a real device: what one does, the other sees without a reload, by the stream of events
 * alone: nothing in the pages asks by the clock. How long each took is printed at the end; it is looked at, not asserted.
 */
const whyNot = whyNoTunnels() ?? (findBrowser() ? undefined : 'a browser is needed');

describe.skipIf(whyNot)('two browsers and a device', () => {
  let world: World;
  let user: TestUser;
  let readers: readonly Reader[];
  let desk: Page;
  let phone: Page;
  let file: string;
  const took: string[] = [];
  const streams: string[] = [];

  stopAtFirstFailure();
  beforeAll(async () => {
    world = await createWorld({
      environment: { USD_RATE_TOMAN: '100000' },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': 2_000 },
    });
    user = await signUp(world.controlPlane.url, world.mailbox, 'two@example.com');
    await activate(world.controlPlane, user.api, 1);
    readers = [await openBrowser(world.controlPlane.url), await openBrowser(world.controlPlane.url)];
    for (const { context } of readers) await context.addInitScript(withoutPolling);
    [desk, phone] = readers.map(({ page }) => page) as [Page, Page];
    await signInAtBrowser(desk, user);
    await signInAtBrowser(phone, user, { hasPassword: true });
    await phone.setViewportSize(sizes.narrow);
    await waitForServer(world);
    for (const page of [desk, phone]) {
      await page.goto('/user/configs');
      await page.getByText(text('empty_title')).waitFor();
      await page
        .getByTestId('presence')
        .filter({ visible: true, hasText: text('presence_online') })
        .first()
        .waitFor();
      page.on('request', (request) => request.url().endsWith('/realtime') && streams.push(request.url()));
      await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    }
  });
  afterAll(async () => {
    process.stdout.write(`${['what one did, the other saw after:', ...took].join('\n  ')}\n`);
    for (const reader of readers ?? []) await reader.close();
    await world?.close();
  });

  const card = (page: Page, state: string) => page.locator(`section[data-state="${state}"]`);
  const balance = (page: Page) => page.getByTestId('balance').innerText();
  /** Runs what one does and waits until the other sees it. */
  async function seen(what: string, act: () => Promise<unknown>, ...sights: (() => Promise<unknown>)[]): Promise<void> {
    await act();
    const since = performance.now();
    await Promise.all(sights.map((sight) => sight()));
    took.push(`${what}: ${Math.round(performance.now() - since)} ms`);
  }

  test('a config made at the desk is on the phone', async () => {
    await desk.getByRole('button', { name: text('new_config'), exact: true }).click();
    const dialog = desk.getByRole('dialog');
    await dialog.getByLabel(text('config_name')).fill('گوشی من');
    await seen(
      'a new config',
      async () => {
        await dialog.getByRole('button', { name: text('create_config') }).click();
        await desk.getByText(text('config_created')).waitFor();
      },
      () => phone.getByRole('heading', { name: 'گوشی من' }).waitFor(),
    );
    await desk.keyboard.press('Escape');
    const [config] = (await user.api.listConfigs()).data.configs;
    file = await user.api.downloadConfig({ params: { id: config?.id ?? '' } });
  });

  test('the device connects: both say so; its traffic moves both balances', async () => {
    const before = await Promise.all([balance(desk), balance(phone)]);
    await seen(
      'the tunnel is up',
      async () => {
        await world.device.up(file);
        expect(await until('a page through the tunnel', () => world.device.seenAs())).toBe(addresses.node4);
      },
      () => card(desk, 'connected').waitFor(),
      () => card(phone, 'connected').waitFor(),
    );
    expect((await world.device.download(8_000_000)).complete).toBe(true);
    for (const [index, page] of [desk, phone].entries())
      await expect.poll(() => balance(page), { timeout: 40_000 }).not.toBe(before[index]);
    await expect.poll(async () => (await balance(desk)) === (await balance(phone)), { timeout: 20_000 }).toBe(true);
  });

  test('disconnected on the phone: the desk says so, and nothing passes; connected again the same way', async () => {
    await seen(
      'a disconnection',
      () =>
        phone
          .getByRole('button', { name: text('disconnect_connection'), exact: true })
          .first()
          .click(),
      () => card(desk, 'disconnected').waitFor(),
    );
    await until('the traffic to end', async () => (await world.device.seenAs()) === undefined);
    await seen(
      'a connection',
      () =>
        desk
          .getByRole('button', { name: text('connect'), exact: true })
          .first()
          .click(),
      () => card(phone, 'disconnected').waitFor({ state: 'detached' }),
    );
    await until('traffic again', () => world.device.seenAs(), 30_000);
    await card(phone, 'connected').waitFor({ timeout: 60_000 });
  });

  test('a payment is on both screens and in both bells; read here is read there', async () => {
    const before = await balance(desk);
    await seen(
      'a credited payment',
      () => chargeThroughTestBank(user, 70_000),
      () => expect.poll(() => balance(desk), { timeout: 15_000 }).not.toBe(before),
      () => expect.poll(() => balance(phone), { timeout: 15_000 }).not.toBe(before),
    );
    const unread = async () => (await user.api.countUnreadNotifications()).data.count;
    expect(await unread()).toBeGreaterThan(0);
    const badge = (page: Page) => page.getByTestId('unread');
    await desk.getByRole('button', { name: text('notifications_unread', { count: persian(await unread()) }) }).click();
    await seen(
      'all marked read',
      () => desk.getByRole('button', { name: text('notifications_read_all') }).click(),
      () => badge(phone).waitFor({ state: 'detached' }),
    );
    await desk.keyboard.press('Escape');
    expect(await unread()).toBe(0);
  });

  test('a name changed here has changed there; deleted there it is gone here, and from the node', async () => {
    const [config] = (await user.api.listConfigs()).data.configs;
    await seen(
      'a new name',
      () => user.api.renameConfig({ params: { id: config?.id ?? '' }, body: { name: 'گوشی تازه' } }),
      () => desk.getByRole('heading', { name: 'گوشی تازه' }).first().waitFor(),
      () => phone.getByRole('heading', { name: 'گوشی تازه' }).first().waitFor(),
    );
    await phone.getByRole('button', { name: text('more_of', { name: 'گوشی تازه' }) }).click();
    await phone.getByRole('menuitem', { name: text('delete') }).click();
    await seen(
      'a deletion',
      () => phone.getByRole('button', { name: text('delete_confirm'), exact: true }).click(),
      () => desk.getByText(text('empty_title')).waitFor(),
    );
    await until('the traffic to end', async () => (await world.device.seenAs()) === undefined);
  });

  test('nobody loaded a page again, nothing complained, and the books are right', async () => {
    for (const page of [desk, phone]) expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
    // One that begins anew has everything asked for anew: the news came by the first.
    expect(streams).toEqual([]);
    expect(readers.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(persian(await user.api.getWallet().then(({ data }) => data.balance))).toMatch(/[۰-۹]/);
    expect(await checkBooks(world.controlPlane)).toBe('ok');
  });
});

/** Runs in the page: what is to come again after more than a second does not, so that only the stream tells what is new. */
function withoutPolling(): void {
  const often = window.setInterval.bind(window);
  Object.assign(window, {
    setInterval: (act: () => void, everyMs?: number) =>
      everyMs !== undefined && everyMs > 1_000 ? 0 : often(act, everyMs),
  });
}
