import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { fitsNarrowest, openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { signUp } from './world/user.ts';

/**
 * Gift cards by keyboard: issued in the console, their codes taken out at the command line, one redeemed by a user and checked by a
 * member, one voided, and what is left voided from a phone by the name of its batch. What is more than one member may issue is issued once a
 * second one approves.
 */
const BOSS = 'operator@raha.example';
const FINANCE = 'finance@raha.example';

describe.skipIf(whyNoBrowser)('gift cards in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  let batch: string;
  let codes: string[];
  let issuedBefore: string[];
  let finance: Reader | undefined;

  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    // Only a process that is a whole workshop begins with cards.
    const { batches } = await site.controlPlane.raha<{ batches: unknown[] }>('gift-cards', 'list');
    issuedBefore = batches.length === 0 ? ['gift-cards.issue'] : [];
    if (batches.length === 0) await raha('issue', '--count', '5', '--usd', '5', '--note', 'first start');
    ({ reader, page, keys } = await openConsole(site, BOSS));
  }, 120_000);
  afterAll(async () => {
    await finance?.close();
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  const dialog = () => page.getByRole('dialog');
  const leadOf = (cards: number, redeemed: number, active: number) =>
    page.getByRole('heading', {
      level: 1,
      name: text('console_batch_lead', {
        ...{ cards: persian(cards), redeemed: persian(redeemed), active: persian(active) },
      }),
    });
  const raha = (...args: string[]) => site.controlPlane.raha<{ codes: string[] }>('gift-cards', ...args);
  const checkField = () => page.getByLabel(text('console_card_check'), { exact: true }).and(page.getByRole('textbox'));
  const check = async (code: string) => {
    await keys.tabTo(checkField());
    await page.keyboard.press('ControlOrMeta+KeyA');
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');
  };
  const sentence = () => page.locator('.c-check-code [role=status]');

  test('issues three cards, once, although the button is pressed twice', async () => {
    await keys.press(text('console_cards'), 'link');
    // A workshop has its two test stores.
    await expect.poll(() => page.getByText(text('console_store_test')).count()).toBe(2);
    // Those that a workshop begins with.
    const amount = text('console_cards_usd', { amount: persian(25) });
    const lead = text('console_cards_lead', { count: persian(5), amount });
    await page.getByRole('heading', { level: 1, name: lead }).waitFor();
    await page.getByRole('link', { name: 'first start' }).waitFor();
    await reader.inspect('console-cards');
    await keys.press(text('console_cards_issue'));
    await keys.tabTo(dialog().getByLabel(text('console_cards_count')));
    await page.keyboard.type('۳');
    await keys.tabTo(dialog().getByLabel(text('console_cards_face')));
    await page.keyboard.type('12.505');
    await dialog().getByText(text('console_cards_face_wrong')).waitFor();
    await page.keyboard.press('Backspace');
    await keys.tabTo(dialog().getByLabel(text('console_cards_days')));
    await page.keyboard.type('۹۰');
    await keys.tabTo(dialog().getByLabel(text('console_cards_note')));
    await page.keyboard.type('فروشگاه کارت‌پلاس');
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await page.keyboard.type('an order of the shop');
    const effect = await dialog().locator('.c-effect').innerText();
    expect(effect).toContain(text('console_cards_usd', { amount: '۳۷٫۵' }));
    expect(effect).toContain(text('console_cards_sealed'));
    await reader.inspect('console-cards-issue');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter').catch(() => undefined);
    await page.waitForURL(/\/admin\/gift-cards\/[0-9a-f-]{36}$/);
    batch = page.url().split('/').at(-1) ?? '';
    await leadOf(3, 0, 3).waitFor();
    await page.getByText(`raha gift-cards export --batch ${batch} --out cards.raha`).waitFor();
    await reader.inspect('console-cards-batch-waiting');
    expect(await findCovered(page)).toEqual([]);
  });

  test('its codes come out by the command that the page names, and one is redeemed', async () => {
    const passphrase = join(site.directory, 'passphrase');
    writeFileSync(passphrase, 'correct horse battery staple');
    const file = join(site.directory, 'cards.raha');
    await raha('export', '--batch', batch, '--out', file, '--passphrase-file', passphrase);
    ({ codes } = await raha('decrypt', '--file', file, '--passphrase-file', passphrase));
    expect(codes).toHaveLength(3);
    const user = await signUp(site.controlPlane.url, site.mailbox, 'niloufar.rahimi@mail.example', 'نیلوفر رحیمی');
    await user.api.activateAccount({ body: { giftCardCode: codes[0] as string } });
    await page.reload();
    await leadOf(3, 1, 2).waitFor();
    expect(await page.getByText('raha gift-cards export').count()).toBe(0);
    await page.getByRole('cell', { name: persian(1_250_000) }).waitFor();
    await reader.inspect('console-cards-batch');
    // Of a code the last four symbols are seen, and no more.
    const seen = await page.evaluate(() => document.body.innerText);
    for (const code of codes) expect([seen.includes(code), seen.includes(code.slice(-4))]).toEqual([false, true]);
  });

  test('a typed code says what became of its card, and does not stay', async () => {
    await keys.press(text('console_cards'), 'link');
    await page.getByRole('link', { name: 'فروشگاه کارت‌پلاس' }).waitFor();
    await check(codes[0] ?? '');
    await sentence().filter({ hasText: 'مصرف شده است' }).waitFor();
    expect(await checkField().inputValue()).toBe('');
    await reader.inspect('console-cards-checked');
    expect(await findCovered(page)).toEqual([]);
    await check('7K3M-9QXW-2R5T-8VB4');
    await sentence()
      .filter({ hasText: text('console_card_mistyped') })
      .waitFor();
    await check('0000 0000 0000 0000');
    await sentence()
      .filter({ hasText: text('console_card_unknown') })
      .waitFor();
    await check((codes[1] ?? '').toLowerCase());
    await sentence()
      .getByRole('link', { name: text('console_card_open_batch') })
      .waitFor();
    await keys.press(text('console_card_open_batch'), 'link');
    await leadOf(3, 1, 2).waitFor();
  });

  test('one card is voided, with its last four symbols typed', async () => {
    const last4 = (codes[1] ?? '').slice(-4);
    await keys.press(text('console_card_void_of', { card: `\u2066••••-${last4}\u2069` }));
    const button = dialog().getByRole('button', { name: text('console_card_void_do') });
    await keys.tabTo(dialog().getByLabel(text('console_card_type_last4', { last4: `\u2066${last4}\u2069` })));
    await page.keyboard.type(last4.slice(0, 3));
    expect(await button.isDisabled()).toBe(true);
    await page.keyboard.type(last4.slice(3).toLowerCase());
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await page.keyboard.type('it was stolen');
    await reader.inspect('console-cards-void-card');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await leadOf(3, 1, 1).waitFor();
    expect(await page.getByRole('status').innerText()).toBe(text('console_card_voided'));
  });

  test('the end of what is left is changed; before, the page says to when', async () => {
    await keys.press(text('console_batch_expire'));
    await keys.tabTo(dialog().getByLabel(text('console_batch_days')));
    await page.keyboard.type('۰');
    await dialog()
      .getByText(text('console_batch_expire_now', { count: persian(1) }))
      .waitFor();
    await page.keyboard.type('۳');
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await page.keyboard.type('the shop closes');
    await reader.inspect('console-cards-expire');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect(await page.getByRole('status').innerText()).toBe(text('console_batch_expired'));
  });

  test('on a phone what is left is voided by the name of the batch, and never by mistake', async () => {
    const name = batch.slice(-8);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.setViewportSize(sizes.narrow);
    await keys.press(text('console_batch_void'));
    const button = dialog().getByRole('button', { name: text('console_batch_void') });
    await keys.tabTo(dialog().getByLabel(text('console_batch_type_name', { name: `\u2066${name}\u2069` })));
    await page.keyboard.type(batch.slice(0, 8));
    expect(await button.isDisabled()).toBe(true);
    await page.keyboard.press('ControlOrMeta+KeyA');
    await page.keyboard.type(name);
    await keys.tabTo(dialog().getByLabel(text('console_reason')));
    await page.keyboard.type('the shop was robbed');
    await reader.inspect('console-cards-void');
    await page.setViewportSize(sizes.narrow);
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await page
      .getByRole('heading', {
        name: text('console_batch_lead_over', { cards: persian(3), redeemed: persian(1) }),
      })
      .waitFor();
    await reader.inspect('console-cards-over');
    await page.setViewportSize(sizes.wide);
  });

  test('each change has one entry in the audit, and no code is in any', async () => {
    await keys.press(text('console_audit'), 'link');
    await page.locator('tbody tr').first().waitFor();
    const acts = await page.locator('tbody tr td:nth-child(3) .c-code').allInnerTexts();
    const ours = acts.filter((act) => act.startsWith('gift-cards.'));
    expect(ours).toEqual([
      ...['gift-cards.void', 'gift-cards.expire', 'gift-cards.void'],
      ...Array.from({ length: 4 }, () => 'gift-cards.check'),
      ...['gift-cards.export', 'gift-cards.issue', ...issuedBefore],
    ]);
    const seen = await page.evaluate(() => document.body.innerText);
    for (const code of codes) expect(seen.includes(code) || seen.includes(code.replaceAll('-', ''))).toBe(false);
  });

  test('what cannot be read says so, and is read again', async () => {
    await reader.whileFailing('GET /admin/gift-cards', async () => {
      await keys.press(text('console_cards'), 'link');
      await page.getByRole('button', { name: text('console_retry'), exact: true }).waitFor();
      await reader.inspect('console-cards-failed');
    });
    await keys.press(text('console_retry'));
    await page.getByRole('link', { name: 'فروشگاه کارت‌پلاس' }).waitFor();
  });

  const ORDER = 'an order of two shops';

  test('more than one member may issue is proposed, which the dialog says before; one who is alone reads from when on', async () => {
    await keys.press(text('console_cards_issue'));
    for (const [label, value] of [
      ['console_cards_count', '۶'],
      ['console_cards_face', '12.5'],
      ['console_cards_note', 'دو فروشگاه'],
      ['console_reason', ORDER],
    ] as const) {
      await keys.tabTo(dialog().getByLabel(text(label)));
      await page.keyboard.type(value);
    }
    // Three of the same value were issued before, of fifty dollars.
    const left = text('console_cards_second', { amount: text('console_cards_usd', { amount: '۱۲٫۵' }) });
    await dialog().getByText(left).waitFor();
    await dialog()
      .getByText(text('console_cards_alone', { hours: persian(24) }))
      .waitFor();
    await dialog()
      .getByRole('button', { name: text('console_cards_propose') })
      .waitFor();
    await dialog()
      .getByRole('heading', { name: text('console_cards_propose_title') })
      .waitFor();
    // One paragraph says all of it: that it waits, and what comes after.
    expect(await dialog().locator('.c-effect').innerText()).toContain(text('console_cards_approved'));
    await reader.inspect('console-cards-propose');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter').catch(() => undefined);
    await page.waitForURL(/\/admin\/corrections$/);
    await keys.heading('console_approvals_head').waitFor();
    const row = page.getByRole('row').filter({ hasText: ORDER });
    await row.getByText(/^کس دیگری نیست/).waitFor();
    expect(await row.count()).toBe(1);
    expect(await row.getByRole('button', { name: text('console_correction_approve') }).count()).toBe(0);
    await reader.inspect('console-approvals-alone');
    expect(await findCovered(page)).toEqual([]);
  });

  test('a second member finds it among what waits, and approves exactly that', async () => {
    await site.controlPlane.raha('staff', 'add', '--email', FINANCE, '--role', 'finance');
    const second = await openConsole(site, FINANCE);
    finance = second.reader;
    const { page: other, keys: others } = second;
    await others.press(text('console_today'), 'link');
    await other.getByRole('cell', { name: text('console_approval_act_cards') }).waitFor();
    await finance.inspect('console-today-approval');
    await others.press(text('console_today_take'));
    await others.press(text('console_correction_approve'));
    const amount = text('console_cards_usd', { amount: '۱۲٫۵' });
    const cards = text('console_approval_cards', { count: persian(6), amount });
    const total = text('console_cards_usd', { amount: persian(75) });
    const email = `\u2068${BOSS}\u2069`;
    await other.getByText(text('console_approval_text', { cards, total, email })).waitFor();
    await finance.inspect('console-approvals-approve');
    await other.keyboard.press('Enter');
    await other.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await other.getByRole('status').innerText()).toBe(text('console_correction_done'));
    await finance.inspect('console-approvals-done');
    await fitsNarrowest(finance);
    await others.press(cards, 'link');
    const lead = { cards: persian(6), redeemed: persian(0), active: persian(6) };
    await other.getByRole('heading', { level: 1, name: text('console_batch_lead', lead) }).waitFor();
    const found = await site.controlPlane.raha<{ details: unknown }[]>('audit', 'list', '--action', 'gift-cards.issue');
    expect(found[0]?.details).toMatchObject({ count: 6, alone: false });
    // Who proposed it sees who approved.
    await page.reload();
    await page.getByRole('row').filter({ hasText: ORDER }).getByText(FINANCE).waitFor();
    await keys.press(text('console_cards'), 'link');
    await page.getByRole('link', { name: 'دو فروشگاه' }).waitFor();
  });

  test('in English all of it is English, and the search leads there', async () => {
    await speakEnglish(page);
    await raha('issue', '--count', '60', '--usd', '5', '--note', 'Card2Gift');
    await page.goto('/admin');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('ControlOrMeta+KeyK');
    await page.keyboard.type('Gift cards');
    await dialog().getByRole('option', { name: 'Gift cards' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Card2Gift' }).waitFor();
    // What the command line issued counts once the figure of before is some seconds old.
    const lead = page.getByRole('heading', { level: 1 });
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole('link', { name: 'Card2Gift' }).waitFor();
          return await lead.innerText();
        },
        { timeout: 30_000 },
      )
      .toBe('Cards not redeemed yet: 71, worth $400.');
    await reader.inspect('console-cards-english');
    expect((await persianLines(page)).filter((line) => !line.includes('فروشگاه'))).toEqual([]);
    await keys.press('Card2Gift', 'link');
    await page.getByRole('heading', { level: 1, name: 'Cards: 60. Redeemed: 0; left: 60.' }).waitFor();
    await page.locator('tbody tr').first().waitFor();
    await reader.inspect('console-cards-batch-english');
    expect(await persianLines(page)).toEqual([]);
    await keys.press('Next');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(10);
    await keys.press('Approvals', 'link');
    await page.getByRole('cell', { name: /6 gift cards of \$12.5/ }).waitFor();
    await reader.inspect('console-approvals-english');
    expect((await persianLines(page)).filter((line) => !line.includes('فروشگاه'))).toEqual([]);
  });

  expectNoComplaints(() => [reader, finance]);
});
