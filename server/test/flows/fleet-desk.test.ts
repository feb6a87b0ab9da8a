import type { LiveNode, NodeFacts, NodeFigures, NodeMargins } from '@raha/contract/admin/fleet.ts';
import type { Today } from '@raha/contract/admin/today.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { leaveServers } from '../../src/modules/configs/leave-servers.ts';
import { drainNode } from '../../src/modules/fleet/drain-node.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { holdPermission } from '../../src/modules/staff/standing.ts';
import { manualClock } from '../../src/platform/clock.ts';
import type { Tx } from '../../src/platform/database.ts';
import { payAndVerify, payAtBank } from '../bank.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';

/** Servers at the console, what a member does with them, and the first screen. */

const clock = manualClock(new Date());
let world: TestWorld;
let boss: Colleague;
let support: Colleague;
let node: FakeNode;
let other: FakeNode;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  support = await openColleague(world, 'support');
  node = await enrolFakeNode(world);
  other = await enrolFakeNode(world);
  user = await world.user();
  await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } });
  await user.api.createConfig({ body: { name: 'لپ‌تاپ', serverId: node.id } });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function read<T>(path: string, member = boss): Promise<T> {
  const { status, body } = await member.browser.call('GET', `/admin${path}`);
  expect(status).toBe(200);
  return body.data as T;
}
const live = async () => (await read<{ nodes: LiveNode[] }>('/nodes')).nodes.find(({ id }) => id === node.id);
const factsOf = (id: string, member = boss) => read<NodeFacts>(`/nodes/${id}`, member);
const act = (name: string, body: unknown, id = node.id) => boss.browser.post(`/admin/nodes/${id}/${name}`, body);
const reason = 'a new disk';

describe('the list', () => {
  test('says what lags until the server has taken it over; it is read once for all who look', async () => {
    expect(await live()).toMatchObject({ status: 'active', online: true, behind: 2, troubles: [], suspicious: false });
    await node.settle();
    // Within four seconds another member gets the same reading.
    expect((await live())?.behind).toBe(2);
    clock.advance(4_000);
    expect((await live())?.behind).toBe(0);
    clock.advance(60_000);
    expect(await live()).toMatchObject({ online: false, troubles: ['silent'] });
    await node.report([]);
    await other.report([]);
  });

  test('that is read again by itself keeps nobody signed in', async () => {
    const member = await openColleague(world, 'auditor');
    const poll = async () => {
      const headers = { cookie: member.browser.cookies(), 'x-raha-poll': '1' };
      return (await fetch(`${world.origin}/api/v1/admin/nodes`, { headers })).status;
    };
    clock.advance(20 * 60_000);
    expect(await poll()).toBe(200);
    clock.advance(11 * 60_000);
    expect(await poll()).toBe(401);
    boss = await openColleague(world, 'super_admin');
    support = await openColleague(world, 'support');
    await node.report([]);
    await other.report([]);
  });

  test('has figures, and costs only for roles that see them', async () => {
    await sql`UPDATE node SET cost_usd_micros_per_gb = 4000, monthly_cap_gb = 2 WHERE id = ${node.id}`.execute(
      world.deps.db,
    );
    await sql`
      INSERT INTO node_month (node_id, month, bytes)
      VALUES (${node.id}, date_trunc('month', ${clock.now()}::timestamptz, 'UTC')::date, 1000000000)
      ON CONFLICT (node_id, month) DO UPDATE SET bytes = excluded.bytes
    `.execute(world.deps.db);
    const figuresOf = async (member: Colleague) =>
      (await read<{ nodes: NodeFigures[] }>('/nodes/figures', member)).nodes.find(({ id }) => id === node.id);
    const own = await figuresOf(boss);
    const leases = await sql<{ toman: bigint }>`
      SELECT sum(reserved)::bigint AS toman FROM ledger_account WHERE owner_id = ${user.id}
    `.execute(world.deps.db);
    expect(own).toMatchObject({ configs: 2, connected: 0, month: 1_000_000_000, cap: 2_000_000_000 });
    expect(own?.leased).toBe(Number(leases.rows[0]?.toman));
    expect(own?.leased).toBeGreaterThan(0);
    expect(own?.cost).toBeGreaterThan(0);
    expect(await figuresOf(support)).toMatchObject({ configs: 2, cost: null });
    expect((await support.browser.call('GET', '/admin/nodes/margins')).status).toBe(403);
    const { nodes } = await read<{ nodes: NodeMargins[] }>('/nodes/margins');
    expect(nodes).toHaveLength(2);
    expect(JSON.stringify(await factsOf(node.id))).not.toMatch(/signing|BEGIN|token/);
  });
});

