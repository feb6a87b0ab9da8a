import { limits } from '@raha/contract/limits.ts';
import type { ReachCount } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allSchedules } from '../../src/app/work.ts';
import { listCells } from '../../src/modules/reach/list-cells.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** How devices get through: what is kept of it, and what users of a network are shown. Nodes and panels only count. */
const START = new Date('2026-11-20T08:40:00Z');
const HOUR_MS = 3_600_000;
const clock = manualClock(START);
const [MCI, IRANCELL] = [197_207, 44_244];
/** Of these operators, by the list on this machine; the last is of none that is counted. */
const [AT_MCI, AT_IRANCELL, ABROAD] = ['5.208.1.1', '5.112.1.1', '1.1.1.1'];

let world: TestWorld;
let nodes: FakeNode[];
beforeAll(async () => {
  world = await openTestWorld({ clock });
  nodes = [await enrolFakeNode(world), await enrolFakeNode(world)];
});
afterAll(() => world.close());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const readReach = async (user: TestUser, address: string) => (await user.api.getReach({}, from(address))).data;

async function run(schedule: string): Promise<void> {
  await allSchedules.find(({ name }) => name === schedule)?.run(world.deps);
}

/** The hour ends; sessions of before it are over as well. */
async function endHour(): Promise<TestUser> {
  clock.advance(HOUR_MS);
  await run('close the hours of reach');
  return await world.user();
}

const way = (
  transport: ReachCount['transport'],
  attempts: number,
  through: number,
  more: Partial<ReachCount> = {},
) => ({
  ...{ network: MCI, transport, attempts, through },
  ...more,
});

test('a node learns the list of networks with its settings, and gets it when it asks', async () => {
  const [node] = nodes as [FakeNode];
  await node.sync();
  const answer = (await node.get('/networks')) as { list: string; networks: { network: number; ranges: string[] }[] };
  expect(node.settings?.reach).toEqual({ list: answer.list, periodMs: 600_000 });
  const ranges = answer.networks.find(({ network }) => network === MCI)?.ranges ?? [];
  expect(ranges.length).toBeGreaterThan(10);
  expect(ranges).toContain('5.208.0.0-5.218.255.255');
});

test('an hour is kept when enough came together at two servers; then each network is told what connected there', async () => {
  const [one, two] = nodes as [FakeNode, FakeNode];
  // UDP is blocked at the first operator. Of two reports of a server the second adds up.
  await one.report([], { reach: [way('wireguard', 40, 0), way('openvpn_tcp', 30, 25), way('ikev2', 200, 100)] });
  await one.report([], { reach: [way('wireguard', 20, 5), way('wireguard', 15, 15, { port: 53 })] });
  await two.report([], {
    reach: [
      way('wireguard', 40, 5),
      way('openvpn_tcp', 30, 25),
      way('wireguard', 15, 15, { port: 53 }),
      way('wireguard', 50, 50, { network: IRANCELL }),
      // Not in the setting: a node cannot make up networks.
      way('wireguard', 900, 900, { network: 64_496 }),
    ],
  });
  await one.report([], { reach: [way('wireguard', 20, 15, { network: IRANCELL })] });
  expect(await readReach(await world.user(), AT_MCI)).toMatchObject({ network: { id: MCI, en: 'MCI' }, figures: [] });

  const user = await endHour();
  const measuredAt = '2026-11-20T09:30:00.000Z';
  expect((await readReach(user, AT_MCI)).figures).toEqual([
    { transport: 'openvpn_tcp', port: null, percent: 83, of: 60, source: 'servers', measuredAt },
    { transport: 'wireguard', port: null, percent: 10, of: 100, source: 'servers', measuredAt },
  ]);
  expect((await readReach(user, AT_IRANCELL)).figures).toEqual([
    { transport: 'wireguard', port: null, percent: 93, of: 70, source: 'servers', measuredAt },
  ]);
  expect(await readReach(user, ABROAD)).toMatchObject({ network: null, figures: [] });
  // Of what was not enough (one server only, or 30 attempts) nothing is left, and of servers neither.
  const { cells } = await listCells(world.deps.db, addDays(clock.now(), -1));
  expect(cells).toHaveLength(3);
  expect(await countOpen()).toBe(0);
});

