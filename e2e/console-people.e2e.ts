import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type Reader, text } from './world/browser.ts';
import { type ConsoleKeyboard, consoleKeyboard, signInToConsole } from './world/console-keyboard.ts';
import { whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { createSite, type Site } from './world/site.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/** Somebody's service is cut, and a member helps by keyboard: found by half a number, why it is cut, and what the user reads. */
const BOSS = 'operator@raha.example';

describe.skipIf(whyNoBrowser)('people in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  let user: TestUser;
  let node: NumberNode;

  beforeAll(async () => {
    // A dollar is 100,000 toman, and a gigabyte costs 3,000.
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    await site.controlPlane.raha('settings', 'set', 'trial.passwordlessDays', '0');
    node = await openNumberNode(site);
    user = await signUp(site.controlPlane.url, site.mailbox, 'niloufar.rahimi@mail.example', 'نیلوفر رحیمی');
    await activate(site.controlPlane, user.api, 0.02);
    const { data } = await user.api.createConfig({ body: { name: 'گوشی نیلوفر', serverId: node.node.id } });
    await node.node.settle();
    const config = data.config.id;
    // Each report uses up a lease, and the next one comes with the answer, until nothing is left to pay for it.
    for (let used = -1; used < node.node.limitOf(config); ) {
      used = node.node.limitOf(config);
      await node.node.report([{ config, down: used }]);
      await node.node.settle();
    }
    // Browsers know passkeys of localhost, and none of 127.0.0.1.
    reader = await openBrowser(site.controlPlane.url.replace('127.0.0.1', 'localhost'));
    page = reader.page;
    keys = consoleKeyboard(page);
    await signInToConsole(reader, site, BOSS);
  }, 120_000);
  afterAll(async () => {
    node?.close();
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  const field = () => page.getByLabel(text('console_people_search'), { exact: true }).and(page.getByRole('searchbox'));

  test('a slash leads to the search from anywhere, and a part of the address finds', async () => {
    await page.keyboard.press('/');
    await page.waitForURL('**/admin/people');
    await expect.poll(() => keys.hasFocus(field())).toBe(true);
    await page.getByRole('link', { name: 'نیلوفر رحیمی' }).waitFor();
    await reader.inspect('console-people');
    await page.keyboard.type('nobody-here');
    await page.keyboard.press('Enter');
    await keys.heading('console_people_none').waitFor();
    await reader.inspect('console-people-none');
    await page.keyboard.press('ControlOrMeta+KeyK');
    await page.keyboard.type('FAR.RAHI');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: text('console_by_part') }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(page.url()).not.toContain('RAHI');
  });

  test('the page says why the config is cut, and keeps the address masked', async () => {
    await keys.tabTo(page.getByRole('link', { name: 'نیلوفر رحیمی' }));
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: text('console_cut_no_balance') })
      .waitFor();
    await page.getByRole('cell', { name: text('console_cut_no_balance') }).waitFor();
    await page.getByText('n•••i@mail.example').waitFor();
    await page.getByText('accounts.look').waitFor();
    await reader.inspect('console-user');
  });

  test('for a reason it is shown whole', async () => {
    await keys.press(text('console_user_contact'));
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('to call back');
    await reader.inspect('console-user-contact');
    await page.keyboard.press('Enter');
    await dialog.getByText(user.email).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText(user.email).count()).toBe(0);
  });

  test('the timeline is narrowed to one kind', async () => {
    await keys.press(text('console_timeline_money'));
    const lines = page.locator('.c-timeline li');
    await expect
      .poll(async () => (await lines.allInnerTexts()).every((line) => line.includes(text('console_timeline_money'))))
      .toBe(true);
    expect(await lines.count()).toBeGreaterThan(0);
  });

  test('the user reads that support looked, and saw the address', async () => {
    const { actions } = (await user.api.listOperatorActions()).data;
    expect(actions.map(({ kind }) => kind)).toEqual(['contact_shown', 'looked']);
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
