import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp } from './world/user.ts';

/** The proxy as a further way of an OpenVPN config, as the panel offers it (decision 0137). */
describe.skipIf(whyNoBrowser)('the proxy in the panel', () => {
  const journey = openJourney();
  let numbers: NumberNode;
  let reader: Reader;
  let page: Page;
  let config: string;

  stopAtFirstFailure();
  beforeAll(async () => {
    const { site } = journey;
    ({ reader, page } = journey);
    numbers = await openNumberNode(site);
    await numbers.node.serveOpenvpn();
    await site.controlPlane.raha(
      'nodes',
      'proxy',
      '--name',
      'frankfurt-1',
      '--url',
      'https://www.example.org/news/live',
    );
    const user = await signUp(site.controlPlane.url, site.mailbox, 'proxy@mail.example');
    await activate(site.controlPlane, user.api, 5);
    const order = { name: 'laptop', serverId: numbers.node.id, protocol: 'openvpn' } as const;
    config = (await user.api.createConfig({ body: order })).data.config.id;
    await numbers.node.settle();
    await signInAtBrowser(page, user);
  });
  afterAll(() => numbers?.close());

  const way = () => page.getByRole('dialog').getByText(text('proxy_way'));
  async function openFile(): Promise<void> {
    await page.goto('/user/configs');
    await page.getByRole('button', { name: text('show_guide_of', { name: 'laptop' }) }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('download_file') })
      .first()
      .waitFor();
  }

  test('while the server does not serve it, it is not offered', async () => {
    await openFile();
    expect(await way().count()).toBe(0);
  });

  test('while it does: the link, made on the device, to copy and as a code', async () => {
    numbers.node.proxy = 'served';
    await numbers.node.report([]);
    await openFile();
    await way().click();
    const peer = numbers.node.peers.get(config);
    const id = peer?.protocol === 'openvpn' ? peer.proxyId : undefined;
    const query = 'encryption=none&security=tls&sni=www.example.org&type=ws&host=www.example.org&path=%2Fnews%2Flive';
    const link = `vless://${id}@www.example.org:443?${query}#laptop`;
    await page.getByText(link, { exact: true }).waitFor();
    await page.getByRole('button', { name: text('proxy_copy') }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await page.getByText(text('copied_value'), { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('img').last().waitFor();
    await page.getByRole('group', { name: text('reach_question_proxy') }).waitFor();
    await page.getByText(link, { exact: true }).scrollIntoViewIfNeeded();
    await reader.inspect('proxy-way');
  });

  expectNoComplaints(() => [reader]);
});
