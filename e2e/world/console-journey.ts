import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openBrowser, type Reader, sizes } from './browser.ts';
import { type ConsoleKeyboard, consoleKeyboard, signInToConsole } from './console-keyboard.ts';
import type { Site } from './site.ts';

/** A member of staff at a browser of their own. */
export interface MemberAtConsole {
  readonly reader: Reader;
  readonly page: Page;
  readonly keys: ConsoleKeyboard;
}

/** Opens a browser in which this member signs in for the first time. */
export async function openConsole(site: Site, email: string): Promise<MemberAtConsole> {
  // Browsers know passkeys of localhost, and none of 127.0.0.1.
  const reader = await openBrowser(site.controlPlane.url.replace('127.0.0.1', 'localhost'));
  const { page } = reader;
  await signInToConsole(reader, site, email);
  return { reader, page, keys: consoleKeyboard(page) };
}

/** From the next document on. */
export async function speakEnglish(page: Page): Promise<void> {
  const url = new URL(page.url()).origin;
  await page.context().addCookies([{ name: 'locale', value: 'en', url }]);
}

/** On the narrowest phone nothing is wider than the window. A picture of it is kept under this name. */
export async function fitsNarrowest(reader: Reader, picture?: string): Promise<void> {
  const { page } = reader;
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  if (picture) await reader.keepPicture(picture);
  await page.setViewportSize(sizes.wide);
}
