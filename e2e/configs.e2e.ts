import { readFile } from 'node:fs/promises';
import { wireguardJunk } from '@raha/contract/wireguard-junk.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { openJourney, whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { signInAtBrowser } from './world/panel.ts';
import type { Site } from './world/site.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';

/** What nobody should be called, and somebody may be. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e👨‍👩‍👧ك';

/** Everything a user does to configs, and what the screen says of each. */
describe.skipIf(whyNoBrowser)('the configs', () => {
  const journey = openJourney();
  let site: Site;
  let numbers: NumberNode;
  let reader: Reader;
  let page: Page;
  let user: TestUser;

  stopAtFirstFailure();
  beforeAll(async () => {
    ({ site, reader, page } = journey);
    numbers = await openNumberNode(site);
    user = await signUp(site.controlPlane.url, site.mailbox, 'configs@mail.example');
    await activate(site.controlPlane, user.api, 5);
    await signInAtBrowser(page, user);
    await page.goto('/configs');
    await page.waitForURL('**/user/configs');
  });
  afterAll(() => numbers?.close());

  const button = (key: string, values: Record<string, string> = {}) =>
    page.getByRole('button', { name: text(key, values), exact: true });
  const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
  const card = (name: string) => page.getByRole('article', { name, exact: true });
  const tab = (key: string, count: number) =>
    page.getByRole('tab', { name: new RegExp(`^${text(key)}\\s*${persian(count)}$`) });
  const idOf = async (name: string) =>
    (await user.api.listConfigs()).data.configs.find((config) => config.name === name)?.id ?? '';

  test('the first one: name and server are needed, the best server is chosen, the file is offered at once', async () => {
    await button('create_first').click();
    await dialog().getByLabel(text('config_name')).waitFor();
    await dialog().getByText(text('best_server')).waitFor();
    await dialog()
      .getByRole('button', { name: text('create_config') })
      .click();
    await dialog().getByText('لطفاً همه فیلدها را پر کنید').first().waitFor();
    await dialog().getByLabel(text('config_name')).fill('گوشی');
    await dialog()
      .getByRole('button', { name: text('create_config') })
      .click();
    await page.getByText(text('config_created')).first().waitFor();
    await dialog()
      .getByRole('img', { name: text('qr_of', { name: 'گوشی' }) })
      .waitFor();
    await page.keyboard.press('Escape');
    await card('گوشی').waitFor();
    await numbers.node.settle();
  });

  test('a taken name is said in its field, nothing that was typed is lost', async () => {
    await button('new_config').click();
    await reader.whileRefused(async () => {
      await dialog().getByLabel(text('config_name')).fill('گوشی');
      await dialog()
        .getByRole('button', { name: text('create_config') })
        .click();
      await dialog().getByText('کانفیگ دیگری با همین نام دارید').first().waitFor();
    });
    expect(await dialog().getByLabel(text('config_name')).inputValue()).toBe('گوشی');
    await dialog().getByLabel(text('config_name')).fill('لپ‌تاپ');
    await dialog()
      .getByRole('button', { name: text('create_config') })
      .click();
    await dialog()
      .getByRole('img', { name: text('qr_of', { name: 'لپ‌تاپ' }) })
      .waitFor();
    await page.keyboard.press('Escape');
    await numbers.node.settle();
    await tab('filter_all', 2).waitFor();
    await tab('filter_active', 2).waitFor();
  });

  test('a card says name, place, server, protocol, traffic and when it was used', async () => {
    await numbers.pass(await idOf('گوشی'), 1_500_000_000);
    await page.reload();
    // What has not been painted yet has no text.
    await expect.poll(() => card('گوشی').innerText()).toContain('فرانکفورت');
    const shown = await card('گوشی').innerText();
    for (const part of ['DE', 'فرانکفورت', 'WireGuard', 'گیگابایت', text('status_active')])
      expect(shown).toContain(part);
    expect(shown).toMatch(/۱۴[۰-۹]{2}/);
    await expect.poll(() => card('لپ‌تاپ').innerText()).toContain(text('never_used'));
  });

  test('the device is waited for, its first sign is told with the country, its end as well', async () => {
    // On a phone the list is a screen below the answer.
    await page.setViewportSize(sizes.narrow);
    await card('گوشی')
      .getByRole('button', { name: text('connect'), exact: true })
      .click();
    const waiting = page.locator('section[data-state="waiting"]');
    await waiting.waitFor();
    await expect
      .poll(() => waiting.evaluate((element) => element.getBoundingClientRect().top))
      .toBeGreaterThanOrEqual(0);
    await waiting.getByText(text('waiting_text_qr')).waitFor();
    await page.setViewportSize(sizes.wide);
    // A long address is cut short; it pushes nothing over the edge.
    expect(await page.locator('aside').evaluate((aside) => aside.scrollWidth - aside.clientWidth)).toBe(0);
    await page.getByText(text('waiting_status')).first().waitFor();
    await button('stop_waiting').first().waitFor();
    const id = await idOf('گوشی');
    await numbers.node.settle();
    await numbers.node.report([], { tunnels: [{ config: id, handshakeAgeSeconds: 1, pingMs: 31 }] });
    await page.getByText(text('connected_to', { country: 'آلمان' })).waitFor();
    const same = card('گوشی').getByRole('button', { name: text('connected'), exact: true });
    await same.waitFor();
    expect(await same.getAttribute('aria-disabled')).toBe('true');
    // One state, not two.
    expect(await card('گوشی').innerText()).not.toContain(text('status_active'));
    await reader.inspect('configs-connected-numbers');
    await button('disconnect_connection').first().click();
    await page.getByText(text('connection_ended')).waitFor();
    await card('گوشی').getByText(text('status_inactive')).waitFor();
  });

  test('the dashboard offers to connect again what was disconnected, as the page of the configs does', async () => {
    const again = page.getByRole('button', { name: `${text('connect_with')} گوشی`, exact: true });
    await again.waitFor();
    await page.goto('/user/dashboard');
    await again.waitFor();
    await page.goto('/user/configs');
    await card('گوشی').waitFor();
  });

  test('of an inactive one neither file nor new keys; the filters know it, in the address as well', async () => {
    await tab('filter_inactive', 1).click();
    await page.waitForURL('**/user/configs?filter=inactive');
    expect(await page.getByRole('article').count()).toBe(1);
    expect(
      await card('گوشی')
        .getByRole('button', { name: text('download_of', { name: 'گوشی' }) })
        .getAttribute('aria-disabled'),
    ).toBe('true');
    await button('more_of', { name: 'گوشی' }).click();
    const reset = page.getByRole('menuitem', { name: text('reset') });
    await reset.waitFor();
    expect(await reset.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await page.reload();
    await card('گوشی').waitFor();
    await tab('filter_expired', 0).click();
    await page.getByText(text('filter_empty')).waitFor();
    await tab('filter_all', 2).click();
  });

  test('where it does not connect, there are files for other ports that the server accepts, and for AmneziaWG', async () => {
    const openFile = async () => {
      await button('show_qr_of', { name: 'لپ‌تاپ' }).click();
      await dialog()
        .getByRole('img', { name: text('qr_of', { name: 'لپ‌تاپ' }) })
        .waitFor();
    };
    const folded = dialog().locator('details', { hasText: text('other_way') });
    await openFile();
    await folded.locator('summary').click();
    // A server that says nothing of other ports.
    expect(await folded.getByText(text('other_way_port'), { exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    numbers.node.wireguardPorts = [53, 8443];
    await numbers.node.report([]);
    await page.reload();
    await openFile();
    await folded.locator('summary').click();
    const save = async () => {
      const saving = page.waitForEvent('download');
      await folded.getByRole('button', { name: text('download_file') }).click();
      const saved = await saving;
      return { name: saved.suggestedFilename(), file: await readFile(await saved.path(), 'utf8') };
    };
    const usual = (await user.api.downloadConfig({ params: { id: await idOf('لپ‌تاپ') } })) as unknown as string;
    expect(usual).toContain(':51820\n');
    await folded.getByText('8443').click();
    const other = usual.replace(':51820\n', ':8443\n');
    expect(await save()).toEqual({ name: expect.stringMatching(/^raha-[0-9a-f]{4}-8443\.conf$/), file: other });
    await folded.getByText('AmneziaWG', { exact: true }).click();
    await folded.getByText(text('other_way_amnezia')).waitFor();
    // The part that scrolls is as high as the dialog.
    const edges = await dialog().evaluate((element) => [
      element.scrollTop,
      element.scrollHeight - element.clientHeight,
    ]);
    expect(edges).toEqual([0, 0]);
    await reader.inspect('configs-other-ways');
    const { name, file } = await save();
    expect(name).toMatch(/^awg-[0-9a-f]{4}-8443\.conf$/);
    const more = Object.entries(wireguardJunk).map(([key, value]) => `${key} = ${value}\n`);
    expect(file).toBe(other.replace('\n[Peer]', `${more.join('')}\n[Peer]`));
    await page.keyboard.press('Escape');
  });

  test('reset asks, and gives new keys; the old file is worth nothing', async () => {
    const id = await idOf('لپ‌تاپ');
    const before = await user.api.downloadConfig({ params: { id } });
    await button('more_of', { name: 'لپ‌تاپ' }).click();
    await page.getByRole('menuitem', { name: text('reset') }).click();
    await dialog().getByText('آیا از بازنشانی این کانفیگ اطمینان دارید').waitFor();
    await button('cancel').click();
    expect(await user.api.downloadConfig({ params: { id } })).toBe(before);
    await button('more_of', { name: 'لپ‌تاپ' }).click();
    await page.getByRole('menuitem', { name: text('reset') }).click();
    await button('reset_confirm').click();
    await page.getByText(text('config_reset')).first().waitFor();
    await page.keyboard.press('Escape');
    expect(await user.api.downloadConfig({ params: { id } })).not.toBe(before);
    await numbers.node.settle();
  });

  test('a hostile name is text, here and on the dashboard', async () => {
    await button('more_of', { name: 'لپ‌تاپ' }).click();
    await page.getByRole('menuitem', { name: text('rename') }).click();
    await dialog().getByLabel(text('config_name')).fill(HOSTILE);
    await dialog()
      .getByRole('button', { name: text('save') })
      .click();
    const kept = await expect
      .poll(async () => (await user.api.listConfigs()).data.configs.map(({ name }) => name).join('\n'))
      .toContain('<img src=x onerror=alert(1)>')
      .then(async () => (await user.api.listConfigs()).data.configs.find(({ name }) => name.startsWith('<img'))?.name);
    expect(kept).not.toContain('\u202e');
    for (const path of ['/user/configs', '/user/dashboard']) {
      await page.goto(path);
      await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      expect(await page.locator('img[src="x"]').count()).toBe(0);
    }
    await reader.inspect('hostile-name');
    await page.goto('/user/configs');
  });

  test('delete asks, says that it is for good, and frees the name', async () => {
    await button('more_of', { name: 'گوشی' }).click();
    await page.getByRole('menuitem', { name: text('delete') }).click();
    await dialog().getByText('این کار برگشت‌پذیر نیست').waitFor();
    await button('delete_confirm').click();
    await page.getByText(text('config_deleted')).waitFor();
    await tab('filter_all', 1).waitFor();
  });

  test('what fails is told, with its reason, and nothing that was typed is lost', async () => {
    const name = (await user.api.listConfigs()).data.configs[0]?.name ?? '';
    const says = (key: string) => page.getByText(text(key)).first().waitFor();
    await reader.whileFailing('POST /connection/connect', async () => {
      await button('connect').first().click();
      await says('connect_failed');
    });
    await button('connect').first().click();
    await page.locator('section[data-state="waiting"]').waitFor();
    await reader.whileFailing('POST /connection/disconnect', async () => {
      await button('stop_waiting').first().click();
      await says('disconnect_failed');
    });
    for (const [action, call] of [
      ['reset', 'POST /user/configs/*/reset'],
      ['delete', 'DELETE /user/configs/*'],
    ] as const) {
      await button('more_of', { name }).click();
      await page.getByRole('menuitem', { name: text(action) }).click();
      await reader.whileFailing(call, async () => {
        await button(`${action}_confirm`).click();
        await says(`config_${action}_failed`);
      });
      await button('cancel').click();
    }
    // A browser that lets nobody write to its clipboard.
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await button('more_of', { name }).click();
    await page.getByRole('menuitem', { name: text('copy_config') }).click();
    await says('copy_failed');
    await button('show_qr_of', { name }).click();
    // Only one message is measured: what was said before has gone.
    await page.locator('[role=status] p').first().waitFor({ state: 'detached' });
    await dialog()
      .getByRole('button', { name: text('copy_text') })
      .click();
    await says('copy_failed');
    // On a phone, where dialogs stand at the foot of the screen, it is said above what they are about.
    await page.setViewportSize(sizes.narrow);
    const message = await page.getByText(text('copy_failed')).first().boundingBox();
    const title = await dialog().getByRole('heading', { level: 2 }).boundingBox();
    expect((message?.y ?? 0) + (message?.height ?? 0)).toBeLessThan(title?.y ?? 0);
    await page.setViewportSize(sizes.wide);
    await page.keyboard.press('Escape');
    await button('new_config').click();
    await dialog().getByLabel(text('config_name')).fill('تلویزیون');
    await reader.whileFailing('POST /user/configs', async () => {
      await dialog()
        .getByRole('button', { name: text('create_config') })
        .click();
      await says('config_create_failed');
    });
    expect(await dialog().getByLabel(text('config_name')).inputValue()).toBe('تلویزیون');
    await page.keyboard.press('Escape');
    await reader.whileFailing('GET /user/configs', async () => {
      await page.reload();
      await says('configs_failed');
    });
    await button('try_again').first().click();
    await page.getByRole('article').first().waitFor();
  });

  test('nothing on the way complained', async () => {
    expect(reader.complaints).toEqual([]);
  });
});
