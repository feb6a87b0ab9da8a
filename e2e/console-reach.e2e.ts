import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persian, type Reader, text } from './world/browser.ts';
import { fitsNarrowest, openConsole, speakEnglish } from './world/console-journey.ts';
import { type ConsoleKeyboard, persianLines } from './world/console-keyboard.ts';
import type { ControlPlane } from './world/control-plane.ts';
import { findCovered } from './world/covered.ts';
import { whyNoBrowser } from './world/journey.ts';
import { createSite, type Site } from './world/site.ts';
import { expectNoComplaints, stopAtFirstFailure } from './world/steps.ts';

/**
 * Reach in the console, by keyboard: the map, one of its ways by hour and entry, relays taken out and put back, empty, in English, and when it
 * cannot be read.
 */
const BOSS = 'operator@raha.example';
const [MCI, IRANCELL] = [197_207, 44_244];

describe.skipIf(whyNoBrowser)('reach in the console, by keyboard', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;
  let keys: ConsoleKeyboard;
  const title = () => page.getByRole('heading', { level: 1 });

  beforeAll(async () => {
    site = await createSite();
    ({ reader, page, keys } = await openConsole(site, BOSS));
  }, 120_000);
  afterAll(async () => {
    await reader?.close();
    await site?.close();
  });
  stopAtFirstFailure();

  test('without a figure it says what one needs', async () => {
    await keys.press(text('console_reach'), 'link');
    await expect.poll(() => title().innerText()).toBe(text('console_reach_none'));
    await page.getByText(text('console_reach_empty')).waitFor();
    await reader.inspect('console-reach-none');
  });

  test('a matrix of operators and transports, without a zero where there is no figure', async () => {
    await fillReach(site.controlPlane);
    await keys.press(text('console_reach_day'), 'link');
    await expect
      .poll(() => title().innerText())
      .toBe(text('console_reach_lead_poor', { poor: persian(2), count: persian(7) }));
    expect(await page.locator('tbody tr').count()).toBe(2);
    const first = page.locator('tbody tr').first();
    expect(await first.innerText()).toContain(text('console_percent', { value: persian(8) }));
    expect(await first.innerText()).toContain(text('console_reach_no_figure'));
    expect(await first.innerText()).not.toContain(text('console_percent', { value: persian(0) }));
    await page.getByText('رایتل').waitFor();
    await reader.inspect('console-reach');
    expect(await findCovered(page)).toEqual([]);
  });

  test('one of them by hour, port and entry', async () => {
    await keys.press(text('console_percent', { value: persian(8) }), 'link');
    await page.waitForURL(`**/admin/reach/${MCI}/wireguard?span=day`);
    await page.getByText(text('console_reach_ports')).waitFor();
    // An hour is a track and what of it connected; the hours that were not kept are empty.
    expect(await page.locator('.c-share-bars .c-track').count()).toBe(20);
    const entries = page.getByRole('region', { name: text('console_reach_entries') }).locator('tbody tr');
    expect(await entries.count()).toBe(3);
    expect(await entries.nth(0).innerText()).toContain(text('console_entry_out'));
    expect(await entries.nth(1).innerText()).toContain(text('console_reach_no_figure'));
    expect(await entries.nth(2).innerText()).toContain(text('console_percent', { value: persian(75) }));
    await reader.inspect('console-reach-way');
    await keys.press(text('console_reach_week'), 'link');
    await expect.poll(() => page.locator('.c-share-bars .c-track').count()).toBe(140);
    await reader.keepPicture('console-reach-week');
    expect(await findCovered(page)).toEqual([]);
  });

  test('relays: one that was taken out is put back, and another one taken out, each with a reason', async () => {
    await page.goto('/admin/reach');
    await keys.press(text('console_entries'), 'link');
    await expect
      .poll(() => title().innerText())
      .toBe(text('console_entries_lead_out', { out: persian(1), count: persian(3) }));
    const row = page.locator('tbody tr').filter({ hasText: 'ir1' });
    expect(await row.innerText()).toContain(text('console_entry_by_rule'));
    // What the rule saw.
    expect(await row.innerText()).toContain(text('console_percent', { value: persian(93) }));
    expect(await page.getByText(text('console_entry_no_name')).count()).toBe(2);
    await reader.inspect('console-entries');
    // This site has no name server: a name as one with it would have it.
    const dns = { name: 'e0123456789ab.go.example.org', addresses: ['198.51.100.2'], at: new Date().toISOString() };
    await page.route('**/api/v1/admin/entries', async (route) => {
      const response = await route.fetch();
      const { success, data } = (await response.json()) as { success: true; data: { nodes: object[] } };
      const nodes = data.nodes.map((node, index) => (index === 0 ? { ...node, dns } : node));
      await route.fulfill({ response, json: { success, data: { ...data, nodes } } });
    });
    await page.reload();
    await page.getByText(dns.name).waitFor();
    await reader.keepPicture('console-entries-name');
    await page.unroute('**/api/v1/admin/entries');
    const dialog = page.getByRole('dialog');
    await keys.tabTo(row.getByRole('button'));
    await page.keyboard.press('Enter');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('it comes through again');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_entry_unblocked')).waitFor();
    await expect.poll(() => title().innerText()).toBe(text('console_entries_lead', { count: persian(3) }));
    const own = page.locator('tbody tr').nth(1);
    await keys.tabTo(own.getByRole('button'));
    await page.keyboard.press('Enter');
    await keys.tabTo(dialog.getByLabel(text('console_reason')));
    await page.keyboard.type('همراه اول آن را می‌بندد');
    await reader.inspect('console-entry-block');
    await page.keyboard.press('Enter');
    await page.getByText(text('console_entry_blocked'), { exact: true }).waitFor();
    await own.getByText(BOSS).waitFor();
    expect(await own.innerText()).toContain('همراه اول آن را می‌بندد');
    await reader.inspect('console-entry-blocked');
    expect(await findCovered(page)).toEqual([]);
  });

  test('in English, on a narrow phone, and when it cannot be read', async () => {
    await speakEnglish(page);
    await reader.whileFailing('GET /admin/reach**', async () => {
      // A process reads each map once a minute for all who look, and this one has not been read yet.
      await page.goto('/admin/reach?span=week');
      await page.getByRole('alert').getByRole('button').waitFor();
      await reader.inspect('console-reach-failed');
    });
    await keys.press('Try again');
    await page.getByText('Ways that connect less than half of the time: 2 of 7.').waitFor();
    expect(await persianLines(page)).toEqual([]);
    await fitsNarrowest(reader, 'console-reach-english-320');
    await reader.inspect('console-reach-english');
    await page.goto(`/admin/reach/${IRANCELL}/openvpn_tcp?span=week`);
    await page.getByText('Hours that were kept').waitFor();
    expect(await persianLines(page)).toEqual([]);
    await reader.inspect('console-reach-way-english');
    await page.goto('/admin/reach/entries');
    await page.getByText('Entries that are taken out: 1 of 3.').waitFor();
    // The reason is as its writer wrote it.
    expect(await persianLines(page)).toEqual(['همراه اول آن را می‌بندد']);
    await fitsNarrowest(reader);
    await reader.inspect('console-entries-english');
  });

  expectNoComplaints(() => [reader]);
});

