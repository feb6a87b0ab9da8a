import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { fitsNarrowest, openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { activate, chargeThroughTestBank, signUp } from './world/user.ts';

/** Settlement files in the console, by keyboard: imported, what differs is resolved, and the months of the books. */
const BOSS = 'operator@raha.example';

describe.skipIf(whyNoBrowser)('settlement files and months in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  const title = () => page.getByRole('heading', { level: 1 });
  const dialog = () => page.getByRole('dialog');
  const submit = async (key: string) => {
    await keys.tabTo(dialog().getByRole('button', { name: text(key), exact: true }));
    await page.keyboard.press('Enter');
  };
  const outcome = () => page.locator('.c-outcome');

  beforeAll(async () => {
    site = await createSite();
    const user = await signUp(site.controlPlane.url, site.mailbox, 'niloufar@example.com', 'نیلوفر رحیمی');
    await activate(site.controlPlane, user.api, 5);
    await chargeThroughTestBank(user, 50_000);
    ({ reader, page, keys } = await openConsole(site, BOSS));
  }, 120_000);
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  /** The test bank’s own file of today, with one line more that fits no payment. */
  async function bankFile(): Promise<Buffer> {
    const today = new Date(Date.now() + 3.5 * 3_600_000).toISOString().slice(0, 10);
    const url = `${site.controlPlane.url}/dev/bank/zarinpal/settlement.csv?from=${today}&to=${today}`;
    const file = await (await fetch(url)).text();
    const lines = file.trimEnd().split('\n');
    const line = lines.find((each, index) => index > 0 && /\d|[۰-۹]/.test(each)) ?? '';
    return Buffer.from(`${file.trimEnd()}\n${line.replace(/[A-Za-z0-9۰-۹]{8,}/g, '987654321012')}\n`);
  }

  async function choose(file: { readonly name: string; readonly buffer: Buffer }): Promise<void> {
    await dialog()
      .getByLabel(text('console_import_choose'), { exact: true })
      .setInputFiles({ ...file, mimeType: 'text/csv' });
    await submit('console_import');
  }

  test('no file yet: what the gateway owes, and what to do', async () => {
    await keys.press(text('console_reconcile'), 'link');
    await expect.poll(() => title().innerText()).toBe(text('console_reconcile_lead'));
    await page.getByText(text('console_payouts_none')).waitFor();
    await reader.inspect('console-reconcile-empty');
    expect(await findCovered(page)).toEqual([]);
  });

  test('a file that is none is refused in a sentence, and the dialog stays', async () => {
    await keys.press(text('console_import'), 'button');
    await reader.whileRefused(async () => {
      await choose({ name: 'notes.csv', buffer: Buffer.from('hello') });
      await dialog().getByRole('alert').waitFor();
    });
    await reader.inspect('console-import-refused');
  });

  test('the bank’s file settles the payment, and the line that fits nothing is a difference', async () => {
    await choose({ name: 'payouts.csv', buffer: await bankFile() });
    await outcome().waitFor();
    expect(await outcome().innerText()).toContain(persian(1));
    await page.getByText(text('console_payouts'), { exact: true }).waitFor();
    await reader.inspect('console-reconcile');
    expect(await findCovered(page)).toEqual([]);
    await keys.press(text('console_reconcile_differences'), 'link');
    await page.getByText(text('console_difference_unknown_payment')).waitFor();
    await reader.inspect('console-differences');
  });

  test('the difference is resolved for a reason, and booked to the bank', async () => {
    await keys.press(text('console_resolve'), 'button');
    await keys.tabTo(dialog().getByLabel(text('console_resolve_how')));
    await page.keyboard.press('ArrowDown');
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await page.keyboard.type('در صورت‌حساب بانک هست');
    await reader.inspect('console-resolve');
    await submit('console_resolve');
    await page.getByText(text('console_differences_none')).waitFor();
    await keys.tabTo(page.getByLabel(text('console_user_state'), { exact: true }));
    await page.keyboard.press('ArrowDown');
    await page.getByText('در صورت‌حساب بانک هست').waitFor();
  });

  test('the months of the books, with the journal of each', async () => {
    await keys.press(text('console_reconcile_months'), 'link');
    const journal = page.getByRole('link', { name: text('console_month_hledger') });
    await journal.first().waitFor();
    await keys.tabTo(journal.first());
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(file.suggestedFilename()).toMatch(/^raha-\d{4}-\d\d\.journal$/);
    await reader.inspect('console-months');
    expect(await findCovered(page)).toEqual([]);
  });

  test('in English, on a narrow phone, and when it cannot be read', async () => {
    await speakEnglish(page);
    await reader.whileFailing('GET /admin/reconciliation', async () => {
      await page.goto('/admin/reconcile');
      await page.getByRole('alert').getByRole('button').waitFor();
      await reader.inspect('console-reconcile-failed');
    });
    await keys.press('Try again');
    await page.getByText('The banks and the books agree.').waitFor();
    expect(await persianLines(page)).toEqual([]);
    await fitsNarrowest(reader, 'console-reconcile-english-320');
    for (const path of ['differences?state=all', 'months']) {
      await page.goto(`/admin/reconcile/${path}`);
      await page.locator('tbody tr').first().waitFor();
    }
    expect(await persianLines(page)).toEqual([]);
  });

  expectNoComplaints(() => [reader]);
});
