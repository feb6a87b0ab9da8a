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
 * screen, and as the installation's first operator. Prints the addresses of both, and of pages of the console that are about one thing, as
 * one line of JSON and ends when its input does.
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
console.log(JSON.stringify({ address, port: Number(port), ofSomething: await listOfSomething() }));

process.stdin.resume();
await once(process.stdin, 'end');
await browser.kill('SIGTERM');
numbers.close();
front?.close();
await site.close();
rmSync(directory, { recursive: true, force: true });

/** Pages about a user, a payment, a server, a batch of cards and an order for many that waits for nobody yet. */
async function listOfSomething(): Promise<string[]> {
  const { raha } = site.controlPlane;
  const [payment] = (await user.api.listPayments({ query: {} })).data.payments;
  const { batchId } = await raha<{ batchId: string }>('gift-cards', 'issue', '--count', '3', '--usd', '5', '--sealed');
  const { id: bulk } = await raha<{ id: string }>(
    ...['bulk', 'credit', '--toman', '20000', '--ids', user.user.id],
    ...['--message', 'عذر ما را بپذیرید.', '--reason', 'an outage'],
  );
  return [
    ...[`people/${user.user.id}`, `payments/${payment?.id}`, `nodes/${numbers.node.id}`, `gift-cards/${batchId}`],
    `bulks/${bulk}`,
  ].map((page) => `/admin/${page}`);
}

/** The cookies stay in Chromium when playwright lets go of it. */
async function signIn(): Promise<void> {
  const held = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  const page = await held.contexts()[0]?.newPage();
  if (!page) throw new Error('Chromium has no window');
  await page.goto(`${address}/auth/passwordless?method=password`);
  await enterPassword(page, user.email);
  await page.waitForURL('**/user/**');
  await signInOperator(page);
  await proposeActs(page);
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

/** What waits for a second member: cards, a price and terms of a plan. */
async function proposeActs(page: Page): Promise<void> {
  const reason = 'an order of a shop';
  await callAsOperator(page, '/gift-cards', { count: 100, usd_cents: 500, note: 'فروشگاه', reason });
  await callAsOperator(page, '/prices', { usd_cents_per_gb: 4, seen: null, reason });
  const { plans } = (await callAsOperator(page, '/plans')) as { plans: { id: string; seen: number }[] };
  const { id, seen } = plans[0] as (typeof plans)[number];
  await callAsOperator(page, `/plans/${id}`, { price: 89_000, max_mbit: 20, seen, reason });
}

async function callAsOperator(page: Page, path: string, body?: object): Promise<unknown> {
  return await page.evaluate(
    async ({ url, sent }) => {
      const headers = { 'x-raha-console': '1', 'content-type': 'application/json' };
      const answer = await fetch(url, sent ? { method: 'POST', headers, body: JSON.stringify(sent) } : { headers });
      if (!answer.ok) throw new Error(`${url}: ${await answer.text()}`);
      return ((await answer.json()) as { data: unknown }).data;
    },
    { url: `${address}/api/v1/admin${path}`, sent: body },
  );
}
