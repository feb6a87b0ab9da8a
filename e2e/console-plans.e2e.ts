import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp } from './world/user.ts';

/** Plans in the console, by keyboard: changed, overtaken, planned, cancelled, made, taken off sale; then in English, and for those who only read. */
const BOSS = 'operator@raha.example';
const PLANS = '/admin/plans';

describe.skipIf(whyNoBrowser)('plans in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  const dialog = () => page.getByRole('dialog');
  const type = async (label: string, typed: string) => {
    await keys.tabTo(dialog().getByLabel(text(label), { exact: true }));
    await page.keyboard.press('ControlOrMeta+KeyA');
    await page.keyboard.type(typed);
  };
  const effect = () => dialog().locator('.c-effect').innerText();
  const lead = () => page.getByRole('heading', { level: 1 }).innerText();
  const row = (n: number) => page.locator('tbody tr').nth(n);
  const confirm = async () => {
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
  };

  /** Somebody with money for a plan. */
  const buyer = async (email: string) => {
    const user = await signUp(site.controlPlane.url, site.mailbox, email);
    await activate(site.controlPlane, user.api, 5);
    return user;
  };

  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    // A plan that is bought in a trial begins after it.
    await site.controlPlane.raha('settings', 'set', 'trial.passwordlessDays', '0');
    // What a second member decides: console-approvals.e2e.ts.
    await site.controlPlane.raha('settings', 'set', 'approvals.pricesAlone', 'true');
    ({ reader, page, keys } = await openConsole(site, BOSS));
  }, 120_000);
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  test('what each plan costs and gives; another price and fewer gigabytes hold at once', async () => {
    await keys.press(text('console_plans'), 'link');
    await page.getByRole('link', { name: 'پایه', exact: true }).waitFor();
    expect(await lead()).toContain(persian(3));
    await reader.inspect('console-plans');
    await keys.press('پایه', 'link');
    await page.waitForURL(`**${PLANS}/basic`);
    await row(0).getByText(text('console_plan_beginning')).waitFor();
    await reader.inspect('console-plan');
    await keys.press(text('console_plan_change'));
    // Nothing is different: there is nothing to confirm.
    expect(
      await dialog()
        .getByRole('button', { name: text('console_plan_change') })
        .isDisabled(),
    ).toBe(true);
    await type('console_plan_price', '۱۲۰۰۰۰');
    await type('console_plan_original', '110000');
    await type('console_plan_traffic', '60');
    await type('console_plan_speed', '۲۰');
    await type('console_reason', 'the servers cost more');
    await reader.whileRefused(async () => {
      await page.keyboard.press('Enter');
      await dialog().getByRole('alert').waitFor();
    });
    await reader.inspect('console-plan-refused');
    await type('console_plan_original', '150000');
    const preview = dialog().getByRole('region', { name: text('console_plan_preview') });
    expect(await preview.innerText()).toContain(persian(120_000));
    expect(await preview.innerText()).toContain(`${persian(60)} گیگابایت`);
    const speed = text('plan_speed_up_to', { mbit: persian(20) });
    expect(await preview.innerText()).toContain(speed);
    expect(await effect()).toContain(text('console_plan_no_speed'));
    expect(await effect()).toContain(persian(99_000));
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await reader.inspect('console-plan-change');
    await confirm();
    await page.getByText(text('console_plan_changed')).waitFor();
    await expect.poll(lead).toContain(persian(120_000));
    expect(await row(0).innerText()).toContain(BOSS);
    expect(await row(0).innerText()).toContain('the servers cost more');
    expect(await row(0).innerText()).toContain(speed);
    expect(await row(1).innerText()).not.toContain('مگابیت');
    expect(await findCovered(page)).toEqual([]);
  });

  test('what another one changed meanwhile is shown beside what was typed, and one decides anew', async () => {
    await keys.press(text('console_plan_change'));
    await type('console_plan_device_field', '3');
    await type('console_reason', 'more devices');
    await site.controlPlane.raha('plans', 'set', '--id', 'basic', '--price', '130000', '--reason', 'by the market');
    await reader.whileRefused(async () => {
      await page.keyboard.press('Enter');
      await dialog().getByText(text('console_plan_meanwhile')).waitFor();
    });
    const meanwhile = dialog().locator('.c-plan-conflict');
    expect(await meanwhile.innerText()).toContain('by the market');
    // The field that nobody touched follows; the other one keeps what was typed.
    expect(await dialog().getByLabel(text('console_plan_price'), { exact: true }).inputValue()).toBe(persian(130_000));
    expect(await dialog().getByLabel(text('console_plan_device_field')).inputValue()).toBe('3');
    await reader.inspect('console-plan-meanwhile');
    await confirm();
    await expect.poll(lead).toContain(persian(130_000));
    await expect.poll(lead).toContain(text('console_plan_devices', { devices: persian(3) }));
  });

  test('what each version was sold, what runs of it, was cancelled and brought; and what names none', async () => {
    const [stays, leaves] = [await buyer('stays@mail.example'), await buyer('leaves@mail.example')];
    for (const { api } of [stays, leaves]) await api.purchaseSubscription({ body: { plan_id: 'basic' } });
    await page.goto(`/admin/people/${stays.user.id}`);
    await page.getByText(text('plan_speed_up_to', { mbit: persian(20) })).waitFor();
    await reader.inspect('console-user-plan');
    await page.goto(`${PLANS}/basic`);
    const [bought] = (await leaves.api.listSubscriptions()).data.subscriptions;
    await leaves.api.cancelSubscription({ params: { id: bought?.id ?? '' } });
    await insertNameless(site, stays.user.id);
    const figures = page.getByRole('region', { name: text('console_plan_figures') }).locator('tbody tr');
    // A schedule adds them up.
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByText(text('console_plan_figures')).waitFor();
          return await figures.count();
        },
        { timeout: 60_000, interval: 2_000 },
      )
      .toBe(3);
    const cells = async (n: number) => (await figures.nth(n).locator('td').allInnerTexts()).map((cell) => cell.trim());
    expect((await cells(0)).slice(0, 3)).toEqual([persian(2), persian(1), persian(1)]);
    expect(await figures.nth(1).innerText()).toContain(text('console_plan_no_version'));
    expect(await cells(1)).toEqual([persian(1), persian(0), persian(0), persian(0)]);
    expect((await cells(2)).slice(0, 3)).toEqual([persian(3), persian(1), persian(1)]);
    await reader.inspect('console-plan-figures');
    expect(await findCovered(page)).toEqual([]);
    await keys.tabTo(page.getByRole('link', { name: text('console_plans'), exact: true }).first());
    await page.keyboard.press('Enter');
    await page.getByText(text('console_plan_brought')).first().waitFor();
    await reader.inspect('console-plans-figures');
    await reader.whileFailing('GET /admin/reports/plans', async () => {
      await page.goto(`${PLANS}/basic`);
      await page.getByRole('alert').getByRole('button').waitFor();
      expect(await row(0).innerText()).toContain(persian(130_000));
      await reader.inspect('console-plan-figures-failed');
    });
    await keys.press(text('console_retry'));
    await figures.first().waitFor();
  });

  test('a change is planned for a day and time of Tehran, stands on the first screen, and is cancelled', async () => {
    await keys.press(text('console_plan_change'));
    await type('console_plan_price', '140000');
    await keys.tabTo(dialog().getByRole('radio').first());
    await page.keyboard.press('ArrowDown');
    await type('console_plan_moment_day', '۱۴۰۵/۱۳/۰۱');
    await dialog().getByText(text('console_plan_no_moment')).waitFor();
    expect(
      await dialog()
        .getByRole('button', { name: text('console_plan_schedule') })
        .isDisabled(),
    ).toBe(true);
    await reader.inspect('console-plan-no-moment');
    // In half a year of days that every calendar has.
    const later = new Date(Date.now() + 180 * 86_400_000).toISOString().slice(0, 10);
    await type('console_plan_moment_day', later);
    await type('console_plan_moment_time', '۰۹:۳۰');
    await type('console_reason', 'from next year on');
    expect(await effect()).toContain(persian(140_000));
    await reader.inspect('console-plan-schedule');
    await confirm();
    await row(0).getByText(text('console_price_planned')).waitFor();
    expect(await lead()).toContain(persian(130_000));
    await reader.inspect('console-plan-planned');
    await keys.press(text('console_today'), 'link');
    await page.getByRole('link', { name: text('toman', { amount: persian(140_000) }) }).waitFor();
    await reader.inspect('console-today-plan');
    await keys.press(text('console_plans'), 'link');
    await keys.press('پایه', 'link');
    await keys.tabTo(row(0).getByRole('button', { name: text('console_price_cancel') }));
    await page.keyboard.press('Enter');
    await type('console_reason', 'not yet');
    await reader.inspect('console-plan-cancel');
    await confirm();
    await row(0).getByText(text('console_price_cancelled')).waitFor();
    expect(await findCovered(page)).toEqual([]);
  });

  test('a plan is made, put on sale, and taken off again', async () => {
    await keys.tabTo(page.getByRole('link', { name: text('console_plans'), exact: true }).first());
    await page.keyboard.press('Enter');
    await keys.press(text('console_plan_make'));
    await type('console_plan_id', 'family');
    await type('console_plan_price', '300000');
    await type('console_plan_name_fa', 'خانواده');
    await type('console_plan_name_en', 'Family');
    await type('console_reason', 'asked for');
    await reader.inspect('console-plan-make');
    await confirm();
    await page.waitForURL(`**${PLANS}/family`);
    await page.getByText(text('console_plan_not_sold')).first().waitFor();
    const toggle = async (button: string) => {
      await keys.press(text('console_plan_show'));
      await keys.tabTo(dialog().getByLabel(text('console_plan_sold_field')));
      await page.keyboard.press('Space');
      await type('console_reason', 'asked for');
      expect(await effect()).toBe(text(button));
      await reader.inspect(`console-plan-show-${button.endsWith('on') ? 'on' : 'off'}`);
      await confirm();
    };
    await toggle('console_plan_effect_on');
    await page.getByText(text('console_plan_sold')).first().waitFor();
    await toggle('console_plan_effect_off');
    await page.getByText(text('console_plan_not_sold')).first().waitFor();
    await reader.inspect('console-plan-not-sold');
  });

  test('in English, on a narrow phone, when it cannot be read, without any plan, and for those who only read', async () => {
    await speakEnglish(page);
    await reader.whileFailing('GET /admin/plans', async () => {
      await page.goto(PLANS);
      await page.getByRole('alert').getByRole('button').waitFor();
      await reader.inspect('console-plans-failed');
    });
    await keys.press('Try again');
    await page.getByText('Plans on sale: 3.').waitFor();
    expect(await persianLines(page)).toEqual([]);
    await page.goto(`${PLANS}/basic`);
    await page.getByRole('heading', { name: 'Basic: 130,000 toman for 30 days, 60 GB, 3 devices' }).waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    await keys.press('Change terms');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await reader.keepPicture('console-plan-english-320');
    await page.keyboard.press('Escape');
    await page.setViewportSize(sizes.wide);
    await reader.inspect('console-plan-english');
    await page.route('**/api/v1/admin/plans', (route) =>
      route.fulfill({ json: { success: true, data: { plans: [] } } }),
    );
    await page.goto(PLANS);
    await page.getByText('There is no plan yet.').waitFor();
    await reader.inspect('console-plans-none');
    await page.unroute('**/api/v1/admin/plans');
    const as = (role: string) =>
      page.route('**/api/v1/admin/me', async (route) => {
        const { data } = (await (await route.fetch()).json()) as { data: object };
        await route.fulfill({ json: { success: true, data: { ...data, role } } });
      });
    await as('auditor');
    await page.goto(`${PLANS}/basic`);
    await page.getByText('These roles change plans: Super admin').waitFor();
    expect(await page.getByRole('button', { name: 'Change terms' }).count()).toBe(0);
    await as('support');
    await page.goto(PLANS);
    await page.getByRole('heading', { name: 'Your role does not see this section' }).waitFor();
  });

  expectNoComplaints(() => [reader]);
});

/** Bought for nothing before versions were kept, and over by now. */
async function insertNameless(site: Site, userId: string): Promise<void> {
  const database = new pg.Client(await site.controlPlane.databaseUrl());
  await database.connect();
  await database.query(
    `INSERT INTO subscription (id, user_id, plan_id, kind, paid_with, name_fa, name_en, price_toman, duration_days, max_devices,
       starts_at, ends_at, created_at)
     VALUES (gen_random_uuid(), $1, 'basic', 'purchase', 'wallet', 'پایه', 'Basic', 0, 30, 1, now() - interval '60 days',
       now() - interval '30 days', now() - interval '60 days')`,
    [userId],
  );
  await database.end();
}
