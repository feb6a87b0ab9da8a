import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { fitsNarrowest, openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';

/** Settings in the console, by keyboard: found, changed, overtaken by the command line, reset; a flag; then in English, and for those who only read. */
const BOSS = 'operator@raha.example';
const SETTINGS = '/admin/settings';

describe.skipIf(whyNoBrowser)('settings in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  const dialog = () => page.getByRole('dialog');
  const type = async (label: string, typed: string) => {
    await keys.tabTo(dialog().getByLabel(text(label)));
    await page.keyboard.press('ControlOrMeta+KeyA');
    await page.keyboard.type(typed);
  };
  const fact = (n: number) => page.locator('.c-setting dd').nth(n);

  beforeAll(async () => {
    site = await createSite();
    await site.controlPlane.raha('settings', 'set', 'trial.gb', '12');
    ({ reader, page, keys } = await openConsole(site, BOSS));
  }, 120_000);
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  test('each stands in its area, with what it does; a part of the description finds it', async () => {
    await keys.press(text('console_settings'), 'link');
    await page.getByRole('link', { name: 'brand.name', exact: true }).waitFor();
    expect(await page.getByRole('table').count()).toBe(7);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(persian(1));
    await reader.inspect('console-settings');
    expect(await findCovered(page)).toEqual([]);
    await keys.tabTo(page.getByRole('searchbox'));
    await page.keyboard.type('گیگابایت رایگان');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(decodeURIComponent(page.url())).toContain('text=گیگابایت');
    await reader.inspect('console-settings-found');
    await page.keyboard.type('؟؟');
    await page.getByText(text('console_settings_none')).waitFor();
    await reader.inspect('console-settings-none');
    await keys.press(text('console_settings_clear'));
    await keys.press(text('console_settings_differing'));
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await keys.press('trial.gb', 'link');
    await page.waitForURL(`**${SETTINGS}/trial.gb`);
  });

  test('a wrong value is refused with what is allowed, and nothing typed is lost', async () => {
    await page.getByRole('cell', { name: text('console_audit_machine') }).waitFor();
    await keys.press(text('console_setting_change'));
    await type('console_setting_value', '۹۰۰۰۰۰');
    await type('console_reason', 'as we agreed');
    await reader.whileRefused(async () => {
      await page.keyboard.press('Enter');
      await dialog().getByRole('alert').getByText(persian(100_000)).waitFor();
    });
    await reader.inspect('console-setting-refused');
    await type('console_setting_value', '۱۵');
    expect(await dialog().locator('.c-effect').innerText()).toMatch(new RegExp(`${persian(12)}.*${persian(15)}`));
    await reader.inspect('console-setting-change');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await page.getByText(text('console_setting_changed')).waitFor();
    await expect.poll(() => fact(0).innerText()).toBe(persian(15));
    const row = page.locator('tbody tr').first();
    expect(await row.innerText()).toContain(BOSS);
    expect(await row.innerText()).toContain('as we agreed');
    await reader.inspect('console-setting');
    expect(await findCovered(page)).toEqual([]);
  });

  test('what the command line changed meanwhile is not overwritten: one sees it, and decides again', async () => {
    await keys.press(text('console_setting_change'));
    await type('console_setting_value', '30');
    await type('console_reason', 'more for newcomers');
    await site.controlPlane.raha('settings', 'set', 'trial.gb', '20');
    await reader.whileRefused(async () => {
      await page.keyboard.press('Enter');
      await dialog().getByRole('alert').waitFor();
      await expect.poll(() => dialog().locator('.c-effect').innerText()).toContain(persian(20));
    });
    await reader.inspect('console-setting-meanwhile');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await expect.poll(() => fact(0).innerText()).toBe(persian(30));
    await keys.press(text('console_setting_reset'));
    await type('console_reason', 'as it was');
    await reader.inspect('console-setting-reset');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_setting_was_reset')).waitFor();
    await expect.poll(() => fact(0).innerText()).toBe(persian(10));
    await page.getByRole('button', { name: text('console_setting_reset') }).waitFor({ state: 'detached' });
  });

  test('a switch, a choice and a list, each found by its name', async () => {
    const open = async (key: string) => {
      await page.keyboard.press('ControlOrMeta+KeyK');
      await dialog().getByRole('combobox').waitFor();
      await page.keyboard.type(key);
      await dialog().getByRole('option', { name: key }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${SETTINGS}/${key}`);
      await keys.press(text('console_setting_change'));
    };
    await open('trial.requiresActivation');
    await keys.tabTo(dialog().getByRole('switch'));
    await page.keyboard.press('Space');
    await type('console_reason', 'a trial for everybody');
    await reader.inspect('console-setting-switch');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_setting_changed')).waitFor();
    await open('gateways.idpay');
    await keys.tabTo(dialog().getByRole('radio').first());
    await page.keyboard.press('ArrowUp');
    await reader.inspect('console-setting-choice');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await open('cutOff.reachable');
    await type('console_setting_value', '["bank.example"');
    await dialog().getByText(text('console_setting_not_json')).waitFor();
    await reader.inspect('console-setting-list');
    await page.keyboard.type(']');
    await type('console_reason', 'only this bank');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_setting_changed')).waitFor();
    await expect.poll(() => fact(0).innerText()).toBe('["bank.example"]');
    await reader.inspect('console-setting-of-list');
  });

  test('a flag: for a tenth of the users, with an owner and a day; past that day it is marked, and an alert says so', async () => {
    await page.goto(`${SETTINGS}/flags.openconnect`);
    await keys.press(text('console_setting_change'));
    await keys.tabTo(dialog().getByRole('radio').first());
    await page.keyboard.press('ArrowDown');
    await type('console_flag_per_cent', '۱۵۰');
    await dialog().getByText(text('console_flag_per_cent_wrong')).waitFor();
    await type('console_flag_until', '۱۴۰۵/۱۳/۰۱');
    await dialog().getByText(text('console_flag_no_day')).waitFor();
    expect(
      await dialog()
        .getByRole('button', { name: text('console_setting_change') })
        .isDisabled(),
    ).toBe(true);
    await reader.inspect('console-flag-wrong');
    await type('console_flag_per_cent', '۱۰');
    await type('console_flag_until', '۱۴۰۶/۰۳/۱۰');
    const owner = dialog().getByLabel(text('console_flag_owner'));
    await keys.tabTo(owner);
    await owner.selectOption({ label: BOSS });
    await type('console_reason', 'first for a few');
    expect(await dialog().locator('.c-effect').innerText()).toContain(`${persian(10)}٪`);
    expect(await dialog().locator('.c-effect').innerText()).toContain(BOSS);
    await reader.inspect('console-flag-change');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_setting_changed')).waitFor();
    await expect.poll(() => fact(0).innerText()).toContain(`${persian(10)}٪`);
    const { flags } = await site.controlPlane.raha<{ flags: { value: object }[] }>('flags', 'list');
    expect(flags[0]?.value).toMatchObject({ percent: 10, until: '2027-05-31' });
    await site.controlPlane.raha('flags', 'set', '--name', 'openconnect', '--until', '2026-01-01');
    await page.reload();
    await page.getByText(text('console_flag_overdue')).waitFor();
    await reader.inspect('console-flag-overdue');
    expect(await findCovered(page)).toEqual([]);
    await page.goto(`${SETTINGS}?text=flags`);
    await page.getByText(text('console_flag_overdue')).waitFor();
    await reader.inspect('console-flags');
    await site.controlPlane.raha('settings', 'reset', 'flags.openconnect');
  });

  test('in English, on a narrow phone, when it cannot be read, and for those who only read', async () => {
    await speakEnglish(page);
    await reader.whileFailing('GET /admin/settings', async () => {
      await page.goto(`${SETTINGS}?text=trial`);
      await page.getByRole('alert').getByRole('button').waitFor();
      await reader.inspect('console-settings-failed');
    });
    await keys.press('Try again');
    await page.getByText('Days of the trial of who registers with a password').waitFor();
    expect(await persianLines(page)).toEqual([]);
    await page.goto(SETTINGS);
    await page.getByRole('link', { name: 'sms.codeTemplate' }).waitFor();
    await fitsNarrowest(reader, 'console-settings-english-320');
    await reader.inspect('console-settings-english');
    const as = (role: string) =>
      page.route('**/api/v1/admin/me', async (route) => {
        const { data } = (await (await route.fetch()).json()) as { data: object };
        await route.fulfill({ json: { success: true, data: { ...data, role } } });
      });
    await as('auditor');
    await page.goto(`${SETTINGS}/trial.gb`);
    await page.getByText('These roles change it: Super admin.').waitFor();
    expect(await page.getByRole('button', { name: 'Change the value' }).count()).toBe(0);
    expect(await persianLines(page)).toEqual([]);
    await reader.inspect('console-setting-english');
    await as('support');
    await page.goto(SETTINGS);
    await page.getByRole('heading', { name: 'Your role does not see this section' }).waitFor();
  });

  expectNoComplaints(() => [reader]);
});
