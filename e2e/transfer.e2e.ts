import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { PASSWORD, setPassword, signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { expectNoComplaints } from './world/steps.ts';
import { activate, chargeThroughTestBank, signUp, type TestUser } from './world/user.ts';

/** Money goes from one user to another, in the panel. */
describe.skipIf(whyNoBrowser)('a transfer', () => {
  const journey = openJourney();
  let site: Site;
  let reader: Reader;
  let page: Page;
  let friend: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    friend = await signUp(site.controlPlane.url, site.mailbox, 'friend@mail.example');
    const user = await signUp(site.controlPlane.url, site.mailbox, 'sender@mail.example');
    await activate(site.controlPlane, user.api, 5);
    await chargeThroughTestBank(user, 100_000);
    await setPassword(user);
    await signInAtBrowser(page, user, { hasPassword: true });
    await page.goto('/user/wallet');
  });

  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });
  const toman = (amount: number) => text('toman', { amount: persian(amount) });
  const fill = async (to: string, amount: string) => {
    await page.getByLabel(text('transfer_to')).fill(to);
    await page.getByLabel(text('transfer_amount')).fill(amount);
    await button('transfer_send').click();
  };

  test('wrong input and an unknown recipient are told beside the fields, and nothing is lost', async () => {
    await button('transfer_open').click();
    await fill('friend', '12');
    await page.locator('input[name=to][aria-invalid=true]').waitFor();
    expect(await page.getByLabel(text('transfer_amount')).inputValue()).toBe('۱۲');
    await reader.inspect('transfer-wrong');
    await reader.whileRefused(async () => {
      await fill('nobody@mail.example', '20000');
      await page.locator('input[name=to][aria-invalid=true]').waitFor();
    });
    expect(await page.getByLabel(text('transfer_amount')).inputValue()).toBe('۲۰٬۰۰۰');
  });

  test('the first transfer to somebody is confirmed; the wallet says where the money went', async () => {
    await reader.whileRefused(async () => {
      await fill('friend@mail.example', '20000');
      await page.getByRole('alertdialog').getByText(toman(20_000), { exact: false }).waitFor();
    });
    await reader.inspect('transfer-confirm');
    await page.getByLabel(text('current_password_label')).fill(PASSWORD);
    await button('transfer_send').click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByText(text('type_transfer')).first().waitFor();
    expect((await friend.api.getWallet()).data.balance).toBe(20_000);
  });

  test('the next one to the same user needs no more than the form', async () => {
    await button('transfer_open').click();
    await fill('friend@mail.example', '5000');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await friend.api.getWallet()).data.balance).toBe(25_000);
  });

  test('money that arrives before activation is in the wallet, which says how to spend it', async () => {
    await page.context().clearCookies();
    await signInAtBrowser(page, friend);
    await page.goto('/user/wallet');
    await page.getByText(text('wallet_waits_for_activation')).waitFor();
    expect(await page.getByTestId('wallet-balance').innerText()).toContain(persian(25_000));
    await reader.inspect('wallet-not-activated');
  });

  expectNoComplaints(() => [reader]);
});