test('a report that is sent again counts once', async () => {
  const [one] = nodes as [FakeNode];
  one.seq += 1;
  const report = one.makeReport([], { reach: [way('wireguard', 5, 5)] });
  await one.send(report);
  await one.send(report);
  const { rows } = await sql<{ attempts: bigint }>`SELECT attempts FROM reach_open`.execute(world.deps.db);
  expect(rows).toEqual([{ attempts: 5n }]);
});

test('answers of ten accounts are kept, once of each, and the lower share is shown', async () => {
  const body = { transport: 'openvpn_tcp', connected: false } as const;
  const users = await Promise.all(Array.from({ length: 10 }, () => world.user()));
  for (const { api } of users) for (let times = 0; times < 2; times++) await api.answerReach({ body }, from(AT_MCI));
  // Behind one of our servers the request shows no network: then it is the one that the user names, if it is known.
  for (const { api } of users)
    await api.answerReach({ body: { transport: 'ikev2', connected: true, network: IRANCELL } }, from(ABROAD));
  for (const [index, { api }] of users.entries())
    await api.answerReach({ body: { transport: 'openconnect', connected: index < 8 } }, from(AT_IRANCELL));
  const [{ api }] = users as [TestUser];
  await api.answerReach({ body: { transport: 'wireguard', connected: true, network: 64_496 } }, from(ABROAD));
  await api.answerReach({ body: { transport: 'wireguard', connected: true } }, from(AT_IRANCELL));

  const user = await endHour();
  const [first, second] = (await readReach(user, AT_MCI)).figures;
  expect(first).toMatchObject({ transport: 'wireguard', percent: 10 });
  expect(second).toMatchObject({ transport: 'openvpn_tcp', percent: 0, of: 10, source: 'answers' });
  const { figures } = await readReach(user, AT_IRANCELL);
  expect(figures.map(({ transport, percent, source }) => [transport, percent, source])).toEqual([
    ['ikev2', 100, 'answers'],
    ['wireguard', 93, 'servers'],
    // Of which nodes count nothing.
    ['openconnect', 80, 'answers'],
  ]);
});

test('an account cannot answer without end', async () => {
  const { api } = await world.user();
  const ask = () => api.answerReach({ body: { transport: 'wireguard', connected: true } }, from(AT_MCI));
  for (let times = 0; times < limits.reach.answersPerMinute; times++) await ask();
  await expect(ask()).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(await countOpen()).toBe(1);
});

test('a figure is shown for a day; old hours become days', async () => {
  clock.advance(26 * HOUR_MS);
  expect((await readReach(await world.user(), AT_MCI)).figures).toEqual([]);
  clock.advance(14 * 24 * HOUR_MS);
  await run('close the hours of reach');
  await run('forget old days of reach');
  const { cells } = await listCells(world.deps.db, addDays(clock.now(), -30));
  const ofMci = cells.filter(({ network }) => network === BigInt(MCI));
  expect(ofMci.map(({ grain, begins, transport }) => [grain, begins.toISOString(), transport])).toEqual([
    ['day', '2026-11-19T20:30:00.000Z', 'openvpn_tcp'],
    ['day', '2026-11-19T20:30:00.000Z', 'wireguard'],
  ]);
  expect(ofMci[0]).toMatchObject({ attempts: 60n, through: 50n, answers: 10n, connected: 0n });
});

test('nothing that is kept names a user, a config or an address', async () => {
  const { rows } = await sql<{ row: string }>`
    SELECT reach_cell::text AS row FROM reach_cell UNION ALL SELECT reach_open::text FROM reach_open
  `.execute(world.deps.db);
  expect(rows.length).toBeGreaterThan(0);
  for (const address of [AT_MCI, AT_IRANCELL, ABROAD]) expect(JSON.stringify(rows)).not.toContain(address);
  const { rows: columns } = await sql<{ name: string }>`
    SELECT DISTINCT column_name AS name FROM information_schema.columns WHERE table_name LIKE 'reach\\_%'
  `.execute(world.deps.db);
  expect(columns.map(({ name }) => name).filter((name) => /user|config|session|address/.test(name))).toEqual([]);
});

async function countOpen(): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`SELECT count(*) FROM reach_open`.execute(world.deps.db);
  return Number(rows[0]?.count);
}
