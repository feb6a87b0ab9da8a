import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { issueGiftCards } from './world/control-plane.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { activate, signUp } from './world/user.ts';

/** From no card at all to a plan: the test store, its way back, a purchase, a change and a cancellation. */
describe.skipIf(whyNoBrowser)('stores and plans', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
  });

  const button = (key: string, values: Record<string, string> = {}) =>
    page.getByRole('button', { name: text(key, values), exact: true });
  const plan = (name: string) => page.getByRole('region', { name, exact: true });
  const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
  const toman = (amount: number) => text('toman', { amount: persian(amount) });

  test('a store is chosen, a card bought, and its code comes back and is redeemed by itself', async () => {
    const user = await signUp(site.controlPlane.url, site.mailbox, 'buyer@mail.example');
    await signInAtBrowser(page, user);
    await reader.whileFailing('GET /giftcards/stores', async () => {
      await page.goto('/user/subscriptions');
      await page.getByText(text('stores_failed')).waitFor();
    });
    await page.reload();
    await page.getByText('کارت‌پلاس').waitFor();
    await reader.inspect('activation-stores');
    await page.getByText('کارت‌پلاس').click();
    await page.waitForURL('**/dev/store/cardplus?**');
    await reader.inspect('test-store');
    await page.getByRole('button', { name: `${persian(5)} دلار` }).click();
    await page.getByText(text('store_returned'), { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByText(text('going_to_panel')).waitFor();
    await page.waitForURL('**/user/dashboard');
    // The next step is lit.
    await page.locator('[aria-current=step]', { hasText: text('first_device') }).waitFor();
  });

  test('a card whose buyer did not come back waits on the page, as soon as the store says so', async () => {
    await page.goto('/user/subscriptions?redeem=1');
    await page.getByText('کارت‌توگیفت').click();
    await page.waitForURL('**/dev/store/card2gift?**');
    const store = page.url();
    await page.goto('/user/subscriptions?redeem=1');
    await page.getByText('کارت‌توگیفت').waitFor();
    // Paid in another program, which never came back: the webhook is all that we hear.
    const paid = await fetch(store.replace('?', '/buy/200?'), { method: 'POST', redirect: 'manual' });
    expect(paid.status).toBe(303);
    await button('bought_take').click();
    expect(await page.getByLabel(text('gift_label')).inputValue()).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/);
    await button('redeem_credit').click();
    await page.getByText(text('going_to_panel')).waitFor();
    await page.waitForURL('**/user/dashboard');
  });

  test('who goes elsewhere in the panel before the store comes stays there', async () => {
    const tab = await page.context().newPage();
    await tab.addInitScript(holdSeconds);
    const json = { success: true, redirect_url: '/', redirect_id: randomUUID() };
    await tab.route('**/api/v1/giftcards/redirect/*', (route) => route.fulfill({ json }));
    await tab.goto('/user/subscriptions?redeem=1');
    await tab.getByText('کارت‌توگیفت').click();
    await tab.getByText(text('store_going')).waitFor();
    await tab
      .getByRole('link', { name: text('nav_wallet') })
      .first()
      .click();
    await tab.waitForURL('**/user/wallet');
    await tab.getByRole('heading', { name: text('wallet_title') }).waitFor();
    await tab.evaluate(() => (window as unknown as { endSeconds(): void }).endSeconds());
    await tab.reload();
    expect(new URL(tab.url()).pathname).toBe('/user/wallet');
    await tab.close();
  });

  test('what a card is worth is said beside its own code only', async () => {
    const [code = ''] = await issueGiftCards(site.controlPlane, 1, 3);
    await page.goto('/user/subscriptions?redeem=1');
    const field = page.getByLabel(text('gift_label'));
    const worth = page.getByText(text('card_worth', { dollars: persian(3), amount: toman(300_000) }));
    await field.fill(code);
    await reader.whileFailing('POST /giftcards/verify', async () => {
      await button('check_value').click();
      await page.getByText(text('gift_check_failed')).waitFor();
    });
    await button('check_value').click();
    await worth.waitFor();
    await field.fill('ABCD-EFGH-JKLM-NPQR');
    await worth.waitFor({ state: 'detached' });
    await field.fill(code);
    await worth.waitFor();
  });

  test('a code in the address fills the form and goes by itself; the address forgets it', async () => {
    const codes = await issueGiftCards(site.controlPlane, 1, 1);
    await page.goto(`/user/subscriptions?redeem=1&gift_code=${codes[0]}&auto_submit=1`);
    await page.getByText(text('going_to_panel')).waitFor();
    expect(page.url()).not.toContain('gift_code');
    await page.waitForURL('**/user/dashboard');
  });

  test('in a trial a plan waits for its end, says so before it is paid, and can be cancelled for its whole price', async () => {
    await page
      .getByRole('link', { name: text('nav_plans') })
      .first()
      .click();
    await plan('پایه').getByRole('button').click();
    await dialog().getByText('این پلن پس از آن شروع می‌شود').waitFor();
    await reader.inspect('plan-quote-in-trial');
    await button('pay_now').click();
    await page.getByRole('region', { name: text('plan_next') }).waitFor();
    expect(await button('plan_next_start').count()).toBe(0);
    await reader.inspect('plan-waiting');
    await button('plan_next_cancel').click();
    await dialog().getByText(toman(99_000), { exact: true }).waitFor();
    await dialog()
      .getByRole('button', { name: text('plan_next_cancel'), exact: true })
      .click();
    await page.getByText(text('sub_cancelled')).waitFor();
  });

  test('a plan says what it costs, is bought from the wallet, and runs', async () => {
    await site.controlPlane.raha('settings', 'set', 'trial.passwordlessDays', '0');
    const user = await signUp(site.controlPlane.url, site.mailbox, 'planner@mail.example');
    await activate(site.controlPlane, user.api, 5);
    await page.context().clearCookies();
    await signInAtBrowser(page, user);
    await page.goto('/user/plans');
    await plan('پایه').waitFor();
    await reader.inspect('plans');
    await plan('پایه').getByRole('button').click();
    await dialog().getByText(text('quote_due'), { exact: true }).waitFor();
    await reader.inspect('plan-quote');
    // Between the quote and the payment the operator sells it on other terms: nothing is taken, and the new ones are said.
    const terms = ['--price', '98000', '--devices', '3', '--max-mbit', '20'];
    await site.controlPlane.raha('plans', 'set', '--id', 'basic', ...terms);
    await reader.whileRefused(async () => {
      await button('pay_now').click();
      await dialog()
        .getByText(`${toman(98_000)} برای ${persian(30)} روز`)
        .waitFor();
      await dialog().getByText(toman(98_000), { exact: true }).first().waitFor();
    });
    await reader.inspect('plan-changed');
    await site.controlPlane.raha('plans', 'set', '--id', 'basic', '--price', '99000');
    await reader.whileRefused(async () => {
      await button('pay_now').click();
      await dialog()
        .getByText(`${toman(99_000)} برای ${persian(30)} روز`)
        .waitFor();
      await dialog().getByText(toman(99_000), { exact: true }).first().waitFor();
    });
    await button('pay_now').click();
    await page
      .getByText(text('plan_bought', { plan: 'پایه' }))
      .first()
      .waitFor();
    await page.getByText(text('plan_days_left', { days: persian(30) })).waitFor();
    await plan('پایه').getByText(text('plan_running_here')).waitFor();
    const speed = text('plan_speed_up_to', { mbit: persian(20) });
    for (const shown of [plan('پایه'), plan(text('plan_current'))]) await shown.getByText(speed).waitFor();
    expect(await plan('ویژه').innerText()).not.toContain('مگابیت');
    await reader.inspect('plan-running');
    await page
      .getByRole('button', { name: text('plan_renew'), exact: true })
      .first()
      .click();
    await dialog().getByText(text('quote_due'), { exact: true }).waitFor();
    await reader.whileFailing('POST /user/subscriptions/*/renew', async () => {
      await button('pay_now').click();
      await page.getByText(text('plan_renew_failed')).waitFor();
    });
    await page.goto('/user/dashboard');
    await plan('پایه').getByText(speed).waitFor();
    await reader.inspect('dashboard-plan-speed');
    // A user with a paid plan has nothing to activate.
    await page.goto('/user/subscriptions');
    await page.waitForURL('**/user/dashboard');
    await page.goto('/user/plans');
    await plan('ویژه').waitFor();
  });

  test('changing to another says what comes back of the first; cancelling as well', async () => {
    await plan('ویژه').getByRole('button').click();
    await dialog().getByText(text('quote_credit'), { exact: true }).waitFor();
    // A day has begun: 29 of 30 days of 99,000 come back, so that 199,000 less that is to be paid.
    await dialog()
      .getByText(toman(199_000 - 95_700), { exact: true })
      .waitFor();
    await button('pay_now').click();
    await page
      .getByText(text('plan_bought', { plan: 'ویژه' }))
      .first()
      .waitFor();
    await plan('ویژه').getByText(text('plan_running_here')).waitFor();
    await page
      .getByRole('region', { name: text('plan_current') })
      .getByText(text('plan_cancel'), { exact: true })
      .click();
    await dialog().getByText(text('plan_cancel_credit')).waitFor();
    await reader.inspect('plan-cancel');
    await reader.whileFailing('POST /user/subscriptions/*/cancel', async () => {
      await dialog()
        .getByRole('button', { name: text('plan_cancel'), exact: true })
        .click();
      await page.getByText(text('plan_cancel_failed')).waitFor();
    });
    await dialog()
      .getByRole('button', { name: text('plan_cancel'), exact: true })
      .click();
    await plan('ویژه')
      .getByRole('button', { name: text('plan_buy') })
      .waitFor();
    await page.getByText(text('sub_cancelled')).waitFor();
  });

  test('in English the server speaks English, too', async () => {
    await page.context().addCookies([{ name: 'locale', value: 'en', url: site.controlPlane.url }]);
    await page.reload();
    await plan('Premium').getByText('Unlimited traffic').waitFor();
    await page.getByText('Cancelled').first().waitFor();
    await reader.inspect('plans-english');
    await page.goto('/user/subscriptions?redeem=1');
    await page.getByText('Buy at card2gift').waitFor();
    await reader.keepPicture('activation-english');
    expect(reader.complaints).toEqual([]);
  });
});

/** Runs in the page: what waits for a second waits until the test says that it is over. */
function holdSeconds(): void {
  const [later, forget] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
  const held = new Map<number, () => void>();
  Object.assign(window, {
    setTimeout: (act: () => void, ms?: number) => {
      const id = later(() => ms === 1_000 || act(), ms);
      if (ms === 1_000) held.set(id, act);
      return id;
    },
    clearTimeout: (id?: number) => {
      held.delete(id ?? 0);
      forget(id);
    },
    endSeconds: () => {
      for (const act of held.values()) act();
    },
  });
}
