import type { EntryLine, NodeEntries } from '@raha/contract/admin/entries.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { addRelay } from '../../src/modules/fleet/add-relay.ts';
import { keepEntryName } from '../../src/modules/fleet/entries.ts';
import type { Relay } from '../../src/modules/fleet/relays.ts';
import { revokeNode } from '../../src/modules/fleet/revoke-node.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** Relays and own addresses at the console: what is where, and who took which of them out and why (decision 131). */
const NODE = '198.51.100.2';
const clock = manualClock(new Date('2026-11-20T08:40:00Z'));

let world: TestWorld;
let boss: Colleague;
let node: FakeNode;
let other: FakeNode;
let relay: Relay;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  node = await enrolFakeNode(world);
  other = await enrolFakeNode(world);
  relay = await addRelay(world.deps, { actor, name: 'one', nodeId: node.id, address4: '203.0.113.1', exit4: NODE });
});
afterAll(() => world.close());

const act = async (name: 'block' | 'unblock', body: unknown, id = node.id, member = boss) =>
  (await member.browser.post(`/admin/nodes/${id}/entries/${name}`, body)).status;
async function entriesOf({ id }: FakeNode = node): Promise<NodeEntries | undefined> {
  const { body } = await boss.browser.call('GET', '/admin/entries');
  return (body.data as { nodes: NodeEntries[] }).nodes.find((each) => each.id === id);
}
const lineOf = async (name: string | undefined): Promise<EntryLine | undefined> =>
  (await entriesOf())?.entries.find(({ relay: by }) => by?.name === name);

test('a relay is in new files once it works, and in DNS once its server’s name leads there', async () => {
  expect(await lineOf('one')).toMatchObject({
    addresses: [{ address: '203.0.113.1', state: 'untried' }],
    ...{ in_name: false, in_files: false, block: null, tried_at: null },
  });
  expect(await lineOf(undefined)).toMatchObject({ addresses: [{ state: null }], in_files: true });
  expect((await entriesOf())?.dns).toBeNull();
  await node.report([], { relays: [{ relay: relay.id, family: 4, roundTripMs: 20.4 }] });
  const name = { node_id: node.id, name: 'e1.go.example.org', addresses: ['203.0.113.1'], published_at: clock.now() };
  await keepEntryName(world.deps.db, name);
  expect(await lineOf('one')).toMatchObject({ in_name: true, in_files: true, round_trip_ms: 20 });
  expect((await entriesOf())?.dns).toMatchObject({ name: 'e1.go.example.org', addresses: ['203.0.113.1'] });
});

test('taken out with a reason, which stands beside it and in the audit; once', async () => {
  expect(await act('block', { relay: relay.id, reason: ' ' })).toBe(422);
  expect(await act('block', { relay: relay.id, reason: 'MCI drops it' })).toBe(200);
  expect(await act('block', { relay: relay.id, reason: 'MCI drops it' })).toBe(409);
  const line = await lineOf('one');
  expect(line).toMatchObject({ in_files: false, block: { by_rule: false, reason: 'MCI drops it', notified_at: null } });
  expect(line?.block?.by).toMatch(/@/);
  const [entry] = await listEntries(world.deps.db, { target: { kind: 'relay', id: relay.id } }, 1);
  expect(entry).toMatchObject({ action: 'entries.block', actor: boss.userId, reason: 'MCI drops it' });
});

test('with everything taken out, files name the server’s own address all the same', async () => {
  expect(await act('block', { relay: null, reason: 'all of it' })).toBe(200);
  expect(await lineOf(undefined)).toMatchObject({ in_files: true, block: { reason: 'all of it' } });
  expect(await act('unblock', { relay: relay.id, reason: 'over' })).toBe(200);
  expect(await lineOf(undefined)).toMatchObject({ in_files: false });
  expect(await act('unblock', { relay: null, reason: 'over' })).toBe(200);
  expect(await act('unblock', { relay: null, reason: 'over' })).toBe(409);
  expect((await lineOf('one'))?.block).toBeNull();
});

test('a relay of another server, and a server that is no more, are refused; support looks and does not act', async () => {
  expect(await act('block', { relay: relay.id, reason: 'it is blocked' }, other.id)).toBe(404);
  const support = await openColleague(world, 'support');
  expect(await act('block', { relay: relay.id, reason: 'it is blocked' }, node.id, support)).toBe(403);
  expect((await support.browser.call('GET', '/admin/entries')).status).toBe(200);
  await revokeNode(world.deps, { actor, nodeId: other.id, movesTo: null });
  expect(await act('block', { relay: null, reason: 'it is blocked' }, other.id)).toBe(409);
  expect(await entriesOf(other)).toBeUndefined();
});
