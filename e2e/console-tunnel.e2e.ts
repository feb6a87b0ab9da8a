import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openBrowser, type Reader, text } from './world/browser.ts';
import { openConsole } from './world/console-journey.ts';
import type { ConsoleKeyboard } from './world/console-keyboard.ts';
import { checkBooks } from './world/control-plane.ts';
import { waitForTextCode } from './world/mailbox.ts';
import { addresses } from './world/network.ts';
import { signInAtBrowser } from './world/panel.ts';
import { until } from './world/processes.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

const PHONE = '09123454410';
const whyNot = whyNoTunnels() ?? (findBrowser() ? undefined : 'a browser is needed');

/** A tunnel without money is cut; a member who credits it by keyboard sees nothing of the tunnel, and its user is back at once. */
describe.skipIf(whyNot)('a member brings a real tunnel back, by keyboard', () => {
  let world: World;
  let user: TestUser;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  let panel: Reader | undefined;

  beforeAll(async () => {
    // 2,000,000 toman per GB: 10,000 toman buy 5 MB.
    world = await createWorld({ settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': 2_000 } });
    const { controlPlane, mailbox } = world;
    user = await signUp(controlPlane.url, mailbox, 'niloufar.rahimi@mail.example', 'نیلوفر رحیمی');
    await activate(controlPlane, user.api, 0.1);
    await user.api.sendPhoneCode({ body: { phone: PHONE } });
    await user.api.verifyPhoneCode({
      body: { phone: PHONE, code: await waitForTextCode(controlPlane.dataDir, PHONE) },
    });
    const body = { name: 'گوشی نیلوفر', serverId: await waitForServer(world), keepKey: true };
    await world.device.up((await user.api.createConfig({ body })).data.file);
    expect(await until('a page through the tunnel', () => world.device.seenAs())).toBe(addresses.node4);
    const download = await world.device.download(50_000_000, { rate: '8M' });
    expect(download.complete).toBe(false);
    ({ reader, page, keys } = await openConsole(world, 'operator@raha.example'));
  }, 240_000);
  afterAll(async () => {
    await panel?.close();
    await reader?.close();
    await world?.close();
  });
  stopAtFirstFailure();

  test('half a phone number finds the user, and the page says why nothing passes', async () => {
    expect(await world.device.seenAs()).not.toBe(addresses.node4);
    await page.keyboard.press('/');
    await page.waitForURL('**/admin/people');
    await page.keyboard.type('۴۵ ۴۴۱۰');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: '0912•••4410' }).waitFor();
    await keys.press('\u2068نیلوفر رحیمی\u2069', 'link');
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: text('console_cut_no_balance') })
      .waitFor();
  });

  test('20,000 toman with a reason, and the same tunnel passes again', async () => {
    await keys.press(text('console_adjust'));
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel(text('console_adjust_amount')));
    await page.keyboard.type('۲۰٬۰۰۰');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('the bank was late');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await until('traffic after the credit', () => world.device.seenAs(4, 0.25))).toBe(addresses.node4);
    await page.locator('.c-timeline li').filter({ hasText: 'the bank was late' }).waitFor();
  });

  test('the user sees both: the service is back, and who changed the balance', async () => {
    panel = await openBrowser(world.controlPlane.url);
    await signInAtBrowser(panel.page, user);
    await panel.page.getByRole('button', { name: new RegExp(`^${text('notifications_title')}`) }).click();
    const list = panel.page.getByRole('dialog', { name: text('notifications_title'), exact: true });
    await list.getByText('اینترنت برگشت').waitFor();
    await list.getByText('موجودی اصلاح شد').waitFor();
    await panel.page.goto('/user/profile?tab=security');
    await panel.page.getByText(text('operator_balance_adjusted')).waitFor();
    await panel.page.getByText(text('operator_looked')).waitFor();
  });

  test('the audit has one entry of it, and the books hold', async () => {
    await keys.press(text('console_audit'), 'link');
    await page.locator('tbody tr').first().waitFor();
    const acts = await page.locator('tbody tr td:nth-child(3) .c-code').allInnerTexts();
    expect(acts.filter((act) => act === 'accounts.adjust')).toHaveLength(1);
    expect(await checkBooks(world.controlPlane)).toBe('ok');
  });

  expectNoComplaints(() => [reader, panel]);
});
