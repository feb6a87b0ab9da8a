import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, persian, type Reader, text } from './world/browser.ts';
import { type ConsoleKeyboard, consoleKeyboard, signInToConsole } from './world/console-keyboard.ts';
import { whyNoBrowser } from './world/journey.ts';
import { waitForTextCode } from './world/mailbox.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { createSite, type Site } from './world/site.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/**
 * Somebody's service is cut, and a member helps by keyboard: found by half a phone number, why it is cut, 20,000 toman for a
 * reason, service back, and what the user and the audit say of it.
 */
const BOSS = 'operator@raha.example';
const PHONE = '09123454410';

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
    await user.api.sendPhoneCode({ body: { phone: PHONE } });
    const code = await waitForTextCode(join(site.directory, 'data'), PHONE);
    await user.api.verifyPhoneCode({ body: { phone: PHONE, code } });
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

  test('a slash leads to the search from anywhere, and half a number finds', async () => {
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
    expect(page.url()).not.toContain('RAHI');
    // Half a number, as it is read out over the phone.
    await page.keyboard.press('ControlOrMeta+KeyK');
    await page.keyboard.type('۴۵ ۴۴۱۰');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: '0912•••4410' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
  });

  test('the page says why the config is cut, and keeps the address masked', async () => {
    // Out of the field, and down to the first row.
    await page.keyboard.press('Tab');
    await page.keyboard.press('j');
    expect(await keys.hasFocus(page.getByRole('link', { name: 'نیلوفر رحیمی' }))).toBe(true);
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

  test('20,000 toman with a reason bring the service back', async () => {
    await keys.press(text('console_adjust'));
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel(text('console_adjust_amount')));
    await page.keyboard.type('۲۰٬۰۰۰');
    await dialog.getByText(text('console_adjust_effect', { before: persian(0), after: persian(20_000) })).waitFor();
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('the bank was late');
    await reader.inspect('console-adjust');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('status').innerText()).toBe(text('console_adjust_done'));
    await page.locator('.c-timeline li').filter({ hasText: 'the bank was late' }).waitFor();
    await page
      .locator('.c-timeline li')
      .filter({ hasText: persian(20_000) })
      .first()
      .waitFor();
    // The node takes over what the new money pays for, and traffic passes again.
    const config = (await user.api.listConfigs()).data.configs[0]?.id ?? '';
    const before = node.node.limitOf(config);
    await expect
      .poll(async () => {
        await node.node.settle();
        return node.node.limitOf(config);
      })
      .toBeGreaterThan(before);
    await node.node.report([{ config, down: before + 1_000 }]);
    await page.reload();
    await page
      .getByRole('heading', { level: 1, name: text('console_user_on', { name: '\u2068نیلوفر رحیمی\u2069' }) })
      .waitFor();
    await reader.inspect('console-user-on');
  });

  test('more than one member may waits for a second one, who is not the same', async () => {
    await keys.press(text('console_adjust'));
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel(text('console_adjust_amount')));
    await page.keyboard.type('900000');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('a month without service');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('status').innerText()).toBe(text('console_adjust_proposed'));
    await keys.press(text('console_corrections'), 'link');
    await page.getByRole('cell', { name: 'a month without service' }).waitFor();
    // Alone, so the time is said from which on they may.
    await page.getByText(/^کس دیگری نیست/).waitFor();
    await reader.inspect('console-corrections');
    expect((await user.api.me()).user.balance).toBeLessThan(100_000);
    await page.goBack();
    await keys.heading('console_timeline').waitFor();
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
    expect(actions.map(({ kind }) => kind)).toEqual(['balance_adjusted', 'contact_shown', 'looked']);
    const { notifications } = (await user.api.listNotifications()).data;
    expect(notifications.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['balance_adjusted', 'service_restored']),
    );
  });

  test('the audit has one entry for each change', async () => {
    await keys.press(text('console_audit'), 'link');
    await page.locator('tbody tr').first().waitFor();
    const acts = await page.locator('tbody tr td:nth-child(3)').allInnerTexts();
    const ours = acts.filter((act) => act.startsWith('accounts.'));
    expect(ours).toEqual([
      ...['accounts.propose-correction', 'accounts.adjust', 'accounts.show-contact', 'accounts.look'],
    ]);
  });

  test('in English all of it is English', async () => {
    const url = site.controlPlane.url.replace('127.0.0.1', 'localhost');
    await page.context().addCookies([{ name: 'locale', value: 'en', url }]);
    await page.goto('/admin/corrections');
    await page.getByRole('heading', { name: 'Corrections that wait for a second member: 1.' }).waitFor();
    await reader.inspect('console-corrections-english');
    await page.goto('/admin/people');
    await keys.press('\u2068نیلوفر رحیمی\u2069', 'link');
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await reader.inspect('console-user-english');
    const seen = await page.evaluate(() => document.body.innerText.split('\n'));
    // The names of people and devices are theirs.
    const foreign = seen.filter((line) =>
      /[\u0600-\u06ff]/.test(line.replaceAll(/نیلوفر رحیمی|گوشی نیلوفر|فارسی/g, '')),
    );
    expect(foreign).toEqual([]);
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
