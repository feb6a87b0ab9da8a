import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOfApp } from './world/authenticator-app.ts';
import { findBrowser, openBrowser, persian, type Reader, text } from './world/browser.ts';
import { type ConsoleKeyboard, consoleKeyboard } from './world/console-keyboard.ts';
import type { ControlPlane } from './world/control-plane.ts';
import { findCovered } from './world/covered.ts';
import { waitForCode } from './world/mailbox.ts';
import { createSite, type Site } from './world/site.ts';
import { addVirtualAuthenticator } from './world/virtual-authenticator.ts';

/** The console by keyboard: the first super admin signs in, adds a member, and finds it in the audit (decision 94). */
const whyNot = findBrowser() ? undefined : 'a browser is needed';
const BOSS = 'operator@raha.example';
const MEMBER = 'sara@staff.example';

describe.skipIf(whyNot)('the console by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let heading: ConsoleKeyboard['heading'];
  let hasFocus: ConsoleKeyboard['hasFocus'];
  let tabTo: ConsoleKeyboard['tabTo'];
  let press: ConsoleKeyboard['press'];

  beforeAll(async () => {
    site = await createSite();
    // What a second member decides: console-approvals.e2e.ts.
    await site.controlPlane.raha('settings', 'set', 'approvals.pricesAlone', 'true');
    // Browsers know passkeys of localhost, and none of 127.0.0.1.
    reader = await openBrowser(site.controlPlane.url.replace('127.0.0.1', 'localhost'));
    page = reader.page;
    ({ heading, hasFocus, tabTo, press } = consoleKeyboard(page));
    await addVirtualAuthenticator(page);
  });
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });

  test('signs in by code, sets up a passkey, and gets recovery codes', async () => {
    // Only the server knows whether somebody is signed in; it says no.
    await reader.whileRefused(async () => {
      await page.goto('/admin');
      await heading('console_sign_in').waitFor();
    });
    await reader.inspect('console-sign-in');
    await expect.poll(() => hasFocus(page.getByLabel(text('console_email')))).toBe(true);
    await page.keyboard.type(BOSS);
    await page.keyboard.press('Enter');
    await heading('console_code_title').waitFor();
    await page.keyboard.type(await waitForCode(site.mailbox, BOSS));
    await page.keyboard.press('Enter');
    await heading('console_enrol_title').waitFor();
    await reader.inspect('console-first-factor');
    await press(text('console_enrol_passkey'));
    await heading('console_recovery_title').waitFor();
    expect(await page.locator('.c-codes li').count()).toBe(10);
    await press(text('console_recovery_kept'));
    await heading('console_today_nothing').waitFor();
    await reader.inspect('console-today-nothing');
    expect(await listedSections(page)).toEqual([2, 3, 4, 2, 3, 6]);
    await press(text('console_session'), 'link');
    await page.getByRole('heading', { name: text('console_role_super_admin') }).waitFor();
    await reader.inspect('console-session');
  });

  test('adds a member', async () => {
    await press(text('console_staff'), 'link');
    await page.getByRole('cell', { name: BOSS, exact: true }).waitFor();
    await press(text('console_staff_add'));
    const dialog = page.getByRole('dialog');
    await tabTo(dialog.getByLabel(text('console_email')));
    await page.keyboard.type('sara');
    await tabTo(dialog.getByRole('button', { name: text('console_staff_add') }));
    // What is wrong is said at the field, and nothing typed is lost.
    await reader.whileRefused(async () => {
      await page.keyboard.press('Enter');
      await dialog.locator('[aria-invalid]').waitFor();
    });
    await reader.inspect('console-add-member');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await hasFocus(page.getByRole('button', { name: text('console_staff_add'), exact: true }))).toBe(true);
    // As after a quarter of an hour: the act waits for a proof, and is then done with what was typed. Prepared before the form is filled in,
    // because a browser may need a moment until it asks the test about each request.
    const json = { success: false, code: 'proof_needed', message: 'تأیید تازه لازم است.', request_id: '0194f3a0' };
    let isAsked = false;
    await page.route('**/api/v1/admin/staff', async (route) => {
      if (isAsked || route.request().method() !== 'POST') return await route.fallback();
      isAsked = true;
      await route.fulfill({ status: 401, json });
    });
    await page.keyboard.press('Enter');
    await tabTo(dialog.getByLabel(text('console_email')));
    await page.keyboard.type(MEMBER);
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await tabTo(dialog.getByRole('button', { name: text('console_staff_add') }));
    await reader.whileRefused(async () => {
      await page.keyboard.press('Enter');
      await heading('console_proof_title').waitFor();
    });
    await reader.inspect('console-proof');
    await press(text('console_use_passkey'));
    await page.getByRole('cell', { name: MEMBER, exact: true }).waitFor();
    expect(await page.getByRole('status').innerText()).toContain(MEMBER);
    await reader.inspect('console-staff');
  });

  test('finds that in the audit, and filters by it', async () => {
    await press(text('console_audit'), 'link');
    const rows = page.locator('tbody tr');
    await rows.filter({ hasText: MEMBER }).waitFor();
    expect(await rows.first().innerText()).toContain('staff.add');
    expect(await rows.first().innerText()).toContain(BOSS);
    await press(MEMBER);
    await page.waitForURL('**/admin/audit?target=sara*');
    await expect.poll(() => rows.count()).toBe(1);
    await reader.inspect('console-audit');
    expect(await findCovered(page)).toEqual([]);
  });

  test('plans a price, which stands on the first screen until it is cancelled', async () => {
    await press(text('console_prices'), 'link');
    await page.getByText(text('console_prices_none')).waitFor();
    await press(text('console_price_change'));
    const dialog = page.getByRole('dialog');
    const three = text('console_price_of', { cents: persian(3) });
    await tabTo(dialog.getByLabel(text('console_price_new')));
    await page.keyboard.type('۶');
    await tabTo(dialog.getByRole('radio').first());
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('the servers cost more');
    // What it does is said before it is confirmed: from what, to what, by how much.
    const effect = await dialog.locator('.c-effect').innerText();
    expect(effect).toContain(three);
    expect(effect).toContain(text('console_price_of', { cents: persian(6) }));
    expect(effect).toContain(`${persian(100)}٪`);
    await reader.inspect('console-price-change');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const row = page.locator('tbody tr').first();
    await row.getByText(text('console_price_planned')).waitFor();
    // It has not come: a gigabyte costs what it did.
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(three);
    await reader.inspect('console-prices');
    await press(text('console_today'), 'link');
    await page.getByRole('link', { name: text('console_price_of', { cents: persian(6) }) }).waitFor();
    await reader.inspect('console-today-price');
    await press(text('console_prices'), 'link');
    await tabTo(row.getByRole('button', { name: text('console_price_cancel') }));
    await page.keyboard.press('Enter');
    await tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('not yet');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await row.getByText(text('console_price_cancelled')).first().waitFor();
    expect(await findCovered(page)).toEqual([]);
  });

  test('makes a token for a program, which is shown once, and revokes it', async () => {
    await press(text('console_tokens'), 'link');
    await heading('console_tokens_none').waitFor();
    await reader.inspect('console-tokens-none');
    await press(text('console_token_create'));
    const dialog = page.getByRole('dialog');
    await tabTo(dialog.getByLabel(text('console_token_name')));
    await page.keyboard.type('monitoring');
    await tabTo(dialog.getByLabel(text('console_scope_alerts'), { exact: true }));
    await page.keyboard.press('Space');
    await reader.inspect('console-token-create');
    await tabTo(dialog.getByRole('button', { name: text('console_token_create') }));
    await page.keyboard.press('Enter');
    const token = await dialog.locator('.c-token').innerText();
    await reader.inspect('console-token-made');
    const read = (call: string) =>
      fetch(`${site.controlPlane.url}/api/v1/admin${call}`, { headers: { authorization: `Bearer ${token}` } });
    expect([(await read('/alerts')).status, (await read('/staff')).status]).toEqual([200, 403]);
    await tabTo(dialog.getByRole('button', { name: text('console_token_close') }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const row = page.locator('tbody tr').filter({ hasText: 'monitoring' });
    await tabTo(row.getByRole('button'));
    await reader.inspect('console-tokens');
    await page.keyboard.press('Enter');
    await tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('no longer needed');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_token_revoked')).waitFor();
    expect((await read('/alerts')).status).toBe(401);
    expect(await findCovered(page)).toEqual([]);
  });

  test('goes by a part of a name to whatever has an address', async () => {
    const dialog = page.getByRole('dialog');
    const options = dialog.getByRole('option');
    // Open as soon as it is there: on a slow machine the page below would take the first letters typed.
    const openAtOnce = await page.evaluateHandle(() => {
      const found: boolean[] = [];
      const observer = new MutationObserver(() => {
        const element = document.querySelector('dialog');
        if (element && found.length === 0) found.push(element.open);
      });
      observer.observe(document.body, { childList: true, subtree: true });
      return found;
    });
    await page.keyboard.press('ControlOrMeta+KeyK');
    await dialog.getByRole('combobox').waitFor();
    expect(await openAtOnce.jsonValue()).toEqual([true]);
    expect(await options.count()).toBe(20);
    await page.keyboard.type('nothing like that');
    await dialog.getByText(text('console_palette_none')).waitFor();
    await page.keyboard.press('ControlOrMeta+KeyA');
    await page.keyboard.type('operator@');
    await options.first().waitFor();
    await reader.inspect('console-palette');
    // What was found for a text never stands below another one, not even until the next is asked for: Enter would open it.
    const shown = await page.evaluateHandle(() => {
      const lines: string[] = [];
      const observer = new MutationObserver(() => {
        const typed = document.querySelector<HTMLInputElement>('dialog input')?.value;
        for (const option of document.querySelectorAll('dialog [role=option]'))
          lines.push(`${typed}: ${option.textContent}`);
      });
      observer.observe(document.body, { childList: true, subtree: true });
      return lines;
    });
    await page.keyboard.type('nowhere');
    await dialog.getByText(text('console_palette_none')).waitFor();
    expect((await shown.jsonValue()).filter((line) => line.startsWith('operator@nowhere'))).toEqual([]);
    for (const _ of 'nowhere') await page.keyboard.press('Backspace');
    await options.first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/admin/people/*');
    await page.keyboard.press('ControlOrMeta+KeyK');
    await page.keyboard.type(text('console_session'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/admin/session');
    // The search above the page opens the same, and has the focus again when it is left.
    await press(text('console_find'));
    await dialog.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await hasFocus(page.getByRole('button', { name: text('console_find'), exact: true }))).toBe(true);
    // Below it stand the keys that do something here.
    const keys = page.locator('.c-foot > span:visible');
    expect(await keys.count()).toBe(2);
    await page.keyboard.press('Slash');
    await page.waitForURL('**/admin/people');
    await page.locator('tbody tr').first().waitFor();
    expect(await keys.locator('kbd').allInnerTexts()).toEqual([
      'J',
      'K',
      'Enter',
      'X',
      '/',
      expect.stringMatching(/K$/),
    ]);
    await reader.inspect('console-keys');
  });

  test('an inbox of alerts: one is taken on, one silenced', async () => {
    await press(text('console_alerts'), 'link');
    await heading('console_alerts_none').waitFor();
    await reader.inspect('console-alerts-none');
    await openAlerts(site.controlPlane);
    await page.reload();
    const [urgent, slow] = [page.locator('.c-alerts > li').first(), page.locator('.c-alerts > li').nth(1)];
    await urgent.getByText('de-2').waitFor();
    await reader.inspect('console-alerts');
    const dialog = page.getByRole('dialog');
    await tabTo(urgent.getByRole('button').first());
    await page.keyboard.press('Enter');
    await tabTo(dialog.getByRole('radio').first());
    await page.keyboard.press('ArrowDown');
    await reader.inspect('console-alert-take');
    await tabTo(dialog.getByRole('button', { name: text('console_alert_take') }));
    await page.keyboard.press('Enter');
    await urgent.getByText(BOSS).waitFor();
    await tabTo(slow.getByRole('button').last());
    await page.keyboard.press('Enter');
    await tabTo(dialog.getByRole('button', { name: text('console_alert_silence') }));
    await reader.inspect('console-alert-silence');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_alert_silenced_outcome')).waitFor();
    await reader.inspect('console-alerts-taken');
    await press(text('console_today'), 'link');
    await heading('console_today_alerts').waitFor();
    await reader.inspect('console-today-alerts');
    expect(await findCovered(page)).toEqual([]);
  });

  test('in English, with an app, a new member sees what the role does: of finance, what is about money', async () => {
    await press(text('console_sign_out'));
    await heading('console_sign_in').waitFor();
    const { url } = site.controlPlane;
    await page.context().addCookies([{ name: 'locale', value: 'en', url: url.replace('127.0.0.1', 'localhost') }]);
    await reader.whileRefused(async () => {
      await page.goto('/admin/staff');
      await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    });
    await page.keyboard.type(MEMBER);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The code from your mail' }).waitFor();
    await page.keyboard.type(await waitForCode(site.mailbox, MEMBER));
    await page.keyboard.press('Enter');
    await press('Authenticator app');
    const secret = (await page.locator('.c-secret').innerText()).replaceAll(' ', '');
    await page.getByRole('img').waitFor();
    await reader.inspect('console-app-english');
    await page.keyboard.type(codeOfApp(secret, Date.now()));
    await page.keyboard.press('Enter');
    await press('I have kept them');
    await page.getByRole('heading', { name: 'Your role does not see this section' }).waitFor();
    // No staff and no tokens.
    expect(await listedSections(page)).toEqual([2, 3, 4, 2, 3, 4]);
    await press('Alerts', 'link');
    await page.getByText('The VPN server de-2 does not report.').waitFor();
    await reader.inspect('console-alerts-english');
    await press('Audit', 'link');
    await page.locator('tbody tr').first().waitFor();
    const acts = await page.locator('tbody tr td:nth-child(3) .c-code').allInnerTexts();
    expect(acts.map((act) => act.split('.')[0])).toEqual(['prices', 'prices']);
    await reader.inspect('console-audit-english');
    const seen = await page.evaluate(() => document.body.innerText.split('\n'));
    expect(seen.filter((line) => /[\u0600-\u06ff]/.test(line) && line.trim() !== 'فارسی')).toEqual([]);
    expect(await page.locator('html').getAttribute('dir')).toBe('ltr');
  });

  test('the status page of the same installation, in both languages', async () => {
    await page.goto('/status');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await reader.inspect('status-page');
    await page.getByRole('link', { name: 'English' }).click();
    await page.waitForURL('**/status/en.html');
    // The page has no switch: it follows the system.
    await page.emulateMedia({ colorScheme: 'dark' });
    await reader.inspect('status-page-english-dark');
    expect(await page.locator('#old').isVisible()).toBe(false);
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});

/** How many sections each group of the list has; a group but the first is heard with its heading. */
async function listedSections(page: Page): Promise<number[]> {
  const lists = page.locator('.c-side nav ul');
  for (const heading of await page.locator('.c-side nav').getByRole('heading', { level: 2 }).all())
    await page.getByRole('list', { name: await heading.innerText(), exact: true }).waitFor();
  expect(await page.locator('.c-side nav h2').count()).toBe((await lists.count()) - 1);
  return Promise.all((await lists.all()).map((list) => list.getByRole('link').count()));
}

/** Open ones and one that has closed, as the worker writes them. The worker believes that it saw the causes in an hour. */
async function openAlerts(controlPlane: ControlPlane): Promise<void> {
  const client = new pg.Client(await controlPlane.databaseUrl());
  await client.connect();
  const insert = `INSERT INTO alert (id, rule, cause, severity, figure, began_at, seen_at, opened_at, announced, closed_at)
    VALUES ($1, $2, $3, $4, $5, now() - interval '2 hours', now() + interval '1 hour', now() - $6::interval, true, now() - $7::interval)`;
  const rows = [
    ['node_silent', 'de-2', 'page', null, '11 minutes', null],
    ['schedule_late', 'invoice the usage of months that are over', 'ticket', null, '2 hours', null],
    ['jobs_failed', 'mail.send', 'ticket', 3, '70 minutes', null],
    ['gateway_fails', 'zarinpal', 'page', null, '3 days', '2 days'],
  ];
  // On a busy machine a schedule may really be late.
  await client.query('DELETE FROM alert');
  for (const row of rows) await client.query(insert, [randomUUID(), ...row]);
  await client.end();
}
