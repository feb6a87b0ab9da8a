import { join } from 'node:path';
import { takeConsolePictures } from './console-pictures.ts';
import { openBrowser, sizes } from './world/browser.ts';
import { signUpFurnished } from './world/furnish.ts';
import { openNumberNode } from './world/number-node.ts';
import { enterPassword, setPassword } from './world/panel.ts';
import { pause, root } from './world/processes.ts';
import { createSite } from './world/site.ts';
import type { TestUser } from './world/user.ts';

/**
 * For `npm run pictures`: starts the product, gives a user something on every screen, and takes the pictures of the README and of
 * docs/operations.md anew.
 */
const site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
const numbers = await openNumberNode(site);
const user = await signUpFurnished(site, numbers, 'sara@raha.example', { user: 'سارا احمدی', config: 'گوشی' });
await addConfigs(user);
await setPassword(user);
const reader = await openBrowser(site.controlPlane.url);
const { page } = reader;
const images = join(root, 'docs/images');

// The map's line is drawn whole where motion is reduced.
await page.emulateMedia({ reducedMotion: 'reduce' });
await page.goto('/');
await page.waitForLoadState('networkidle');
await page.screenshot({ path: join(images, 'landing.png') });

await page.goto('/auth/passwordless?method=password');
await enterPassword(page, user.email);
await page.waitForURL('**/user/**');
await page.goto('/user/configs');
await page.getByText('گوشی', { exact: true }).first().waitFor();
await page.getByText('شبکهٔ شما').waitFor();
await page.evaluate(() => document.fonts.ready);
await page.screenshot({ path: join(images, 'configs.png') });
await page.setViewportSize(sizes.narrow);
await page.screenshot({ path: join(images, 'configs-phone.png') });

await reader.close();

const ofConsole = await takeConsolePictures(site, numbers, images);
numbers.close();
await site.close();
console.log(`docs/images: landing.png, configs.png, configs-phone.png, ${ofConsole.join(', ')}`);

/** A laptop that is connected, and a tablet that has not been used yet. */
async function addConfigs({ api }: TestUser): Promise<void> {
  const laptop = await createConfig('لپ‌تاپ');
  await createConfig('تبلت');
  await numbers.node.settle();
  await numbers.pass(laptop, 1_200_000_000);
  // Throughput is what passed since the report before.
  await pause(4_000);
  await numbers.pass(laptop, 9_000_000);
  await numbers.node.report([], { tunnels: [{ config: laptop, handshakeAgeSeconds: 4, pingMs: 38 }] });

  async function createConfig(name: string): Promise<string> {
    const body = { name, serverId: numbers.node.id, protocol: 'wireguard' as const, keepKey: true };
    return (await api.createConfig({ body })).data.config.id;
  }
}