/** Two operators: the first drops most UDP, and at the second everything works. Figures of seven days, but not of every hour. */
async function fillReach(controlPlane: ControlPlane): Promise<void> {
  const client = new pg.Client(await controlPlane.databaseUrl());
  await client.connect();
  const cells: readonly (readonly [number, string, number, number, number])[] = [
    [MCI, 'wireguard', 0, 240, 12],
    [MCI, 'wireguard', 53, 60, 12],
    [MCI, 'openvpn', 0, 80, 20],
    [MCI, 'openvpn_tcp', 0, 180, 171],
    [IRANCELL, 'wireguard', 0, 320, 301],
    [IRANCELL, 'openvpn', 0, 90, 78],
    [IRANCELL, 'openvpn_tcp', 0, 120, 118],
    [IRANCELL, 'ikev2', 0, 60, 52],
  ];
  for (const cell of cells)
    await client.query(
      `INSERT INTO reach_cell (network, grain, begins, transport, port, attempts, through, answers, connected)
        SELECT $1, 'hour', date_trunc('hour', now()) - make_interval(hours => h), $2, $3, $4, $5, 0, 0
        FROM generate_series(1, 167) h WHERE h % 6 <> 0`,
      [...cell],
    );
  const [frankfurt, amsterdam] = [randomUUID(), randomUUID()];
  for (const [id, name, country, city, address] of [
    [frankfurt, 'de1', 'DE', 'Frankfurt am Main', '198.51.100.2'],
    [amsterdam, 'nl1', 'NL', 'Amsterdam', '198.51.100.3'],
  ])
    await client.query(
      `INSERT INTO node (id, name, country, city, address, wireguard_port, address_limit, created_at)
        VALUES ($1, $2, $3, $4, $5, 51820, 65000, now())`,
      [id, name, country, city, address],
    );
  const relay = randomUUID();
  await client.query(
    `INSERT INTO relay (id, name, node_id, address4, exit4, created_at, tried_at, heard4_at, round_trip_ms)
      VALUES ($1, 'ir1', $2, '203.0.113.9', '198.51.100.2', now(), now(), now(), 34)`,
    [relay, frankfurt],
  );
  const evidence = { network: MCI, transport: 'wireguard', kind: 'unanswered', percent: 4, of: 120, elsewhere: 93 };
  await client.query(
    `INSERT INTO entry_block (id, node_id, relay_id, began_at, by_rule, evidence) VALUES ($1, $2, $3, now(), true, $4)`,
    [randomUUID(), frankfurt, relay, JSON.stringify(evidence)],
  );
  await client.query(
    `INSERT INTO entry_reach (slot, network, transport, node_id, attempts, through)
      VALUES (now() - interval '1 minute', $1, 'wireguard', $2, 200, 150)`,
    [MCI, amsterdam],
  );
  await client.end();
}
