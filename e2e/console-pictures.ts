import { join } from 'node:path';
import { openBrowser, setTheme, sizes } from './world/browser.ts';
import { signInToConsole } from './world/console-keyboard.ts';
import { type NumberNode, openNumberNode, useUpMoney } from './world/number-node.ts';
import { payTooLittle } from './world/short-payment.ts';
import type { Site } from './world/site.ts';
import { activate, signUp } from './world/user.ts';

/**
 * The pictures of the console in docs/operations.md, in English: a user whose money is used up, a payment that the bank describes otherwise, and two
 * servers. Returns the names of the files.
 */
export async function takeConsolePictures(site: Site, numbers: NumberNode, images: string): Promise<string[]> {
  const other = await openNumberNode(site, {
    name: 'helsinki-1',
    country: 'FI',
    city: 'Helsinki',
    address: '198.51.100.3',
  });
  // No gigabyte is free.
  await site.controlPlane.raha('settings', 'set', 'trial.passwordlessDays', '0');
  const user = await signUp(site.controlPlane.url, site.mailbox, 'niloufar.rahimi@mail.example', 'نیلوفر رحیمی');
  await activate(site.controlPlane, user.api, 0.02);
  const { data } = await user.api.createConfig({ body: { name: 'phone', serverId: numbers.node.id } });
  await useUpMoney(numbers, data.config.id);
  const payment = await payTooLittle(site, user, 50_000);

  // Browsers know passkeys of localhost, and none of 127.0.0.1.
  const reader = await openBrowser(site.controlPlane.url.replace('127.0.0.1', 'localhost'));
  const { page } = reader;
  await signInToConsole(reader, site, 'operator@raha.example');
  await page.context().addCookies([{ name: 'locale', value: 'en', url: new URL(page.url()).origin }]);
  const taken: string[] = [];
  const take = async (name: string, path: string, isThere: string, theme: 'light' | 'dark' = 'light') => {
    await page.goto(path);
    await page.evaluate(setTheme, theme);
    await page.getByText(isThere).first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(images, `${name}.png`) });
    taken.push(`${name}.png`);
  };
  await take('console-today', '/admin', 'Waits for me');
  await take('console-user', `/admin/people/${user.user.id}`, 'phone');
  await take('console-payment', `/admin/payments/${payment}`, 'IDPay');
  await take('console-servers', '/admin/nodes', 'helsinki-1');
  await page.setViewportSize(sizes.narrow);
  await take('console-phone', '/admin/nodes', 'helsinki-1', 'dark');
  await reader.close();
  other.close();
  return taken;
}
