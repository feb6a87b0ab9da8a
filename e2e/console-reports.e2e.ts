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

/** Reports in the console, by keyboard: each of them with what the books hold, empty, in English, and when it cannot be read. */
const BOSS = 'operator@raha.example';
const REPORTS = '/admin/reports';

describe.skipIf(whyNoBrowser)('reports in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  const title = () => page.getByRole('heading', { level: 1 });

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

  test('takings: a sentence, bars, and the same figures as a table', async () => {
    await keys.press(text('console_reports'), 'link');
    await expect.poll(() => title().innerText()).toContain(persian(50_000));
    expect(await page.locator('.c-bars rect').count()).toBe(1);
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(await page.locator('tbody td').innerText()).toContain(persian(50_000));
    await reader.inspect('console-report-takings');
    expect(await findCovered(page)).toEqual([]);
  });

  test('the days are chosen, stand in the address, and go along to another report and into the file', async () => {
    await keys.tabTo(page.getByLabel(text('console_pay_since')));
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.url()).toMatch(/reports\/takings\?from=\d{4}-\d\d-\d\d$/);
    const from = new URL(page.url()).searchParams.get('from');
    await keys.tabTo(page.getByRole('link', { name: text('console_csv') }));
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(file.suggestedFilename()).toMatch(new RegExp(`^raha-takings-${from}-.*\\.csv$`));
    await keys.press(text('console_report_usage'), 'link');
    await page.waitForURL(`**${REPORTS}/usage?from=${from}`);
    await page.getByText(text('console_report_empty')).waitFor();
    await reader.inspect('console-report-empty');
  });

  test('servers, and what is owed now', async () => {
    await keys.press(text('console_report_nodes'), 'link');
    await expect.poll(() => title().innerText()).toBe(text('console_report_nodes'));
    await page.locator('.c-report, .c-note').waitFor();
    await reader.inspect('console-report-nodes');
    await keys.press(text('console_report_liability'), 'link');
    const wallets = page.getByRole('row', { name: text('console_owed_wallets') });
    await expect.poll(() => wallets.getByRole('cell').innerText()).not.toBe(persian(0));
    expect(await page.locator('tbody tr').count()).toBe(10);
    await reader.inspect('console-report-liability');
    expect(await findCovered(page)).toEqual([]);
  });

  test('in English, on a narrow phone, and when it cannot be read', async () => {
    await speakEnglish(page);
    await reader.whileFailing('GET /admin/reports/daily**', async () => {
      await page.goto(`${REPORTS}/takings`);
      await page.getByRole('alert').getByRole('button').waitFor();
      await reader.inspect('console-report-failed');
    });
    await keys.press('Try again');
    await page.getByText('came in through the gateways').waitFor();
    expect(await persianLines(page)).toEqual([]);
    await fitsNarrowest(reader, 'console-report-english-320');
    await reader.inspect('console-report-english');
    await page.goto(`${REPORTS}/liability`);
    await page.getByText('Balances of wallets').waitFor();
    expect(await persianLines(page)).toEqual([]);
  });

  expectNoComplaints(() => [reader]);
});
