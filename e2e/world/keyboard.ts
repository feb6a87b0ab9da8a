import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/** What the keyboard found on a page, in words; empty lists are what is wanted. */
export interface Walk {
  /** Seen, for pressing or typing, and never focused. */
  readonly missed: readonly string[];
  /** Focused, and looking as before. */
  readonly unseen: readonly string[];
  /** Focused after something that stands below or, in the same line of reading, behind it. */
  readonly backwards: readonly string[];
  readonly stops: number;
}

interface Probe {
  begin(within: Element): void;
  /** Notes what has the focus now: its number, or -1 for nothing. */
  note(): number;
  end(): Walk;
}
const MOST_STOPS = 300;
const probe = readFileSync(join(import.meta.dirname, 'keyboard-probe.js'), 'utf8');

/** Choosing a language loads the page in it. */
const CHANGE_THE_PAGE = ['language'];

/** What is still arriving would be missed: nothing has changed for a while. */
async function standStill(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((done) => {
        const observer = new MutationObserver(() => wait());
        let timer: ReturnType<typeof setTimeout>;
        const wait = () => {
          clearTimeout(timer);
          timer = setTimeout(() => {
            observer.disconnect();
            done();
          }, 300);
        };
        observer.observe(document.body, { subtree: true, childList: true });
        wait();
      }),
  );
}

/**
 * Tab from the top until it comes round, then the arrows in every group that has one stop for all. Inside a dialog it
 * comes round by itself.
 */
export async function walk(page: Page, within = 'body'): Promise<Walk> {
  await standStill(page);
  await page.evaluate(probe);
  await page
    .locator(within)
    .first()
    .evaluate((element) => keyboardProbe.begin(element));
  let found = 0;
  for (let press = 0; press < MOST_STOPS; press++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => keyboardProbe.note());
    // Round: at what was found first, or past the end.
    if (found > 0 && at <= 0) break;
    found = Math.max(found, at + 1);
  }
  const walked = await page.evaluate(() => keyboardProbe.end());
  return { ...walked, missed: [...walked.missed, ...(await walkGroups(page, within))] };
}

/** Tabs, radio buttons and the like: one is a stop, the arrows lead to the others. Says which groups have others. */
async function walkGroups(page: Page, within: string): Promise<string[]> {
  const root = page.locator(within).first();
  const groups = await root.evaluate((element, spared) => {
    const radios = [...element.querySelectorAll<HTMLInputElement>('input[type=radio]:not(:disabled)')];
    const names = new Set(radios.map(({ name }) => name).filter((name) => !spared.includes(name)));
    const lists = [...element.querySelectorAll('[role=tablist], [role=radiogroup], [role=toolbar]')];
    return [
      ...[...names].map((name) => `input[type=radio][name="${CSS.escape(name)}"]:not(:disabled)`),
      ...lists
        .filter((list) => list.querySelector('[tabindex="-1"]'))
        .map(
          (list) => `[role=${list.getAttribute('role')}][aria-label="${list.getAttribute('aria-label')}"] [tabindex]`,
        ),
    ];
  }, CHANGE_THE_PAGE);
  const missed: string[] = [];
  for (const group of groups) {
    const members = root.locator(group);
    const count = await members.count();
    const isChosen = '[tabindex="0"], :checked';
    const start = await members.evaluateAll((all, chosen) => all.findIndex((one) => one.matches(chosen)), isChosen);
    await members.nth(Math.max(0, start)).focus();
    const reached = new Set<number>();
    for (let press = 0; press < count; press++) {
      await page.keyboard.press('ArrowLeft');
      // What is chosen may bring another page, and the group anew.
      await page.waitForFunction((selector) => document.activeElement?.matches(selector), group, { timeout: 5_000 });
      reached.add(await members.evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement)));
    }
    if (reached.size !== count) missed.push(`${reached.size} of ${count} by the arrows: ${group}`);
  }
  return missed;
}

/**
 * Opens what a button opens by Enter, goes through it, and closes it by Escape. The focus goes in, stays in and comes
 * back; what is wrong in words.
 */
export async function openAndClose(page: Page, opener: Locator, role: 'dialog' | 'alertdialog' | 'menu') {
  const wrong: string[] = [];
  const name = (await opener.getAttribute('aria-label')) ?? (await opener.innerText());
  const button = await opener.elementHandle();
  await opener.focus();
  await page.keyboard.press('Enter');
  const popup = page.getByRole(role);
  await popup.waitFor();
  await page.waitForFunction((kind) => document.activeElement?.closest(`[role=${kind}]`), role);
  if (role === 'menu') {
    const items = await popup.getByRole('menuitem').count();
    const seen = new Set<string>();
    for (let press = 0; press < items; press++) {
      await page.keyboard.press('ArrowDown');
      seen.add(await page.evaluate(() => document.activeElement?.textContent ?? ''));
    }
    if (seen.size !== items) wrong.push(`${name}: ${seen.size} of ${items} entries by the arrows`);
  } else {
    await page.waitForFunction((kind) => !document.querySelector(`[role=${kind}] .skeleton`), role);
    const { missed, unseen, backwards } = await walk(page, `[role=${role}]`);
    wrong.push(...[...missed, ...unseen, ...backwards].map((element) => `${name}: ${element}`));
    await page.keyboard.press('Shift+Tab');
    const isInside = await page.evaluate((kind) => !!document.activeElement?.closest(`[role=${kind}]`), role);
    if (!isInside) wrong.push(`${name}: the focus leaves it`);
  }
  await page.keyboard.press('Escape');
  await popup.waitFor({ state: 'detached' });
  await page
    .waitForFunction((element) => document.activeElement === element, button, { timeout: 5_000 })
    .catch(() => wrong.push(`${name}: the focus does not come back`));
  return wrong;
}

/** In the page, where the probe has been put. */
declare const keyboardProbe: Probe;