describe('a server', () => {
  test('is drained and activated, with the reason in the audit', async () => {
    expect((await act('drain', { reason: ' ' })).status).toBe(422);
    expect((await act('drain', { reason })).status).toBe(200);
    // Who did it sees it at once.
    expect(await live()).toMatchObject({ status: 'draining' });
    expect((await act('activate', { reason: 'it is in' })).status).toBe(200);
    expect(await live()).toMatchObject({ status: 'active' });
    const entries = await listEntries(world.deps.db, { target: { kind: 'node', id: node.id } }, 2);
    expect(entries).toMatchObject([
      { action: 'nodes.activate', actor: boss.userId, reason: 'it is in' },
      { action: 'nodes.drain', actor: boss.userId, reason },
    ]);
  });

  test('is left, and the page says how far that is', async () => {
    expect(await act('retire', { days: 7, to: node.id, reason })).toMatchObject({
      ...{ status: 409, body: { code: 'node_state_differs' } },
    });
    expect((await act('retire', { days: 91, reason })).status).toBe(422);
    expect((await act('retire', { days: 7, reason })).status).toBe(200);
    expect((await factsOf(node.id)).leave).toEqual({ users: 1, configs: 2, moved: 0, to: [] });
    await leaveServers(world.deps);
    const { leave, targets } = await factsOf(node.id);
    expect(leave).toMatchObject({ configs: 2, moved: 2, to: [{ configs: 2 }] });
    expect(targets.map(({ id }) => id)).toEqual([other.id]);
    expect(await act('drain', { reason })).toMatchObject({ status: 409, body: { code: 'node_state_differs' } });
  });

  test('is revoked only by its name, and never comes back', async () => {
    const { name } = await factsOf(node.id);
    const wrong = await act('revoke', { name: `${name}x`, reason });
    expect(wrong).toMatchObject({ status: 409, body: { code: 'node_name_differs' } });
    expect((await act('revoke', { name, reason: 'the machine was seized' })).status).toBe(200);
    expect(await live()).toMatchObject({ status: 'revoked', online: false, behind: 0 });
    expect((await act('activate', { reason })).status).toBe(409);
    expect((await act('drain', { reason }, '00000000-0000-7000-8000-ffffffffffff')).status).toBe(404);
    await expect(node.report([])).rejects.toThrow();
    const [entry] = await listEntries(world.deps.db, { action: 'nodes.revoke' }, 1);
    expect(entry).toMatchObject({ target_id: node.id, reason: 'the machine was seized' });
    await leaveServers(world.deps);
  });

  test('stays as it is if the member was disabled before the commit', async () => {
    const leaving = await openColleague(world, 'admin');
    await disableMember(world.deps, { actor, userId: leaving.userId, reason: 'left' });
    const own = { kind: 'staff', userId: leaving.userId } as const;
    const stillMay = (tx: Tx) => holdPermission(tx, own, 'fleet.manage');
    const drained = drainNode(world.deps, { actor: own, nodeId: other.id, reason, stillMay });
    await expect(drained).rejects.toMatchObject({ code: 'forbidden' });
    expect((await factsOf(other.id)).status).toBe('active');
  });

  test('needs a fresh proof, and a role that may', async () => {
    expect((await support.browser.post(`/admin/nodes/${other.id}/drain`, { reason })).status).toBe(403);
    clock.advance(16 * 60_000);
    expect(await act('drain', { reason }, other.id)).toMatchObject({ status: 401, body: { code: 'proof_needed' } });
  });
});

describe('the first screen', () => {
  test('has what waits, oldest first, for those who may decide; and how the installation does', async () => {
    const payer = await world.user();
    const helper = await openColleague(world, 'support');
    const payment = await payAtBank(payer, 'zarinpal');
    await sql`UPDATE payment SET state = 'needs_review', next_check_at = NULL WHERE id = ${payment}`.execute(
      world.deps.db,
    );
    clock.advance(1_000);
    await payAndVerify(payer, 'zarinpal', 70_000);
    const gift = { toman: 600_000, reason: 'a month without service' };
    expect((await helper.browser.post(`/admin/people/${payer.id}/adjust`, gift)).status).toBe(200);
    clock.advance(15_000);
    const own = await read<Today>('/today');
    expect(own.counts).toEqual({ payments: 1, refunds: 0, proposals: 1, approvals: 0 });
    expect(own.waiting).toMatchObject([
      { kind: 'payment', id: payment, user: { email: expect.stringContaining('•••') } },
      { kind: 'proposal', amount: 600_000 },
    ]);
    expect(own.money).toMatchObject({
      credited: 70_000,
      payments: 1,
      refunded: 0,
      week_ago: { credited: 0, payments: 0 },
    });
    expect(own.ledger?.violations).toBe(0);
    expect(own.rate?.toman).toBeGreaterThan(0);
    expect(own.nodes).toMatchObject({ all: 1, online: 0, troubled: [{ id: other.id, troubles: ['silent'] }] });
    const theirs = await read<Today>('/today', support);
    expect(theirs).toMatchObject({
      money: null,
      ledger: null,
      counts: { payments: 0, refunds: 0, proposals: 1, approvals: 0 },
    });
    expect(JSON.stringify([own, theirs])).not.toContain(payer.email);
  });
});
