import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reader, sizes, text } from './world/browser.ts';
import { findCovered } from './world/covered.ts';
import { signUpFurnished } from './world/furnish.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { openAndClose, walk } from './world/keyboard.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { PASSWORD, signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { apiClient, type TestUser } from './world/user.ts';

const screens = [
  ...[
    'dashboard',
    'configs',
    'servers',
    'servers?mode=demo',
    'wallet',
    'wallet?view=statement',
    'wallet?view=invoices',
    'wallet/charge',
  ],
  ...['payments', 'plans', 'subscriptions?redeem=1', 'profile', 'profile?tab=security', 'profile?tab=settings'],
  ...['profile?tab=usage', 'upgrade-agent'],
];

/** Everything on every screen of the panel with the keyboard alone. */
describe.skipIf(whyNoBrowser)('the panel by keyboard', () => {
  const journey = openJourney();
  let site: Site;
  let numbers: NumberNode;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  beforeAll(async () => {
    ({ site, reader, page } = journey);
    numbers = await openNumberNode(site);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    user = await signUpFurnished(site, numbers, 'keys@mail.example', { config: 'گوشی' });
    await signInAtBrowser(page, user);
    // Somebody else's session, to be ended from here.
    await apiClient(site.controlPlane.url).login({ body: { email: user.email, password: PASSWORD } });
  });
  afterAll(() => numbers?.close());

  const open = async (path: string) => {
    await page.goto(`/user/${path}`);
    await page.locator('main h1').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('main .skeleton, main [aria-busy=true]'));
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first();

  test.each(screens)('%s: Tab comes by everything, in the order of reading, and shows where it is', async (path) => {
    await open(path);
    const { stops, ...wrong } = await walk(page);
    expect(wrong).toEqual({ missed: [], unseen: [], backwards: [] });
    expect(stops).toBeGreaterThan(8);
  });

  test.each(screens)('%s: on a small phone, upright and on its side, no control is covered or cut', async (path) => {
    await open(path);
    expect(await findCovered(page)).toEqual([]);
  });

  test('from 768 px on the sections stand beside the page, below that at its foot', async () => {
    await open('dashboard');
    const sections = page.getByRole('navigation', { name: text('nav_label') });
    for (const [width, isAside] of [
      [1100, true],
      [768, true],
      [767, false],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      expect(await sections.count()).toBe(1);
      const { height = 0, width: across = 0 } = (await sections.boundingBox()) ?? {};
      expect(height > across, `${width} px`).toBe(isAside);
      if (width === 768) await reader.keepPicture('dashboard-tablet');
    }
    await page.setViewportSize(sizes.wide);
  });

  test('nor in the dialog of a new config, whose last button can be pressed', async () => {
    await open('configs');
    await page
      .getByRole('button', { name: text('new_config'), exact: true })
      .first()
      .click();
    await page.getByRole('dialog').waitFor();
    expect(await findCovered(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('dialogs and menus open, hold the focus, close and give it back', async () => {
    const wrong: string[] = [];
    const look = async (opener: ReturnType<typeof button>, role: 'dialog' | 'alertdialog' | 'menu' = 'dialog') => {
      wrong.push(...(await openAndClose(page, opener, role)));
    };
    await open('dashboard');
    await look(button(new RegExp(`^${text('notifications_title')}`)));
    await look(button(text('account_of', { name: user.user.name })), 'menu');
    await look(button(text('show_qr_of', { name: 'گوشی' })));
    await open('configs');
    await look(button(text('new_config')));
    await look(button(text('show_qr_of', { name: 'گوشی' })));
    await look(button(text('more_of', { name: 'گوشی' })), 'menu');
    await open('servers');
    await look(button(new RegExp(`^${text('aria_take')}`)));
    await open('payments');
    await look(button(/^جزئیات/));
    await open('plans');
    await look(button(text('plan_buy')));
    await open('profile?tab=security');
    await look(button(text('sessions_end_others')), 'alertdialog');
    await look(button(text('deactivate_title')), 'alertdialog');
    await look(button(text('account_delete_title')), 'alertdialog');
    await page.setViewportSize(sizes.narrow);
    await open('dashboard');
    await look(button(text('nav_more')));
    await page.setViewportSize(sizes.wide);
    expect(wrong).toEqual([]);
  });

  test('a config is made, renamed and deleted without a pointer', async () => {
    const tabTo = async (name: string) => {
      for (let press = 0; press < 60; press++) {
        await page.keyboard.press('Tab');
        const isThere = await page.evaluate((wanted) => {
          const element = document.activeElement as HTMLInputElement | null;
          const labels = [element?.getAttribute('aria-label'), element?.innerText, element?.labels?.[0]?.innerText];
          return labels.some((label) => label?.trim() === wanted);
        }, name);
        if (isThere) return;
      }
      throw new Error(`Tab does not come to ${name}`);
    };
    const chooseFromMenu = async (of: string, entry: string) => {
      await tabTo(text('more_of', { name: of }));
      await page.keyboard.press('Enter');
      const item = page.getByRole('menuitem', { name: entry, exact: true });
      await item.waitFor();
      await expect
        .poll(async () => {
          await page.keyboard.press('ArrowDown');
          return await item.evaluate((element) => element === document.activeElement);
        })
        .toBe(true);
      await page.keyboard.press('Enter');
    };
    const focusIsSomewhere = () =>
      expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true);

    await open('configs');
    await tabTo(text('new_config'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(text('config_name'));
    await page.keyboard.type('تبلت');
    await tabTo(text('create_config'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText(text('download_file')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusIsSomewhere();
    await chooseFromMenu('تبلت', text('rename'));
    await page.getByRole('dialog').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('تبلت خانه');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'تبلت خانه' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusIsSomewhere();
    await chooseFromMenu('تبلت خانه', text('delete'));
    await page.getByRole('alertdialog').waitFor();
    await tabTo(text('delete_confirm'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'تبلت خانه' }).waitFor({ state: 'detached' });
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await focusIsSomewhere();
  });

  test('nothing on the way complained', () => {
    expect(reader.complaints).toEqual([]);
  });
});
