import type { EntryLine, NodeEntries } from '@raha/contract/admin/entries.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findCauses } from '../../src/app/alert-causes.ts';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { allSchedules } from '../../src/app/work.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { addRelay, removeRelay } from '../../src/modules/fleet/add-relay.ts';
import { blockEntry, listBlocks, listEntryNames, unblockEntry } from '../../src/modules/fleet/entries.ts';
import type { Relay } from '../../src/modules/fleet/relays.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';

/** Entries that the rule takes out (decision 132): what nodes count, what follows in names, files and notifications, and what never does. */
const MINUTE_MS = 60_000;
const MCI = 197_207;
const clock = manualClock(new Date('2026-11-20T08:40:00Z'));
const records = new Map<string, readonly string[]>();

let world: TestWorld;
let node: FakeNode;
let other: FakeNode;
let relays: Relay[];
let user: TestUser;

beforeAll(async () => {
  const set = async (name: string, addresses: readonly string[]) => void records.set(name, addresses);
  world = await openTestWorld({
    clock,
    restores: false,
    overrides: { entryDns: { zone: 'go.example.org', set }, minuteLimit: unlimited },
  });
  node = await enrolFakeNode(world);
  other = await enrolFakeNode(world);
  await node.serveOpenvpn();
  const add = (name: string, address4: string) => addRelay(world.deps, { actor, name, nodeId: node.id, address4 });
  relays = [await add('one', '203.0.113.1'), await add('two', '203.0.113.2')];
});
afterAll(() => world.close());
beforeEach(async () => {
  for (const { node_id: nodeId, relay_id: relayId } of await listBlocks(world.deps.db))
    await unblockEntry(world.deps, { actor, entry: { nodeId, relayId } });
  await sql`DELETE FROM entry_reach`.execute(world.deps.db);
});

const run = async (name: string) => await allSchedules.find((schedule) => schedule.name === name)?.run(world.deps);
const rule = () => run('take out blocked entries');
const round = () => run('move blocked entries');
const out = async () =>
  (await listBlocks(world.deps.db)).map(({ relay_id: id }) => relays.find((relay) => relay.id === id)?.name ?? 'own');
async function alerted(): Promise<string[]> {
  const causes = await findCauses(world.deps, []);
  return causes.filter(({ rule }) => rule.startsWith('entry_')).map(({ rule, cause }) => `${rule} ${cause}`);
}

/** Ten minutes of both nodes: what came by each relay, and directly. */
async function tenMinutes(one: number, two: number, own = 38): Promise<void> {
  clock.advance(10 * MINUTE_MS);
  const health = relays.map(({ id }) => ({ relay: id, family: 4 as const, roundTripMs: 20 }));
  const count = (through: number) => ({ transport: 'wireguard' as const, attempts: 40, through });
  await node.report([], {
    relays: health,
    reach: [{ network: MCI, ...count(own) }],
    relayReach: [one, two].map((through, index) => ({ relay: relays[index]?.id ?? '', ...count(through) })),
  });
  await other.report([], { reach: [{ network: MCI, ...count(38) }] });
}
/** The reports of ten minutes are judged when those are over. */
async function judge(): Promise<void> {
  await tenMinutes(38, 38);
  await rule();
}

let files = 0;
async function newFile(): Promise<string> {
  const body = { name: `device-${files++}`, serverId: node.id, protocol: 'openvpn' as const };
  return (await user.api.createConfig({ body })).data.file;
}
const nameOf = async () => (await listEntryNames(world.deps.db)).find(({ node_id: id }) => id === node.id)?.name ?? '';

test('an entry that a network blocks leaves names and new files within two minutes, with one notification for each user', async () => {
  for (let times = 0; times < 3; times++) await tenMinutes(38, 38);
  user = await world.user();
  await round();
  expect(await newFile()).toContain('remote 203.0.113.1 ');
  for (let times = 0; times < 3; times++) {
    await tenMinutes(1, 38);
    await rule();
    await round();
  }
  // Bad in the half hour of now, and not yet in that of ten minutes ago.
  expect(await out()).toEqual([]);
  await tenMinutes(1, 38);
  await rule();
  await tenMinutes(1, 38);
  const firedAt = clock.now().getTime();
  await rule();
  expect(await out()).toEqual(['one']);
  // Who comes after the block has a file without it, and gets no notification.
  clock.advance(1_000);
  user = await world.user();
  expect(await newFile()).not.toContain('203.0.113.1');
  clock.advance(15_000);
  await round();
  await round();
  expect(records.get(await nameOf())).toEqual(['203.0.113.2']);
  expect(clock.now().getTime() - firedAt).toBeLessThan(2 * MINUTE_MS);
  const { rows } = await sql<{ times: bigint }>`
    SELECT count(*) AS times FROM notification WHERE kind = 'entry_blocked' GROUP BY user_id
  `.execute(world.deps.db);
  expect(rows).toEqual([{ times: 1n }]);
  expect(await alerted()).toEqual(['entry_taken_out one']);
});

