import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../server/src/platform/database.ts';
import { insertPopulation } from '../server/test/scale/people.ts';
import { persian, type Reader, sizes, text } from './world/browser.ts';
import { openConsole } from './world/console-journey.ts';
import type { ConsoleKeyboard } from './world/console-keyboard.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { type NumberNode, openNumberNode } from './world/number-node.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';
import { signUp } from './world/user.ts';

const PEOPLE = 412;
/** Each has two. */
const CONFIGS = 2 * PEOPLE;

/** A server that 412 people use is given up by keyboard, and a member watches their configs move to another one. */
describe.skipIf(whyNoBrowser)('a server with 412 people is left, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  const nodes: NumberNode[] = [];

  beforeAll(async () => {
    site = await createSite();
    const old = await openNumberNode(site);
    nodes.push(old);
    const { user } = await signUp(site.controlPlane.url, site.mailbox, 'model@mail.example');
    const db = openDatabase(await site.controlPlane.databaseUrl(), { onError: () => {} });
    const people = { count: PEOPLE, nodeIds: [old.node.id], modelId: user.id, oldIds: [], payerIds: [], hours: 2 };
    await insertPopulation(db, { ...people, now: new Date() });
    // A file can only be made anew for those whose key we made: a key that the device keeps is changed there.
    await sql`UPDATE config SET private_key_sealed = ''`.execute(db);
    await db.destroy();
    nodes.push(
      await openNumberNode(site, { name: 'helsinki-1', country: 'FI', city: 'Helsinki', address: '198.51.100.3' }),
    );
    ({ reader, page, keys } = await openConsole(site, 'operator@raha.example'));
  });
  afterAll(async () => {
    for (const node of nodes) node.close();
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  /** How many configs have a file on another server, by the bar on the screen. */
  const moved = async () => Number(await page.getByRole('progressbar').getAttribute('value'));

  test('the dialog says how many people it is about, and where they go', async () => {
    await keys.press(text('console_fleet'), 'link');
    await keys.press('frankfurt-1', 'link');
    await keys.press(text('console_node_retire'));
    const dialog = page.getByRole('dialog');
    const effect = text('console_node_retire_effect', { users: persian(PEOPLE), configs: persian(CONFIGS) });
    await dialog.getByText(effect).waitFor();
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('too dear');
    await reader.inspect('console-leave-dialog');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await keys.heading('console_node_leaving').waitFor();
  });

  test('the screen counts them without being loaded again, until the last one has a file elsewhere', async () => {
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    const seen = [0];
    await expect
      .poll(
        async () => {
          seen.push(await moved());
          return seen.at(-1);
        },
        { timeout: 180_000, interval: 500 },
      )
      .toBe(CONFIGS);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
    await page.getByText(text('console_node_moved', { moved: persian(CONFIGS), configs: persian(CONFIGS) })).waitFor();
    await page.getByText(text('console_node_configs_there', { count: persian(CONFIGS) })).waitFor();
    await reader.inspect('console-leave-done');
    await page.setViewportSize(sizes.narrow);
    expect(await findCovered(page)).toEqual([]);
    await page.setViewportSize(sizes.wide);
  });

  test('no config is lost, and users are notified of each', async () => {
    const db = openDatabase(await site.controlPlane.databaseUrl(), { onError: () => {} });
    const { rows } = await sql<{ configs: number; notified: number }>`
      SELECT (SELECT count(*) FROM config WHERE deleted_at IS NULL)::integer AS configs,
        (SELECT count(*) FROM notification WHERE kind = 'config_moved')::integer AS notified
    `.execute(db);
    await db.destroy();
    expect(rows).toEqual([{ configs: 2 * CONFIGS, notified: CONFIGS }]);
  });

  expectNoComplaints(() => [reader]);
});
