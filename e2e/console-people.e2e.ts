import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { waitForTextCode } from './world/mailbox.ts';
import { answerTrace, type NumberNode, openNumberNode, useUpMoney } from './world/number-node.ts';
import { payTooLittle } from './world/short-payment.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/**
 * Somebody's service is cut, and a member helps by keyboard: found by half a phone number, why it is cut, 20,000 toman for a
 * reason, service back, and what the user and the audit say of it. Then a payment is reviewed with the bank's evidence, and the
 * server is revoked from a phone.
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
  let other: NumberNode | undefined;
  /** A payment that one member may not credit. */
  let large: string;

  beforeAll(async () => {
    // A dollar is 100,000 toman, and a gigabyte costs 3,000.
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    await site.controlPlane.raha('settings', 'set', 'trial.passwordlessDays', '0');
    await site.controlPlane.raha('settings', 'set', 'approvals.creditToman', '55000');
    node = await openNumberNode(site);
    user = await signUp(site.controlPlane.url, site.mailbox, 'niloufar.rahimi@mail.example', 'نیلوفر رحیمی');
    await activate(site.controlPlane, user.api, 0.02);
    await user.api.sendPhoneCode({ body: { phone: PHONE } });
    const code = await waitForTextCode(join(site.directory, 'data'), PHONE);
    await user.api.verifyPhoneCode({ body: { phone: PHONE, code } });
    const { data } = await user.api.createConfig({ body: { name: 'گوشی نیلوفر', serverId: node.node.id } });
    await useUpMoney(node, data.config.id);
    await payTooLittle(site, user, 50_000);
    ({ reader, page, keys } = await openConsole(site, BOSS));
  }, 120_000);
  afterAll(async () => {
    node?.close();
    other?.close();
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
    await page.keyboard.press('ControlOrMeta+KeyA');
    await page.keyboard.type('FAR.RAHI');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: text('console_by_part') }).waitFor();
    expect(page.url()).not.toContain('RAHI');
    // Half a number, as it is read out over the phone.
    await page.keyboard.press('ControlOrMeta+KeyA');
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
    await page.getByText(text('console_act_accounts_look')).waitFor();
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
    const acts = await page.locator('tbody tr td:nth-child(3) .c-code').allInnerTexts();
    const ours = acts.filter((act) => act.startsWith('accounts.'));
    expect(ours).toEqual([
      ...['accounts.propose-correction', 'accounts.adjust', 'accounts.show-contact', 'accounts.look'],
    ]);
  });

  test('after a complaint the server says whose connection it is, and leads to the owner', async () => {
    const asked = answerTrace(node);
    await keys.press(text('console_fleet'), 'link');
    await keys.press('frankfurt-1', 'link');
    await keys.press(text('console_trace'));
    const dialog = page.getByRole('dialog');
    const button = dialog.getByRole('button', { name: text('console_trace_ask') });
    await keys.tabTo(dialog.getByLabel(text('console_trace_port')));
    await page.keyboard.type('۷۰۰۰۰');
    await dialog.getByText(text('console_trace_port_wrong')).waitFor();
    expect(await button.isDisabled()).toBe(true);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('۴۶۸۱۳');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('complaint A-17');
    await reader.inspect('console-trace');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(await asked).waitFor();
    await reader.inspect('console-trace-found');
    expect(await findCovered(page)).toEqual([]);
    await keys.press(text('console_trace_owner'), 'link');
    await page.getByText('گوشی نیلوفر').first().waitFor();
    const kinds = (await user.api.listNotifications()).data.notifications.map(({ kind }) => kind);
    expect(kinds).toContain('config_traced');
  });

  test('a server is left, and the worker moves its configs meanwhile', async () => {
    other = await openNumberNode(site, {
      name: 'helsinki-1',
      country: 'FI',
      city: 'Helsinki',
      address: '198.51.100.3',
    });
    await keys.press(text('console_fleet'), 'link');
    await keys.press('frankfurt-1', 'link');
    await keys.press(text('console_node_retire'));
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('too dear');
    await reader.inspect('console-retire');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await keys.heading('console_node_leaving').waitFor();
  });

  test('the first screen leads to the payment that waits; its page has what the bank answered', async () => {
    await keys.press(text('console_today'), 'link');
    await page.getByRole('link', { name: text('console_today_payment') }).waitFor();
    await reader.inspect('console-today');
    await keys.press(text('console_today_take'));
    await keys.heading('console_pay_finding_mismatch').waitFor();
    await page.getByText('track_id').first().waitFor();
    await page.keyboard.press('q');
    await page
      .getByRole('status')
      .filter({ hasText: /^بانک می‌گوید/ })
      .waitFor();
    await reader.inspect('console-payment');
    expect(await findCovered(page)).toEqual([]);
  });

  test('by a key it is credited, with the bank’s reference and a reason', async () => {
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    // The bank gave the reference with its answer, and it stands there already.
    await expect.poll(() => dialog.getByLabel(text('console_pay_bank_reference')).inputValue()).toMatch(/^\d+$/);
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('their panel shows it');
    await reader.inspect('console-credit');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await keys.heading('console_pay_completed').waitFor();
    await page.getByText('gateway:idpay:clearing').waitFor();
    await page.getByText('their panel shows it').waitFor();
    await reader.inspect('console-payment-credited');
    await keys.press(text('console_payments'), 'link');
    await keys.heading('console_pay_lead_none').waitFor();
    await page.getByRole('cell', { name: text('console_pay_completed') }).waitFor();
    await reader.inspect('console-payments');
    await keys.press(text('console_pay_group_failed'));
    await page.getByText(text('console_pay_none_fit')).waitFor();
    await keys.press(text('console_refunds'), 'link');
    await keys.heading('console_refunds_none').waitFor();
    await reader.inspect('console-refunds-none');
  });

  test('beyond the limit it waits for a second member, which its page says from then on', async () => {
    large = await payTooLittle(site, user, 60_000);
    await page.goto(`/admin/payments/${large}`);
    await keys.press(text('console_pay_credit'));
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('their panel shows this one too');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const proposed = page.getByRole('region', { name: text('console_pay_credit_waits') });
    await proposed.getByText('their panel shows this one too').waitFor();
    await proposed.getByText(BOSS).waitFor();
    // Neither the button nor its key proposes it once more; to close it as failed stays possible.
    expect(await page.getByRole('button', { name: text('console_pay_credit'), exact: true }).count()).toBe(0);
    await page.keyboard.press('c');
    await page.keyboard.press('f');
    await dialog.getByRole('heading', { name: text('console_pay_fail') }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await reader.inspect('console-payment-proposed');
    expect(await findCovered(page)).toEqual([]);
  });

  test('on a phone a server is revoked: by its name, and never by mistake', async () => {
    await page.setViewportSize(sizes.narrow);
    await keys.press(text('console_fleet'), 'link');
    await page.getByText(text('console_live', { seconds: persian(0) }).slice(0, 4)).waitFor();
    await reader.inspect('console-fleet');
    await page.setViewportSize(sizes.narrow);
    await keys.press('frankfurt-1', 'link');
    // Both the config and its replacement have a file, until the old one ends.
    await page
      .getByText(text('console_node_moved', { moved: persian(1), configs: persian(1) }))
      .waitFor({ timeout: 30_000 });
    await reader.inspect('console-node-leaving');
    await page.setViewportSize(sizes.narrow);
    await keys.press(text('console_node_revoke'));
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel(text('console_node_type_name', { name: '\u2068frankfurt-1\u2069' })));
    await page.keyboard.type('frankfurt');
    const button = dialog.getByRole('button', { name: text('console_node_revoke') });
    expect(await button.isDisabled()).toBe(true);
    await page.keyboard.type('-1');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('the machine was seized');
    await reader.inspect('console-revoke');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: text('console_node_revoked') })
      .waitFor();
    await reader.inspect('console-node');
    expect(await findCovered(page)).toEqual([]);
    await page.setViewportSize(sizes.wide);
  });

  test('in English all of it is English', async () => {
    await speakEnglish(page);
    await page.goto('/admin/corrections');
    await page.getByRole('heading', { name: 'Waiting for a second member: 2.' }).waitFor();
    await reader.inspect('console-corrections-english');
    await page.goto('/admin/people');
    await keys.press('\u2068نیلوفر رحیمی\u2069', 'link');
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await reader.inspect('console-user-english');
    expect(await persianLines(page)).toEqual([]);
    for (const [name, screen] of [
      ['Today', 'today'],
      ['Payments', 'payments'],
      ['Servers', 'fleet'],
    ] as const) {
      await keys.press(name, 'link');
      await page.locator('table, .c-note').first().waitFor();
      await reader.inspect(`console-${screen}-english`);
      expect(await persianLines(page)).toEqual([]);
    }
  });

  test('from the payment to where it is decided; once it is taken back, it can be credited again', async () => {
    await page.goto(`/admin/payments/${large}`);
    await page.getByRole('region', { name: 'Crediting this payment waits for a second member.' }).waitFor();
    await reader.inspect('console-payment-proposed-english');
    expect(await persianLines(page)).toEqual([]);
    await keys.press('Decide it under Approvals', 'link');
    const row = page.getByRole('row').filter({ hasText: 'their panel shows this one too' });
    await keys.tabTo(row.getByRole('button', { name: 'Withdraw' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await keys.tabTo(dialog.getByLabel('Reason'));
    await page.keyboard.type('looked at the wrong day');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Waiting for a second member: 1.' }).waitFor();
    await page.goto(`/admin/payments/${large}`);
    await page.getByRole('button', { name: 'Credit', exact: true }).waitFor();
    expect(await page.getByRole('region', { name: /waits for a second member/ }).count()).toBe(0);
  });

  expectNoComplaints(() => [reader]);
});