test('who looks at the console sees that the rule did it and what it saw; the audit as well; put back, it is back', async () => {
  for (let times = 0; times < 4; times++) await tenMinutes(2, 38);
  await judge();
  const boss = await openColleague(world, 'super_admin');
  const { body } = await boss.browser.call('GET', '/admin/entries');
  const own = (body.data as { nodes: NodeEntries[] }).nodes.find(({ id }) => id === node.id);
  const line = own?.entries.find(({ relay }) => relay?.name === 'one') as EntryLine;
  expect(line).toMatchObject({ in_files: false, block: { by_rule: true, by: null, reason: null } });
  const seen = { transport: 'wireguard', kind: 'unanswered', percent: 5, of: 120, elsewhere: 95 };
  expect(line.block?.evidence).toEqual({ network: null, ...seen });
  const [entry] = await listEntries(world.deps.db, { target: { kind: 'relay', id: relays[0]?.id ?? '' } }, 1);
  expect(entry).toMatchObject({ action: 'entries.block', actor: 'rule', details: seen });
  const path = `/admin/nodes/${node.id}/entries/unblock`;
  const answer = await boss.browser.post(path, { relay: relays[0]?.id, reason: 'it comes through again' });
  expect(answer.status).toBe(200);
  // The old files' attempts of before are no longer there.
  await sql`DELETE FROM entry_reach`.execute(world.deps.db);
  await rule();
  await round();
  user = await world.user();
  expect(await newFile()).toContain('203.0.113.1');
  expect(new Set(records.get(await nameOf()))).toEqual(new Set(['203.0.113.1', '203.0.113.2']));
  expect(await alerted()).toEqual([]);
});

test('of two that are blocked at once one goes, and the other raises an alert: no more than a quarter of the entries may be out', async () => {
  for (let times = 0; times < 4; times++) await tenMinutes(2, 4);
  await judge();
  expect(await out()).toEqual(['one']);
  expect(await alerted()).toEqual(['entry_taken_out one', 'entry_suspect two']);
});

test('the last open entry of a server stays, whatever is counted there, and the operator is woken up', async () => {
  for (const relay of relays) await blockEntry(world.deps, { actor, entry: { nodeId: node.id, relayId: relay.id } });
  for (let times = 0; times < 4; times++) await tenMinutes(38, 38, 1);
  await judge();
  expect((await out()).sort()).toEqual(['one', 'two']);
  expect(await alerted()).toEqual([expect.stringMatching(/^entry_suspect /)]);
});

test('switched off, it takes nothing out and says what it sees', async () => {
  await setSettingByKey(world.deps.db, 'entries.blockByRule', 'false', clock.now());
  for (let times = 0; times < 4; times++) await tenMinutes(2, 38);
  await judge();
  expect(await out()).toEqual([]);
  expect(await alerted()).toEqual(['entry_suspect one']);
  await setSettingByKey(world.deps.db, 'entries.blockByRule', 'true', clock.now());
});

test('run twice at once, and while somebody takes the entry out by hand, it is taken out once', async () => {
  for (let times = 0; times < 4; times++) await tenMinutes(2, 38);
  await tenMinutes(38, 38);
  const entry = { nodeId: node.id, relayId: relays[0]?.id ?? null };
  await Promise.allSettled([rule(), rule(), blockEntry(world.deps, { actor, entry })]);
  expect(await out()).toEqual(['one']);
});

test('counts by entry are gone after two hours, and with a removed relay its alert goes', async () => {
  await tenMinutes(2, 38);
  clock.advance(2 * 60 * MINUTE_MS);
  await run('close the hours of reach');
  expect((await sql`SELECT 1 FROM entry_reach`.execute(world.deps.db)).rows).toEqual([]);
  await removeRelay(world.deps, { actor, relay: relays[0] as Relay });
  await rule();
  expect(await alerted()).toEqual([]);
});
