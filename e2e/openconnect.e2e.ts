import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/** The further way of an OpenVPN config, as the panel offers it (decision 127). */
describe.skipIf(whyNoBrowser)('OpenConnect in the panel', () => {
  const journey = openJourney();
  let numbers: NumberNode;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  stopAtFirstFailure();
  beforeAll(async () => {
    const { site } = journey;
    ({ reader, page } = journey);
    numbers = await openNumberNode(site);
    await numbers.node.serveOpenvpn();
    await site.controlPlane.raha('nodes', 'openconnect', '--name', 'frankfurt-1', '--port', '4443');
    user = await signUp(site.controlPlane.url, site.mailbox, 'openconnect@mail.example');
    await activate(site.controlPlane, user.api, 5);
    await user.api.createConfig({ body: { name: 'laptop', serverId: numbers.node.id, protocol: 'openvpn' } });
    await numbers.node.settle();
    await signInAtBrowser(page, user);
  });
  afterAll(() => numbers?.close());

  const way = () => page.getByRole('dialog').getByText(text('other_way'));
  async function openFile(name = 'laptop'): Promise<void> {
    await page.goto('/user/configs');
    const card = page.getByRole('article', { name, exact: true });
    await card.getByRole('button', { name: text('show_guide_of', { name }) }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('download_file') })
      .first()
      .waitFor();
  }

  test('while the server does not serve it, its file is not offered', async () => {
    await openFile();
    expect(await way().count()).toBe(0);
  });

  test('while it does: the file with the certificate, the command and the address', async () => {
    numbers.node.openconnect = true;
    await numbers.node.report([]);
    await openFile();
    await way().click();
    // Made of the config's file once that is read; the button above it is the other file's.
    await page.getByText('https://198.51.100.2:4443', { exact: true }).waitFor();
    const saving = page.waitForEvent('download');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('download_file') })
      .last()
      .click();
    const saved = await saving;
    const content = await readFile((await saved.path())!, 'utf8');
    const name = saved.suggestedFilename();
    expect(name).toMatch(/^raha-de-[0-9a-f]{4}\.pem$/);
    const command = `sudo openconnect --certificate=${name} --cafile=${name} https://198.51.100.2:4443`;
    expect(content.split('\n')[0]).toBe(command);
    expect(content.match(/-----BEGIN [A-Z ]+-----/g)).toEqual([
      '-----BEGIN CERTIFICATE-----',
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN CERTIFICATE-----',
    ]);
    await page.getByText(command, { exact: true }).waitFor();
    await page.getByText('https://198.51.100.2:4443', { exact: true }).scrollIntoViewIfNeeded();
    await page.getByRole('group', { name: text('reach_question_openconnect') }).waitFor();
    await reader.inspect('openconnect-way');
  });

  test('to who is out by the flag it is not offered with a new config, and stays with the one of before', async () => {
    await journey.site.controlPlane.raha('flags', 'set', '--name', 'openconnect', '--share', 'off');
    await user.api.createConfig({ body: { name: 'tablet', serverId: numbers.node.id, protocol: 'openvpn' } });
    await numbers.node.settle();
    await openFile();
    await way().waitFor();
    await openFile('tablet');
    expect(await way().count()).toBe(0);
    await journey.site.controlPlane.raha('flags', 'set', '--name', 'openconnect', '--share', 'on');
    await openFile('tablet');
    await way().waitFor();
  });

  expectNoComplaints(() => [reader]);
});
