import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import { until } from './world/processes.ts';
import type { Site } from './world/site.ts';
import { activate, chargeThroughTestBank, signUp, type TestUser } from './world/user.ts';

/** U1, U2: the money ends, every screen says so, and from the mail's link it is at most three presses until it is back. */
describe.skipIf(whyNoBrowser)('out of money', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;
  let numbers: NumberNode;
  let user: TestUser;
  let config: string;
  let polling = true;
  /** Presses on our own pages, by the browser's own count; the bank's page is not ours. */
  let presses = 0;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    numbers = await openNumberNode(site);
    user = await signUp(site.controlPlane.url, site.mailbox, 'spent@mail.example');
    await activate(site.controlPlane, user.api, 0.1);
    await chargeThroughTestBank(user, 20_000);
    const { data } = await user.api.listServers();
    const body = { name: 'گوشی سارا', serverId: data.servers[0]?.id ?? '', keepKey: true };
    config = (await user.api.createConfig({ body })).data.config.id;
    await numbers.node.settle();
    await page.exposeFunction('pressed', () => {
      presses += 1;
    });
    await page.addInitScript(() => {
      const isOurs = !location.pathname.startsWith('/dev/');
      addEventListener('click', (event) => isOurs && event.isTrusted && void Reflect.get(window, 'pressed')(), true);
    });
    await page.setViewportSize(sizes.narrow);
    await signInAtBrowser(page, user);
  });
  afterAll(() => {
    polling = false;
    numbers?.close();
  });

  const badge = (key: string) => page.getByRole('banner').getByText(text(key), { exact: true });
  const says = (sentence: string | RegExp) => page.getByText(sentence).first().waitFor();

  /** Bytes of the config in all, divided as the node of these tests divides them. */
  const report = (total: number) => {
    const up = Math.floor(total / 10);
    return numbers.node.report([{ config, up, down: total - up }]);
  };

  async function useUp(): Promise<void> {
    const { node } = numbers;
    for (let used = -1; used < node.limitOf(config); ) {
      used = node.limitOf(config);
      await report(used);
    }
    await report(node.limitOf(config));
    await node.settle();
  }

  /** As the agent does: polls, applies, and acknowledges with the next poll. */
  async function poll(): Promise<void> {
    while (polling) await numbers.node.sync(1).catch(() => undefined);
  }

  test('while there is money the badge is green', async () => {
    await page.goto('/user/dashboard');
    await badge('presence_online').waitFor();
  });

  test('before it ends it is said for how many hours it lasts', async () => {
    // 10 GB are free, 7 GB cost 21,000 of 30,000 toman.
    await numbers.pass(config, 17_000_000_000);
    await page.goto('/user/dashboard');
    const low = page.getByTestId('low');
    await low.getByText(text('low_hours', { hours: persian(10) })).waitFor();
    await low.getByRole('button', { name: new RegExp(text('charge_amount', { amount: persian(20_000) })) }).waitFor();
    await reader.inspect('low');
    await page.setViewportSize(sizes.narrow);
  });

  test('it ends while the dashboard is open: badge, card and devices say so, and nothing else is advised', async () => {
    await numbers.node.report([], { tunnels: [{ config, handshakeAgeSeconds: 2, pingMs: 30 }] });
    await useUp();
    await badge('presence_cut').waitFor();
    await says(text('cut_money'));
    await says(new RegExp(text('cut_since_hour', { time: '' }).trim()));
    const amount = text('toman', { amount: persian(20_000) });
    await page
      .getByRole('button', { name: text('charge_amount_with', { amount, bank: 'زرین‌پال' }), exact: true })
      .waitFor();
    const devices = page.getByRole('region', { name: text('cut_devices'), exact: true });
    await devices.getByText(text('status_cut'), { exact: true }).waitFor();
    expect(await page.getByText(text('no_active_configs')).count()).toBe(0);
    expect(await page.getByText(text('disconnected_title')).count()).toBe(0);
    expect(await page.getByText(text('presence_online'), { exact: true }).filter({ visible: true }).count()).toBe(0);
    await reader.inspect('cut');
    await page.setViewportSize(sizes.narrow);
  });

  test('so do the other screens, and the bell', async () => {
    for (const path of ['/user/configs', '/user/wallet', '/user/profile']) {
      await page.goto(path);
      await page.getByRole('region', { name: text('cut_money'), exact: true }).waitFor();
      await badge('presence_cut').waitFor();
    }
    await page.goto('/user/configs');
    await page.getByText(text('status_cut'), { exact: true }).waitFor();
    await reader.inspect('cut-configs');
    await page.setViewportSize(sizes.narrow);
    const { notifications } = (await user.api.listNotifications()).data;
    expect(notifications.find(({ kind }) => kind === 'service_cut')?.message).toContain('موجودی تمام شد');
    await user.api.readAllNotifications();
  });

  test('from the mail’s link: amount and bank of last time are there, and one press pays', async () => {
    const mail = await until('the mail', async () =>
      (await site.mailbox.mailTo(user.email)).find(({ subject }) => subject?.includes('اینترنت قطع است')),
    );
    const link = /\S+\/user\/wallet\/charge\S*/.exec(mail.text ?? '')?.[0] ?? '';
    await page.goto(link);
    const pay = page.getByRole('button', {
      name: text('pay_amount', { amount: text('toman', { amount: persian(20_000) }) }),
    });
    await pay.waitFor();
    await says(text('charge_cut'));
    // Neither the bar of the phone nor anything else lies over the button that pays.
    for (const size of [sizes.narrow, { width: 320, height: 640 }, { width: 740, height: 360 }]) {
      await page.setViewportSize(size);
      await pay.scrollIntoViewIfNeeded();
      await pay.click({ trial: true });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    await reader.inspect('topup');
    await page.setViewportSize({ width: 390, height: 740 });
    await page.evaluate(() => scrollTo(0, 0));
    expect((await pay.boundingBox())?.y).toBeLessThan(740 - 56);
    presses = 0;
    await pay.click();
    await page.waitForURL('**/dev/bank/zarinpal/**');
    await page.getByRole('button', { name: 'پرداخت موفق' }).click();
    // No server has said anything yet: the money is there, and that is all.
    await says(text('charge_came'));
    await reader.inspect('return-waiting');
    void poll();
    await says(/ثانیه پس از پرداخت برگشت/);
    await badge('presence_online').waitFor();
    // Three at most are wanted.
    expect(presses).toBe(1);
    await reader.inspect('return-back');
    const { service } = (await user.api.me()).user;
    expect(service?.restored?.opened_at).not.toBe(null);
  });

  test('with no device connected it is said that the way is open', async () => {
    await useUp();
    await numbers.node.report([], { tunnels: [{ config, handshakeAgeSeconds: 400, pingMs: null }] });
    await page.setViewportSize(sizes.narrow);
    await page.goto('/user/dashboard');
    await page.getByTestId('cut').getByRole('button').click();
    await page.waitForURL('**/dev/bank/zarinpal/**');
    await page.getByRole('button', { name: 'پرداخت موفق' }).click();
    await says(text('charge_open'));
    expect(reader.complaints).toEqual([]);
  });
});
