import type { ReachSpan, ReachWay, reachMapCalls } from '@raha/contract/admin/reach.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { allSchedules } from '../../src/app/work.ts';
import { addRelay } from '../../src/modules/fleet/add-relay.ts';
import { blockEntry } from '../../src/modules/fleet/entries.ts';
import { addCounts } from '../../src/modules/reach/tables.ts';
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

test('by entry: of a server from fifty attempts in the present hour; of a relay, which shows no network, nothing', async () => {
  const order = { actor, nodeId: nodes[1].id, address4: '203.0.113.1', exit4: '198.51.100.2' };
  const relay = await addRelay(world.deps, { ...order, name: 'one' });
  await blockEntry(world.deps, { actor, entry: { nodeId: nodes[1].id, relayId: relay.id } });
  await addCounts(
    world.deps.db,
    nodes[0].id,
    [{ network: MCI, transport: 'ikev2', port: 0, attempts: 50, through: 20 }],
    clock.now(),
  );
  const few = [{ network: MCI, transport: 'ikev2' as const, port: 0, attempts: 45, through: 45 }];
  await addCounts(world.deps.db, nodes[1].id, few, clock.now());
  await addCounts(world.deps.db, null, [{ ...few[0], attempts: 60, through: 60 } as (typeof few)[0]], clock.now());
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
    { node: nodes[1].id, by: undefined, blocked: false, percent: undefined },
  ]);
});
