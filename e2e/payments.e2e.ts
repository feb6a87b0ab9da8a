import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { activate, payAtTestBank, signUp } from './world/user.ts';

/** A charge at each bank, and the page of payments: found, filtered, a receipt, a refund, one given up. */
describe.skipIf(whyNoBrowser)('payments', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;
  let open: string;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
  });

  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });
  const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
  const toman = (amount: number) => text('toman', { amount: persian(amount) });
  const list = () => page.getByRole('region', { name: text('payments_title'), exact: true });
  const rows = () => list().getByRole('table').locator('tbody tr');
  const openRow = () =>
    rows()
      .filter({ hasText: `…${open.slice(-8)}` })
      .getByRole('button');

  test('the charge screen offers the three banks; a payment at NextPay comes back credited', async () => {
    const user = await signUp(site.controlPlane.url, site.mailbox, 'payer@mail.example');
    await activate(site.controlPlane, user.api, 1);
    const idpay = await user.api.chargeWallet({ body: { amount: 250_000, payment_method: 'idpay' } });
    await payAtTestBank(idpay.payment_url);
    await user.api.verifyCharge({ body: { transaction_id: idpay.transaction_id } });
    open = (await user.api.chargeWallet({ body: { amount: 70_000, payment_method: 'zarinpal' } })).transaction_id;

    await signInAtBrowser(page, user);
    await reader.whileFailing('GET /user/wallet/payment-gateways', async () => {
      await page.goto('/user/wallet/charge');
      await page.getByText(text('gateways_failed')).waitFor();
    });
    await page.reload();
    await page.getByText('نکست‌پی').waitFor();
    await page.getByText('آیدی‌پی').waitFor();
    await reader.inspect('charge-gateways');
    // Amount and bank of last time are chosen already.
    const amount = page.getByLabel(text('amount_label'));
    expect(await amount.inputValue()).toBe(persian(250_000));
    expect(await page.getByRole('radio', { name: 'آیدی‌پی' }).isChecked()).toBe(true);
    await page.getByText('نکست‌پی').click();
    await amount.fill('');
    // Below the least amount the button is off; pressed all the same, it says why.
    expect(await button('pay').getAttribute('aria-disabled')).toBe('true');
    await amount.fill('9999');
    expect(await button('pay').getAttribute('aria-disabled')).toBe('true');
    await button('pay').press('Enter');
    await page.getByText('حداقل مبلغ قابل پرداخت 10,000 تومان میباشد').first().waitFor();
    await page.getByRole('button', { name: toman(100_000) }).click();
    const pay = page.getByRole('button', { name: text('pay_amount', { amount: toman(100_000) }), exact: true });
    expect(await pay.getAttribute('aria-disabled')).toBeNull();
    await pay.click();
    await page.waitForURL('**/dev/bank/nextpay/**');
    await reader.inspect('test-bank');
    await page.getByRole('button', { name: 'پرداخت موفق' }).click();
    await page.getByText(text('charge_done')).waitFor();
  });

  test('every payment is there, and is found by status, type and text', async () => {
    await page.goto('/payments');
    await page.waitForURL('**/user/payments');
    await rows().nth(3).waitFor();
    expect(await rows().count()).toBe(4);
    await reader.inspect('payments');
    await page.getByLabel(text('column_status'), { exact: true }).selectOption('pending');
    await rows().nth(1).waitFor({ state: 'detached' });
    expect(await rows().first().textContent()).toContain(toman(70_000));
    await button('clear_filters').click();
    await rows().nth(3).waitFor();
    await page.getByLabel(text('column_type'), { exact: true }).selectOption('gift_card');
    await rows().nth(1).waitFor({ state: 'detached' });
    await button('clear_filters').click();
    await page.getByLabel(text('payments_search')).fill('نکست');
    await rows().nth(1).waitFor({ state: 'detached' });
    expect(await rows().first().textContent()).toContain(toman(100_000));
    await page.getByLabel(text('payments_search')).fill('چنین چیزی نیست');
    await page.getByText(text('payments_none_found')).waitFor();
    await reader.inspect('payments-none');
    await list()
      .getByRole('button', { name: text('clear_filters') })
      .click();
    await rows().nth(3).waitFor();
  });

  test('words are searched for as they are typed; a filter that is taken back by hand is none', async () => {
    const search = page.getByLabel(text('payments_search'));
    await search.fill('شارژ ');
    await rows().nth(3).waitFor({ state: 'detached' });
    await search.pressSequentially('کیف');
    expect(await search.inputValue()).toBe('شارژ کیف');
    await search.fill('');
    await rows().nth(3).waitFor();
    const status = page.getByLabel(text('column_status'), { exact: true });
    await status.selectOption('pending');
    await rows().nth(1).waitFor({ state: 'detached' });
    await status.selectOption('');
    await rows().nth(3).waitFor();
    expect(await button('clear_filters').isDisabled()).toBe(true);
  });

  test('the details give a receipt; the refund is asked about, asked for, and sent', async () => {
    await rows().filter({ hasText: 'نکست‌پی' }).getByRole('button').click();
    await dialog().getByText(text('reference_number')).waitFor();
    await reader.inspect('payment-details');
    const download = page.waitForEvent('download');
    await button('receipt').click();
    expect((await download).suggestedFilename()).toMatch(/^raha-receipt-[0-9a-f]{12}\.pdf$/);
    await button('payment_refund').click();
    await dialog().getByText(text('refund_question')).waitFor();
    await reader.inspect('payment-refund');
    await reader.whileFailing('POST /payments/*/refund', async () => {
      await dialog()
        .getByRole('button', { name: text('payment_refund'), exact: true })
        .click();
      await page.getByText('خطا در درخواست بازگردانی وجه').first().waitFor();
    });
    await dialog()
      .getByRole('button', { name: text('payment_refund'), exact: true })
      .click();
    await page.getByText('درخواست بازگردانی وجه با موفقیت ثبت شد').first().waitFor();
    await dialog().getByText(text('refund_confirmed')).waitFor();
    await page.keyboard.press('Escape');
    await rows()
      .filter({ hasText: text('payment_refunded') })
      .first()
      .waitFor();
  });

  test('the wallet lists receipts and the note of the refund, says when they do not load, and hands them over', async () => {
    await reader.whileFailing('GET /invoices', async () => {
      await page.goto('/user/wallet?view=invoices');
      await page.getByText(text('invoices_failed')).waitFor();
    });
    await page.reload();
    const documents = page.getByRole('region', { name: text('invoices'), exact: true });
    await documents.getByRole('listitem').nth(2).waitFor();
    const texts = await documents.getByRole('listitem').allTextContents();
    // The last number of a line is its own; a note names another one before it.
    const numbers = texts.map((line) => [...line.matchAll(/14\d\d-(\d{6})/g)].at(-1)?.[1]);
    expect(numbers).toEqual(['000003', '000002', '000001']);
    expect(texts[0]).toContain('رسید بازگردانی وجه');
    await reader.inspect('invoices');
    const saved = page.waitForEvent('download');
    await documents.getByRole('button').first().click();
    expect((await saved).suggestedFilename()).toMatch(/^raha-14\d\d-000003\.pdf$/);
    await page.goto('/user/payments');
    await rows().nth(3).waitFor();
  });

  test('details that were closed stay closed when the answer comes', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    await page.route('**/api/v1/payments/*/verify', async (route) => {
      await closed;
      await route.fulfill({ json: { success: true, status: 'completed', amount: 70_000, ref_id: '', balance: 0 } });
    });
    await openRow().click();
    await button('check_again').click();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    close();
    await page.getByText(text('payment_arrived')).first().waitFor();
    expect(await dialog().count()).toBe(0);
    await page.unrouteAll();
  });

  test('an open payment is given up', async () => {
    await openRow().click();
    await button('payment_cancel').click();
    await dialog().getByText(text('cancel_question')).waitFor();
    await dialog()
      .getByRole('button', { name: text('payment_cancel'), exact: true })
      .click();
    await page.getByText('پرداخت با موفقیت لغو شد').first().waitFor();
    await page.keyboard.press('Escape');
    await rows()
      .filter({ hasText: text('payment_cancelled') })
      .first()
      .waitFor();
  });

  test('while payments are held the form says why, and what to do if one is missing', async () => {
    const { raha } = site.controlPlane;
    const why = ['--by', 'Dana', '--reason', 'a restore'];
    await raha('payments', 'hold', '--from', '2026-01-01T00:00:00Z', ...why);
    await page.goto('/user/wallet/charge');
    await page.getByText(text('payments_held')).waitFor();
    await reader.inspect('charge-held');
    await raha('payments', 'release', '--without', 'zarinpal,idpay,nextpay', ...why);
    await page.reload();
    await page.getByText('نکست‌پی').waitFor();
    expect(await page.getByText(text('payments_held')).count()).toBe(0);
    expect(reader.complaints).toEqual([]);
  });
});
