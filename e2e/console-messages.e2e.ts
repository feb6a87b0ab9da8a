import { randomUUID } from 'node:crypto';
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
import { signUp } from './world/user.ts';

/** "I got no link": what became of it is found by keyboard, and it is sent again, within the limits of its user. */
const BOSS = 'operator@raha.example';
const EMAIL = 'niloufar.rahimi@mail.example';

describe.skipIf(whyNoBrowser)('mails and text messages in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  let userId: string;

  beforeAll(async () => {
    site = await createSite();
    ({ reader, page, keys } = await openConsole(site, BOSS));
    const user = await signUp(site.controlPlane.url, site.mailbox, EMAIL, 'نیلوفر رحیمی');
    userId = user.user.id;
    await user.api.forgotPassword({ body: { email: EMAIL } });
  }, 120_000);
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  const rows = () => page.locator('.c-deliveries tbody tr');
  const kind = (name: string) => rows().filter({ hasText: text(name) });
  const raha = (...args: string[]) => site.controlPlane.raha<{ deliveries: { id: string }[] }>('deliveries', ...args);

  test('nothing is missing: the list of what did not go out is empty', async () => {
    await keys.press(text('console_deliveries'), 'link');
    await keys.heading('console_deliveries_none').waitFor();
    await reader.inspect('console-messages-none');
  });

  test('the page of a user says what was sent, and sends a link again, once a minute', async () => {
    const isSent = async () => (await raha('list', '--email', EMAIL)).deliveries.length > 0;
    await expect.poll(isSent, { timeout: 30_000 }).toBe(true);
    await page.goto(`/admin/people/${userId}`);
    await expect.poll(() => kind('console_delivery_of_password_link').count(), { timeout: 30_000 }).toBe(1);
    const again = kind('console_delivery_of_password_link').getByRole('button');
    await keys.tabTo(again);
    await reader.whileRefused(async () => {
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: /ثانیه/ }).waitFor();
    });
    await reader.inspect('console-messages-user');
    // As if a minute had passed.
    await change("UPDATE password_reset SET created_at = created_at - interval '2 minutes'");
    await page.keyboard.press('Enter');
    await page.getByText(text('console_delivery_resent')).waitFor();
    await expect.poll(() => kind('console_delivery_of_password_link').count(), { timeout: 30_000 }).toBe(2);
    await expect.poll(async () => (await raha('list', '--email', EMAIL)).deliveries.length).toBeGreaterThan(1);
  });

  test('what did not go out is listed with the reason, filtered in the address, page by page', async () => {
    await insertUnsent();
    await keys.press(text('console_deliveries'), 'link');
    const lead = text('console_deliveries_lead_more', { count: persian(25) });
    await page.getByRole('heading', { level: 1, name: lead }).waitFor();
    await page
      .getByText(
        text('console_delivery_code', { reason: text('console_delivery_because_refused'), code: persian(550) }),
      )
      .first()
      .waitFor();
    await reader.inspect('console-messages');
    await keys.press(text('console_audit_older'));
    await expect.poll(() => rows().count()).toBe(8);
    await keys.press(text('console_delivery_by_sms'));
    await expect.poll(() => rows().count()).toBe(3);
    expect(new URL(page.url()).search).toBe('?channel=sms');
    await keys.press(text('console_delivery_is_failed'));
    await expect.poll(() => rows().count()).toBe(1);
    await page.goBack();
    await expect.poll(() => rows().count()).toBe(3);
    await page.setViewportSize(sizes.narrow);
    await reader.inspect('console-messages-phone');
    expect(await findCovered(page)).toEqual([]);
    await page.setViewportSize(sizes.wide);
    await page.keyboard.press('KeyJ');
    expect((await raha('list', '--channel', 'sms')).deliveries).toHaveLength(3);
  });

  test('what cannot be read says so, and is read again', async () => {
    await reader.whileFailing('GET /admin/deliveries', async () => {
      await page.goto('/admin/messages');
      await page.getByRole('button', { name: text('console_retry'), exact: true }).waitFor();
      await reader.inspect('console-messages-failed');
    });
    await keys.press(text('console_retry'));
    await rows().first().waitFor();
  });

  test('its user sees that support sent something again, and the audit names the kind, no address', async () => {
    await keys.press(text('console_audit'), 'link');
    await page.getByText('deliveries.resend').first().waitFor();
    await page.getByText(/kind: password_link/).waitFor();
    expect(await page.evaluate(() => document.body.innerText)).not.toContain(EMAIL);
  });

  test('in English all of it is English', async () => {
    await speakEnglish(page);
    await page.goto('/admin/messages');
    await page.getByRole('heading', { level: 1, name: 'More than 25 messages were not sent.' }).waitFor();
    await reader.inspect('console-messages-english');
    expect(await persianLines(page)).toEqual([]);
    await page.goto(`/admin/people/${userId}`);
    await rows().first().waitFor();
    await reader.inspect('console-messages-user-english');
    expect(await persianLines(page)).toEqual([]);
  });

  expectNoComplaints(() => [reader]);

  async function change(statement: string, values: unknown[] = []): Promise<void> {
    const client = new pg.Client(await site.controlPlane.databaseUrl());
    await client.connect();
    await client.query(statement, values);
    await client.end();
  }

  /** 33: thirty mails, three text messages. */
  async function insertUnsent(): Promise<void> {
    const of = (index: number) => {
      if (index === 30) return ['sms', 'phone_code', 'failed', 'too_late', null];
      if (index > 30) return ['sms', 'service_cut', 'uncertain', 'no_answer', null];
      if (index % 3 === 0) return ['mail', 'password_link', 'given_up', 'refused', 550];
      return ['mail', 'plan_ending', 'waiting', 'unreachable', null];
    };
    for (let index = 0; index < 33; index += 1)
      await change(
        `INSERT INTO delivery (id, user_id, channel, kind, state, reason, code, attempts, first_at, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 21, now() - make_interval(mins => $8), now() - make_interval(mins => $8))`,
        [randomUUID(), index % 5 === 4 ? null : userId, ...of(index), index],
      );
  }
});
