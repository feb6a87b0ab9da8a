import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { codeOfApp } from './world/authenticator-app.ts';
import { findChromium, text } from './world/browser.ts';
import { signUpFurnished } from './world/furnish.ts';
import { waitForCode } from './world/mailbox.ts';
import { openNumberNode } from './world/number-node.ts';
import { enterPassword, setPassword } from './world/panel.ts';
import { start } from './world/processes.ts';
import { createSite } from './world/site.ts';
import { startTlsFront, type TlsFront } from './world/tls-front.ts';

/**
 * For `npm run lighthouse`: starts the product and a Chromium for Lighthouse, signed in as a user with content on every
 * screen, and as the installation's first operator. Prints the addresses of both as one line of JSON and ends when its input does.
 */
const OPERATOR = 'operator@raha.example';
const executable = findChromium();
if (!executable) throw new Error('There is no Chromium on this machine');
const directory = mkdtempSync(join(tmpdir(), 'raha-lighthouse-'));
let front: TlsFront | undefined;
const site = await createSite(async (url) => {
  front = await startTlsFront(Number(new URL(url).port), directory);
  return { USD_RATE_TOMAN: '100000', PUBLIC_URL: front.url };
});
const address = site.controlPlane.environment.PUBLIC_URL;
const numbers = await openNumberNode(site);
const user = await signUpFurnished(site, numbers, 'lighthouse@mail.example', { config: 'گوشی' });
await setPassword(user);

// A Chromium of its own: in one that playwright holds, Lighthouse's tabs wait for a debugger that never comes.
const browser = start(
  executable,
  [
    '--headless=new',
    '--no-sandbox',
    '--remote-debugging-port=0',
    '--ignore-certificate-errors',
    `--user-data-dir=${directory}`,
    'about:blank',
  ],
  { logFile: join(directory, 'chromium.log') },
);
const [, port] = await browser.waitFor(/DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//, 30_000);
await signIn();
console.log(JSON.stringify({ address, port: Number(port) }));

process.stdin.resume();
await once(process.stdin, 'end');
await browser.kill('SIGTERM');
numbers.close();
front?.close();
await site.close();
rmSync(directory, { recursive: true, force: true });

/** The cookies stay in Chromium when playwright lets go of it. */
async function signIn(): Promise<void> {
  const held = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  const page = await held.contexts()[0]?.newPage();
  if (!page) throw new Error('Chromium has no window');
  await page.goto(`${address}/auth/passwordless?method=password`);
  await enterPassword(page, user.email);
  await page.waitForURL('**/user/**');
  await signInOperator(page);
  await page.close();
  await held.close();
}

/** With an app: a browser has no passkeys for an address without a name. */
async function signInOperator(page: Page): Promise<void> {
  await page.goto(`${address}/admin`);
  await page.getByLabel(text('console_email')).fill(OPERATOR);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('console_code_title') }).waitFor();
  await page.keyboard.type(await waitForCode(site.mailbox, OPERATOR));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: text('console_enrol_app') }).click();
  const secret = (await page.locator('.c-secret').innerText()).replaceAll(' ', '');
  await page.keyboard.type(codeOfApp(secret, Date.now()));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: text('console_recovery_kept') }).click();
  await page.getByRole('link', { name: text('console_session') }).waitFor();
}
