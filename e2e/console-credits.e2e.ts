import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { beginBulks } from './world/bulk-clock.ts';
import { fitsNarrowest, openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { signUp, type TestUser } from './world/user.ts';

/**
 * After an outage several users are credited with the same amount, by keyboard: the sum is shown before it is ordered, nobody is paid until
 * a second member approves it, and each is told. What is declined is never paid.
 */
const BOSS = 'operator@raha.example';
const FINANCE = 'finance@raha.example';
const EACH = 20_000;
const MESSAGE = 'بابت قطعی دیروز؛ عذر ما را بپذیرید.';

describe.skipIf(whyNoBrowser)('the same credit for many in the console, by keyboard', () => {
  let site: Site;
  let boss: Reader;
  let finance: Reader;
  let keys: ConsoleKeyboard;
  let others: ConsoleKeyboard;
  const users: TestUser[] = [];

  beforeAll(async () => {
    site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
    const { url } = site.controlPlane;
    for (const [email, name] of [
      ['sara.ahmadi@mail.example', 'سارا احمدی'],
      ['babak.karimi@mail.example', 'بابک کریمی'],
    ] as const)
      users.push(await signUp(url, site.mailbox, email, name));
    await site.controlPlane.raha('staff', 'add', '--email', FINANCE, '--role', 'finance');
    ({ reader: boss, keys } = await openConsole(site, BOSS));
    ({ reader: finance, keys: others } = await openConsole(site, FINANCE));
  }, 120_000);
  afterAll(async () => {
    await finance?.close();
    await boss?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  const dialogOf = ({ page }: Reader) => page.getByRole('dialog');
  const lead = ({ page }: Reader, title: string | RegExp) =>
    page.getByRole('heading', { level: 1, name: title }).waitFor();
  const title = text('console_bulk_credit_of', { amount: persian(EACH), count: persian(2) });
  const balances = () => Promise.all(users.map(async ({ api }) => (await api.me()).user.balance));
  const type = async (label: string, value: string) => {
    await keys.tabTo(dialogOf(boss).getByLabel(text(label)));
    await boss.page.keyboard.type(value);
  };

  /** Both users are picked and a credit is ordered for them. */
  async function order(): Promise<void> {
    const { page } = boss;
    await page.goto('/admin/people');
    for (const name of [/سارا/, /بابک/]) {
      const link = page.getByRole('link', { name });
      await link.waitFor();
      await keys.tabTo(page.getByRole('searchbox'));
      await page.keyboard.press('Tab');
      for (let step = 0; step < 30 && !(await keys.hasFocus(link)); step += 1) await page.keyboard.press('j');
      await page.keyboard.press('x');
    }
    await keys.press(text('console_bulk_credit'));
    await type('console_bulk_each', '۲۰٬۰۰۰');
    await type('console_bulk_message', MESSAGE);
    await type('console_reason', 'an outage of six hours');
  }

  test('the sum is shown before it is ordered; then it waits, and says so', async () => {
    const { page } = boss;
    await order();
    const sum = { amount: persian(EACH), count: persian(2), sum: persian(2 * EACH), minutes: persian(2) };
    await dialogOf(boss).getByText(text('console_bulk_credit_sum', sum)).waitFor();
    await boss.inspect('console-credit-order');
    await page.keyboard.press('Enter');
    await lead(boss, text('console_bulk_lead_proposed', { title }));
    await boss.inspect('console-credit-proposed');
    expect(await findCovered(page)).toEqual([]);
    await keys.press(text('console_bulk_decide'), 'link');
    await page.getByText(text('console_correction_own')).waitFor();
    await boss.inspect('console-credit-own');
    expect(await balances()).toEqual([0, 0]);
  });

  test('it waits on the first screen of the other one, who approves exactly that', async () => {
    const { page } = finance;
    await others.press(text('console_today'), 'link');
    await page.getByRole('cell', { name: text('console_bulk_people', { count: persian(2) }) }).waitFor();
    await finance.inspect('console-today-credit');
    await others.press(text('console_today_take'));
    await page.getByRole('cell', { name: new RegExp(MESSAGE) }).waitFor();
    await finance.inspect('console-credit-waits');
    await others.press(text('console_correction_approve'));
    await finance.inspect('console-credit-approve');
    await page.keyboard.press('Enter');
    await dialogOf(finance).waitFor({ state: 'detached' });
    expect(await page.getByRole('status').innerText()).toBe(text('console_correction_approved'));
    await others.press(text('console_bulk_people', { count: persian(2) }), 'link');
    await lead(finance, new RegExp(title));
    await finance.inspect('console-credit-planned');
    expect(await balances()).toEqual([0, 0]);
  });

  test('two minutes later both have it and are told, and it cannot be undone', async () => {
    const { page } = finance;
    await beginBulks(site.controlPlane);
    await lead(finance, text('console_bulk_lead_done', { title }));
    await page.getByText(FINANCE, { exact: true }).last().waitFor();
    await finance.inspect('console-credit-done');
    expect(await page.getByRole('button', { name: text('console_bulk_undo') }).count()).toBe(0);
    expect(await balances()).toEqual([EACH, EACH]);
    const { notifications } = (await (users[0] as TestUser).api.listNotifications()).data;
    expect(notifications[0]?.message).toContain(MESSAGE);
    const found = await site.controlPlane.raha<{ action: string }[]>('audit', 'list', '--action', 'accounts.adjust');
    expect(found).toHaveLength(2);
  });

  test('what is declined is not paid; in English, and on a narrow phone', async () => {
    await order();
    await boss.page.keyboard.press('Enter');
    await lead(boss, text('console_bulk_lead_proposed', { title }));
    const { page } = finance;
    await speakEnglish(page);
    await page.goto('/admin/corrections');
    await others.press('Decline');
    await others.tabTo(dialogOf(finance).getByLabel('Reason'));
    await page.keyboard.type('too much for an hour');
    await page.keyboard.press('Enter');
    await dialogOf(finance).waitFor({ state: 'detached' });
    await finance.inspect('console-credits-english');
    await fitsNarrowest(finance);
    const declined = page.getByRole('row').filter({ hasText: 'Declined' });
    await others.tabTo(declined.getByRole('link', { name: '2 people' }));
    await page.keyboard.press('Enter');
    await page.getByText('No second member approved it, and nothing was paid.').waitFor();
    await finance.inspect('console-credit-declined-english');
    const ours = (await persianLines(page)).filter((line) => !line.includes(MESSAGE) && !line.startsWith('\u2068'));
    expect(ours).toEqual([]);
    expect(await balances()).toEqual([EACH, EACH]);
  });

  expectNoComplaints(() => [boss, finance]);
});
