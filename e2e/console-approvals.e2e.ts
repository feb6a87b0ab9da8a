import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { fitsNarrowest, openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';

/** An admin proposes another price of a gigabyte and other terms of a plan, by keyboard; finance approves one and declines the other. */
const ADMIN = 'admin@raha.example';
const FINANCE = 'finance@raha.example';

describe.skipIf(whyNoBrowser)('prices that a second member approves, by keyboard', () => {
  let site: Site;
  let admin: Reader;
  let finance: Reader;
  let keys: ConsoleKeyboard;
  let others: ConsoleKeyboard;

  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    for (const [email, role] of [
      [ADMIN, 'admin'],
      [FINANCE, 'finance'],
    ] as const)
      await site.controlPlane.raha('staff', 'add', '--email', email, '--role', role);
    ({ reader: admin, keys } = await openConsole(site, ADMIN));
    ({ reader: finance, keys: others } = await openConsole(site, FINANCE));
  }, 120_000);
  afterAll(async () => {
    await finance?.close();
    await admin?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  const dialogOf = ({ page }: Reader) => page.getByRole('dialog');
  const type = async (label: string, typed: string) => {
    await keys.tabTo(dialogOf(admin).getByLabel(text(label), { exact: true }));
    await admin.page.keyboard.press('ControlOrMeta+KeyA');
    await admin.page.keyboard.type(typed);
  };
  const effect = () => dialogOf(admin).locator('.c-effect');
  /** From the first to the last field the dialog says so, and nowhere that it holds now. */
  const saysThatItProposes = async (title: string, about: Readonly<Record<string, string>> = {}) => {
    await dialogOf(admin)
      .getByRole('heading', { name: text(title, about) })
      .waitFor();
    const seen = await dialogOf(admin).innerText();
    expect(seen).toContain(text('console_approval_second'));
    expect(seen).not.toContain(text('console_price_now'));
  };
  const priceOf = (cents: number) => text('console_price_of', { cents: persian(cents) });
  const rowOf = ({ page }: Reader, reason: string) => page.getByRole('row').filter({ hasText: reason });

  test('the dialog says that a second member decides; the price stays until then', async () => {
    const { page } = admin;
    await keys.press(text('console_prices'), 'link');
    await keys.press(text('console_price_change'));
    await saysThatItProposes('console_price_propose');
    await type('console_price_new', '۴');
    await keys.tabTo(dialogOf(admin).getByRole('radio').first());
    await page.keyboard.press('ArrowDown');
    // Ten minutes from now, and until two minutes before it can be approved.
    await effect()
      .filter({ hasText: `${persian(2)} دقیقه پیش از آن تأیید شده باشد` })
      .waitFor();
    await saysThatItProposes('console_price_propose');
    await page.keyboard.press('ArrowUp');
    await type('console_reason', 'servers cost more');
    await effect()
      .filter({ hasText: text('console_approval_at_once') })
      .waitFor();
    await saysThatItProposes('console_price_propose');
    await admin.inspect('console-price-propose');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/admin\/corrections$/);
    const row = rowOf(admin, 'servers cost more');
    await row.getByText(text('console_approval_price', { before: priceOf(3), after: priceOf(4) })).waitFor();
    await row.getByText(text('console_correction_own')).waitFor();
    await keys.press(text('console_plans'), 'link');
    await keys.press('پایه', 'link');
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: persian(99_000) })
      .waitFor();
    // Names and whether it is sold are not an admin's.
    expect(await page.getByRole('button', { name: text('console_plan_show') }).count()).toBe(0);
    await keys.press(text('console_plan_change'));
    const title = ['console_plan_propose_title', { plan: 'پایه' }] as const;
    await saysThatItProposes(...title);
    await type('console_plan_price', '۸۹۰۰۰');
    await type('console_reason', 'the others are cheaper');
    await effect()
      .filter({ hasText: text('console_approval_at_once') })
      .waitFor();
    await saysThatItProposes(...title);
    await admin.inspect('console-plan-propose');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/admin\/corrections$/);
    await rowOf(admin, 'the others are cheaper').waitFor();
    await admin.inspect('console-approvals-admin');
    expect(await findCovered(page)).toEqual([]);
    expect(await page.getByRole('button', { name: text('console_correction_approve') }).count()).toBe(0);
  });

  test('finance sees what would change, approves the price and declines the plan', async () => {
    const { page } = finance;
    await others.press(text('console_today'), 'link');
    await page.getByRole('cell', { name: text('console_approval_act_price') }).waitFor();
    await finance.inspect('console-today-approvals');
    await others.press(text('console_today_take'));
    await others.tabTo(
      rowOf(finance, 'servers cost more').getByRole('button', { name: text('console_correction_approve') }),
    );
    await page.keyboard.press('Enter');
    await finance.inspect('console-approvals-price');
    await page.keyboard.press('Enter');
    await dialogOf(finance).waitFor({ state: 'detached' });
    expect(await page.getByRole('status').innerText()).toBe(text('console_correction_done'));
    await others.tabTo(
      rowOf(finance, 'the others are cheaper').getByRole('button', { name: text('console_correction_decline') }),
    );
    await page.keyboard.press('Enter');
    await others.tabTo(dialogOf(finance).getByLabel(text('console_reason')));
    await page.keyboard.type('not before spring');
    await page.keyboard.press('Enter');
    await dialogOf(finance).waitFor({ state: 'detached' });
    await finance.inspect('console-approvals-decided');
    await others.press(text('console_prices'), 'link');
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: priceOf(4) })
      .waitFor();
    await page.getByRole('cell', { name: FINANCE }).waitFor();
  });

  test('in English, and on a narrow phone', async () => {
    const { page } = admin;
    await speakEnglish(page);
    await page.goto('/admin/corrections');
    await page.getByRole('heading', { level: 1, name: 'Nothing waits for a second member.' }).waitFor();
    await rowOf(admin, 'the others are cheaper').getByText('Declined').waitFor();
    await admin.inspect('console-approvals-prices-english');
    expect(await persianLines(page)).toEqual([]);
    await fitsNarrowest(admin);
  });

  expectNoComplaints(() => [admin, finance]);
});
