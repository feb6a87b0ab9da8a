import type { Locator, Page } from 'playwright-core';
import { type Reader, text } from './browser.ts';
import { waitForCode } from './mailbox.ts';
import type { Site } from './site.ts';
import { addVirtualAuthenticator } from './virtual-authenticator.ts';

/** The console as somebody without a mouse works with it. */
export interface ConsoleKeyboard {
  /** A heading with a message of the console. */
  heading(key: string): Locator;
  hasFocus(control: Locator): Promise<boolean>;
  /** Tab after Tab, until it is reached. */
  tabTo(control: Locator): Promise<void>;
  press(name: string, role?: 'button' | 'link'): Promise<void>;
}

export function consoleKeyboard(page: Page): ConsoleKeyboard {
  const hasFocus = (control: Locator) => control.evaluate((element) => element === document.activeElement);
  async function tabTo(control: Locator): Promise<void> {
    await control.waitFor();
    // Found once, not at each stop: finding by role computes the names of the whole page. Again when it was drawn anew.
    let element = await control.elementHandle();
    for (let press = 0; press < 60; press += 1) {
      const has = await element?.evaluate((one) => (one.isConnected ? one === document.activeElement : undefined));
      if (has) return;
      if (has === undefined) element = await control.elementHandle();
      else await page.keyboard.press('Tab');
    }
    throw new Error(`no way to ${control} by keyboard`);
  }
  return {
    heading: (key) => page.getByRole('heading', { name: text(key), exact: true }),
    hasFocus,
    tabTo,
    async press(name, role = 'button') {
      await tabTo(page.getByRole(role, { name, exact: true }));
      await page.keyboard.press('Enter');
    },
  };
}

/** The first sign-in of a member, with a passkey of this browser. */
export async function signInToConsole(reader: Reader, site: Site, email: string): Promise<void> {
  const { page } = reader;
  const { heading, tabTo, press } = consoleKeyboard(page);
  await addVirtualAuthenticator(page);
  await reader.whileRefused(async () => {
    await page.goto('/admin');
    await heading('console_sign_in').waitFor();
  });
  await tabTo(page.getByLabel(text('console_email')));
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await heading('console_code_title').waitFor();
  await page.keyboard.type(await waitForCode(site.mailbox, email));
  await page.keyboard.press('Enter');
  await press(text('console_enrol_passkey'));
  await press(text('console_recovery_kept'));
  await page.getByRole('link', { name: text('console_session') }).waitFor();
}

/** Lines of the page in Persian letters; the names of people and devices are theirs. */
export async function persianLines(page: Page): Promise<string[]> {
  const seen = await page.evaluate(() => document.body.innerText.split('\n'));
  return seen.filter((line) => /[\u0600-\u06ff]/.test(line.replaceAll(/نیلوفر رحیمی|گوشی نیلوفر|فارسی/g, '')));
}
