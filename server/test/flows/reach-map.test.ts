import type { ReachSpan, ReachWay, reachMapCalls } from '@raha/contract/admin/reach.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { allSchedules } from '../../src/app/work.ts';
import { addRelay } from '../../src/modules/fleet/add-relay.ts';
import { blockEntry } from '../../src/modules/fleet/entries.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** The map of reach at the console (decision 131): figures as they are kept, and nothing where there is none. */
const HOUR_MS = 3_600_000;
const clock = manualClock(new Date('2026-11-20T08:40:00Z'));
const [MCI, IRANCELL] = [197_207, 44_244];

let world: TestWorld;
let boss: Colleague;
let nodes: [FakeNode, FakeNode];

type ReachMap = z.output<typeof reachMapCalls.getReachMap.response>['data'];

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  nodes = [await enrolFakeNode(world), await enrolFakeNode(world)];
});
afterAll(() => world.close());

const at = async <T>(path: string) => {
  const { status, body } = await boss.browser.call('GET', `/admin/reach${path}`);
  expect(status).toBe(200);
  return body.data as T;
};
/** Sessions of before the clock moved are over, and so is what was read a minute ago. */
async function later(hours = 0): Promise<void> {
  clock.advance(hours * HOUR_MS + 60_000);
  await allSchedules.find(({ name }) => name === 'close the hours of reach')?.run(world.deps);
  boss = await openColleague(world, 'super_admin');
}
const cellsOf = async (span: ReachSpan) =>
  (await at<ReachMap>(`?span=${span}`)).cells.map(({ network, transport, share: { percent, of, source } }) => [
    ...[network, transport],
    ...[percent, of, source],
  ]);

test('without a figure there is no cell, and a network has its name', async () => {
  await later();
  const { networks, cells } = await at<ReachMap>('?span=week');
  expect(cells).toEqual([]);
  expect(networks.find(({ id }) => id === MCI)).toMatchObject({ fa: 'همراه اول', en: 'MCI' });
});

test('an hour, a day and a week are sums of what was kept, over all ports', async () => {
  const both = async (attempts: number, through: number, port?: number) => {
    const reach = [{ network: MCI, transport: 'wireguard' as const, attempts, through, ...(port ? { port } : {}) }];
    for (const node of nodes) await node.report([], { reach });
  };
  await both(100, 10);
  await both(100, 50, 53);
  // Of one server only: it is not kept, and so it is nowhere.
  await nodes[0].report([], { reach: [{ network: IRANCELL, transport: 'ikev2', attempts: 500, through: 500 }] });
  await later(1);
  expect(await cellsOf('hour')).toEqual([[MCI, 'wireguard', 30, 400, 'servers']]);
  await both(50, 50);
  await later(1);
  expect(await cellsOf('hour')).toEqual([[MCI, 'wireguard', 100, 100, 'servers']]);
  expect(await cellsOf('day')).toEqual([[MCI, 'wireguard', 44, 500, 'servers']]);
  await later(48);
  expect(await cellsOf('hour')).toEqual([]);
  expect(await cellsOf('week')).toEqual([[MCI, 'wireguard', 44, 500, 'servers']]);
});

test('a way by hour and by port', async () => {
  const way = await at<ReachWay>(`/${MCI}/wireguard?span=week`);
  expect(way.hours.map(({ begins, share }) => [begins, share.percent, share.of])).toEqual([
    ['2026-11-20T08:30:00.000Z', 30, 400],
    ['2026-11-20T09:30:00.000Z', 100, 100],
  ]);
  expect(way.ports.map(({ port, share }) => [port, share.percent])).toEqual([
    [53, 50],
    [null, 40],
  ]);
  for (const path of ['/64496/wireguard', '/x/wireguard', `/${MCI}/smoke`])
    expect((await boss.browser.call('GET', `/admin/reach${path}?span=day`)).status).toBe(404);
});

test('by entry: from fifty attempts in the last hour on; by a relay, which shows no network, of all together', async () => {
  const order = { actor, nodeId: nodes[1].id, address4: '203.0.113.1', exit4: '198.51.100.2' };
  const one = await addRelay(world.deps, { ...order, name: 'one' });
  // Of the same instant, either could be listed first.
  clock.advance(1_000);
  const two = await addRelay(world.deps, { ...order, name: 'two', address4: '203.0.113.2' });
  await blockEntry(world.deps, { actor, entry: { nodeId: nodes[1].id, relayId: one.id } });
  const count = (attempts: number, through: number) => ({ transport: 'ikev2' as const, attempts, through });
  await nodes[0].report([], { reach: [{ network: MCI, ...count(50, 20) }] });
  await nodes[1].report([], {
    reach: [
      { network: MCI, ...count(45, 45) },
      { network: IRANCELL, ...count(900, 900) },
    ],
    relayReach: [
      { relay: one.id, ...count(45, 45) },
      { relay: two.id, ...count(60, 54) },
    ],
  });
  const { share, entries } = await at<ReachWay>(`/${MCI}/ikev2?span=hour`);
  expect(share).toBeNull();
  const shown = entries.map(({ node, relay: by, blocked, share: own }) => ({
    ...{ node: node.id, by: by?.name, blocked, percent: own?.percent },
  }));
  expect(shown.filter(({ node }) => node === nodes[0].id)).toEqual([
    { node: nodes[0].id, by: undefined, blocked: false, percent: 40 },
  ]);
  expect(shown.filter(({ node }) => node === nodes[1].id)).toEqual([
    { node: nodes[1].id, by: 'one', blocked: true, percent: undefined },
    { node: nodes[1].id, by: 'two', blocked: false, percent: 90 },
    { node: nodes[1].id, by: undefined, blocked: false, percent: undefined },
  ]);
});
