import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { beginBulks, holdBulks, releaseBulks } from './world/bulk-clock.ts';
import { openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/**
 * After an attack several users are suspended at once, by keyboard: those of a server, or picked one by one. It is cancelled before it
 * begins, paused in the middle, and undone; those who could not be suspended are listed with the reason. Then one of them alone.
 */
const BOSS = 'operator@raha.example';

describe.skipIf(whyNoBrowser)('many users in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  let node: NumberNode;
  const users: TestUser[] = [];

  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    const { url } = site.controlPlane;
    node = await openNumberNode(site);
    for (const [email, name] of [
      ['sara.ahmadi@mail.example', 'سارا احمدی'],
      ['babak.karimi@mail.example', 'بابک کریمی'],
      ['leila.moradi@mail.example', 'لیلا مرادی با نامی که از یک سطر بیرون می‌زند و باید بشکند'],
    ] as const)
      users.push(await signUp(url, site.mailbox, email, name));
    for (const user of users.slice(0, 2)) {
      await activate(site.controlPlane, user.api, 1);
      await user.api.createConfig({ body: { name: 'گوشی', serverId: node.node.id } });
    }
    ({ reader, page, keys } = await openConsole(site, BOSS));
  }, 120_000);
  afterAll(async () => {
    node?.close();
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  const dialog = () => page.getByRole('dialog');
  const lead = (title: string | RegExp) => page.getByRole('heading', { level: 1, name: title }).waitFor();
  const ofMany = (act: string, count: number) => text('console_bulk_of', { act: text(act), count: persian(count) });
  const picked = () => page.locator('.c-picked [role=status]').innerText();
  const open = async (path: string) => {
    await keys.press(text(path), 'link');
    await page.locator('h1').waitFor();
  };
  const order = async (act: string, reason: string) => {
    await keys.press(text(act));
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await page.keyboard.type(reason);
  };
  /** Down the list from its first line, to one of these people. */
  const goDown = async (name: string) => {
    const link = page.getByRole('link', { name: new RegExp(name) });
    await link.waitFor();
    for (let step = 0; step < 30 && !(await keys.hasFocus(link)); step += 1) await page.keyboard.press('j');
    expect(await keys.hasFocus(link)).toBe(true);
  };
  /** Names of users stay as they are. */
  const persianSentences = async () => (await persianLines(page)).filter((line) => !line.startsWith('\u2068'));
  const statuses = () =>
    Promise.all(
      users.map(({ api }) =>
        api.me().then(
          ({ user }) => user.status,
          (error: { code: string }) => error.code,
        ),
      ),
    );

  test('two are picked with the keyboard, and what will be done to them is said beforehand', async () => {
    await open('console_people');
    await keys.tabTo(page.getByRole('link', { name: /لیلا/ }));
    await page.keyboard.press('x');
    await goDown('سارا');
    await page.keyboard.press('x');
    expect(await picked()).toBe(text('console_picked', { count: persian(2) }));
    await page.keyboard.press('x');
    expect(await picked()).toBe(text('console_picked', { count: persian(1) }));
    await page.keyboard.press('x');
    await reader.inspect('console-people-picked');
    expect(await findCovered(page)).toEqual([]);
    await order('console_bulk_suspend', 'an attack from these two');
    await dialog().getByText(text('console_bulk_suspend_effect')).waitFor();
    await reader.inspect('console-bulk-order');
    await page.keyboard.press('Enter');
    await lead(new RegExp(ofMany('console_bulk_suspend', 2)));
    await page.getByText(text('console_bulk_open_head', { count: persian(2) })).waitFor();
    await reader.inspect('console-bulk-planned');
  });

  test('the first screen shows it, and it is cancelled before it begins', async () => {
    await open('console_today');
    await page.getByRole('region', { name: text('console_bulks') }).waitFor();
    await reader.inspect('console-today-bulk');
    await keys.press(ofMany('console_bulk_suspend', 2), 'link');
    await keys.press(text('console_bulk_cancel'));
    await lead(text('console_bulk_lead_cancelled', { title: ofMany('console_bulk_suspend', 2) }));
    await reader.inspect('console-bulk-cancelled');
    expect(await statuses()).toEqual(['active', 'active', 'active']);
  });

  test('all who have a config on a server, with their number; paused, and gone on with', async () => {
    await open('console_people');
    const server = page.getByLabel(text('console_people_server'), { exact: true });
    await keys.tabTo(server);
    await server.selectOption({ label: 'frankfurt-1' });
    await page.waitForURL('**/admin/people?server=*');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await reader.inspect('console-people-of-server');
    await keys.press(text('console_pick_all'));
    await expect.poll(picked).toBe(text('console_pick_fit', { count: persian(2) }));
    await order('console_bulk_suspend', 'their server was attacked');
    await page.keyboard.press('Enter');
    await lead(new RegExp(ofMany('console_bulk_suspend', 2)));
    await page.getByText(text('console_people_on', { server: '\u2068frankfurt-1\u2069' })).waitFor();
    await holdBulks(site.controlPlane);
    await keys.press(text('console_bulk_pause'));
    const title = ofMany('console_bulk_suspend', 2);
    await lead(text('console_bulk_lead_paused', { title, left: persian(2) }));
    await reader.inspect('console-bulk-paused');
    await keys.press(text('console_bulk_continue'));
    await lead(text('console_bulk_lead_running', { title, done: persian(0), left: persian(2) }));
    await reader.inspect('console-bulk-running');
    await releaseBulks(site.controlPlane);
    await lead(text('console_bulk_lead_done', { title }));
    await page.getByText(text('console_bulk_done_head', { count: persian(2) })).waitFor();
    await reader.inspect('console-bulk-done');
    expect((await statuses()).slice(2)).toEqual(['active']);
    const { bulks } = await site.controlPlane.raha<{ bulks: { state: string; done: number }[] }>('bulk', 'list');
    expect(bulks.map(({ state, done }) => [state, done])).toEqual([
      ['done', 2],
      ['cancelled', 0],
    ]);
  });

  test('undone, both are open again', async () => {
    await keys.press(text('console_bulk_undo'));
    await dialog().getByText(text('console_bulk_undo_suspend')).waitFor();
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await page.keyboard.type('it was not them');
    await reader.inspect('console-bulk-undo');
    await page.keyboard.press('Enter');
    await lead(text('console_bulk_lead_done', { title: ofMany('console_bulk_reopen', 2) }));
    await page.getByText(text('console_bulk_undoes')).waitFor();
    await reader.inspect('console-bulk-undone');
    const found = await site.controlPlane.raha<{ action: string }[]>('audit', 'list', '--action', 'accounts.reopen');
    expect(found).toHaveLength(2);
  });

  test('one of them on their own page: suspended, taken back within ten seconds, suspended again and reopened', async () => {
    const statusOfLeila = async () => (await statuses())[2];
    const undo = page.getByRole('button', { name: text('console_bulk_undo'), exact: true });
    const suspend = async () => {
      await order('console_bulk_suspend', 'complaint 1405-78');
      await page.keyboard.press('Enter');
      await dialog().waitFor({ state: 'detached' });
      await page.getByText(text('console_account_suspended')).waitFor();
    };
    await open('console_people');
    await keys.tabTo(page.getByRole('link', { name: /لیلا/ }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/admin/people/*');
    await keys.press(text('console_bulk_suspend'));
    await dialog()
      .getByText(text('console_account_suspend_effect', { configs: persian(0), sessions: persian(1) }))
      .waitFor();
    await reader.inspect('console-account-suspend');
    await page.keyboard.press('Escape');
    await suspend();
    // The focus is where it was: the way back is the next stop.
    await page.keyboard.press('Tab');
    expect(await keys.hasFocus(undo)).toBe(true);
    for (const [width, size] of Object.entries(sizes)) {
      await page.setViewportSize(size);
      await reader.keepPicture(`console-account-undo-${width}`);
    }
    await page.setViewportSize(sizes.wide);
    await page.keyboard.press('Enter');
    await page.getByText(text('console_account_reopened')).waitFor();
    await expect.poll(() => undo.count()).toBe(0);
    const [undone] = await site.controlPlane.raha<{ details: { undoes?: number }; reason: string }[]>(
      ...['audit', 'list', '--action', 'accounts.reopen'],
    );
    expect(undone).toMatchObject({
      details: { undoes: expect.any(Number) },
      reason: expect.stringContaining('1405-78'),
    });
    await suspend();
    await expect.poll(() => undo.count(), { timeout: 20_000 }).toBe(0);
    expect(await statusOfLeila()).not.toBe('active');
    await reader.inspect('console-account-suspended');
    expect(await findCovered(page)).toEqual([]);
    await order('console_bulk_reopen', 'it was not her');
    await dialog()
      .getByText(text('console_account_reopen_effect', { configs: persian(0) }))
      .waitFor();
    await reader.inspect('console-account-reopen');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_account_reopened')).waitFor();
    await page.getByRole('button', { name: text('console_bulk_suspend'), exact: true }).waitFor();
  });

  test('those left out are listed with the reason; in English, on a narrow phone, and when it cannot be read', async () => {
    await speakEnglish(page);
    await page.goto('/admin/people?state=active');
    await keys.press('Everyone who fits');
    await expect.poll(picked).toBe('Everyone who fits this filter: 4');
    await reader.inspect('console-people-english');
    await keys.press('Suspend');
    await keys.tabTo(dialog().getByLabel('Reason'));
    await page.keyboard.type(
      'a very long reason, of which every word is needed, because an incident has many of them and all are kept',
    );
    await page.keyboard.press('Enter');
    await lead(/^Suspend, 4 people: begins in/);
    await beginBulks(site.controlPlane);
    // The member is one of them, and stays.
    await lead('Suspend, 4 people: 3 done, 1 left out');
    await page.getByText('Works here; only the command line does this to members of staff.').waitFor();
    await reader.inspect('console-bulk-english');
    expect(await persianSentences()).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.goto('/admin/people');
    await page.locator('tbody tr').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.setViewportSize(sizes.wide);
    await keys.press('Bulk acts', 'link');
    await page.getByRole('heading', { name: 'No bulk act is waiting or running' }).waitFor();
    await reader.inspect('console-bulks-english');
    expect(await persianSentences()).toEqual([]);
    await reader.whileFailing('GET /admin/bulks', async () => {
      await page.reload();
      await page.getByRole('alert').getByRole('button').waitFor();
      await reader.inspect('console-bulks-failed');
    });
  });

  expectNoComplaints(() => [reader]);
});
