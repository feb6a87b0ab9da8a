import { randomUUID } from 'node:crypto';
import type { ApprovalAct } from '@raha/contract/admin/approvals.ts';
import type { StaffPlan } from '@raha/contract/admin/plans.ts';
import type { Prices } from '@raha/contract/admin/prices.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkChain } from '../../src/modules/audit/audit.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';
import { expectBothOrNeither, expectRecorded, readyCall } from './killed-calls.ts';

/**
 * Of every act that waits for a second member: proposing, approving, declining and withdrawing it, and approving one's own when alone,
 * killed at each statement. Whatever was to be done is there with its one entry of the audit, or neither is, and the proposal is still open.
 */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const HOUR = 3_600_000;
let world: TestWorld;
let finance: Colleague;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, keepsNodes: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  finance = await openColleague(world, 'finance');
});
afterAll(async () => {
  await world?.proveLedger();
  await world?.close();
});

interface Order {
  readonly path: string;
  readonly body?: object;
}

const reason = 'an order of the shop';

/** What each proposal asks for, and the action that its approval leaves in the audit. */
const kinds: Readonly<Record<ApprovalAct, { readonly done: string; order(): Promise<Order> }>> = {
  cards: {
    done: 'gift-cards.issue',
    order: async () => ({ path: '/gift-cards', body: { count: 5, usd_cents: 1_250, note: '', reason } }),
  },
  price: {
    done: 'prices.change',
    async order() {
      const { usd_cents_per_gb: cents, seen } = await read<Prices>('/prices');
      return { path: '/prices', body: { usd_cents_per_gb: cents + 1, seen, reason } };
    },
  },
  plan: {
    done: 'plans.set',
    async order() {
      const { plans } = await read<{ plans: StaffPlan[] }>('/plans');
      const { price, seen } = plans.find(({ id }) => id === 'business') as StaffPlan;
      return { path: '/plans/business', body: { price: price + 1_000, seen, reason } };
    },
  },
};
const kindNames = Object.keys(kinds) as ApprovalAct[];

/** A call in a session of now; sent again, it is the same call. */
async function callBy(member: Colleague, { path, body }: Order) {
  const headers = { cookie: await openStaffSession(world, member.userId), 'x-raha-console': '1' };
  const changing = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  return async () =>
    await fetch(`${world.origin}/api/v1/admin${path}`, {
      method: body ? 'POST' : 'GET',
      headers: body ? { ...headers, ...changing } : headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
}

async function read<T>(path: string): Promise<T> {
  const send = await callBy(boss, { path });
  return ((await (await send()).json()) as { data: T }).data;
}

/** Its status alone, once all of the answer is there. */
async function ready(member: Colleague, order: Order) {
  const send = await callBy(member, order);
  return await readyCall(world, async () => {
    const response = await send();
    await response.text();
    return response.status;
  });
}

/** A proposal of this member that is open. */
async function proposed(kind: ApprovalAct, member: Colleague): Promise<string> {
  clock.advance(60_000);
  const send = await callBy(member, await kinds[kind].order());
  expect((await send()).status).toBe(200);
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM approval WHERE state = 'open' AND act = ${kind} ORDER BY proposed_at DESC LIMIT 1
  `.execute(world.deps.db);
  return rows[0]?.id ?? '';
}

const decide = (id: string, what: 'approve' | 'decline' | 'withdraw'): Order => ({
  path: `/approvals/${id}/${what}`,
  body: what === 'approve' ? {} : { reason: 'not now' },
});

describe.for(kindNames)('%s', (kind) => {
  const { done, order } = kinds[kind];

  test('proposed', async () => {
    const record = { action: 'approvals.propose', actor: finance.userId, changes: true };
    await expectBothOrNeither(world, async () => await ready(finance, await order()), record);
  });

  test.for([
    ['approve', done],
    ['decline', 'approvals.decline'],
    ['withdraw', 'approvals.withdraw'],
  ] as const)('%s', async ([what, action]) => {
    const member = what === 'withdraw' ? finance : boss;
    const record = { action, actor: member.userId, changes: true };
    const prepare = async () => await ready(member, decide(await proposed(kind, finance), what));
    const again = await expectBothOrNeither(world, prepare, record);
    // Who did not hear of it tries once more: it is decided.
    expect(await again.send()).toBe(409);
    await expectRecorded(world, again, record);
  });
});

describe('of one who is alone', () => {
  beforeAll(async () => {
    await disableMember(world.deps, { actor, userId: finance.userId });
  });

  test.for(kindNames)('%s, approved after the delay', async (kind) => {
    const record = { action: kinds[kind].done, actor: boss.userId, changes: true };
    const prepare = async () => {
      const id = await proposed(kind, boss);
      clock.advance(24 * HOUR);
      return await ready(boss, decide(id, 'approve'));
    };
    const again = await expectBothOrNeither(world, prepare, record);
    expect(await again.send()).toBe(409);
    await expectRecorded(world, again, record);
  });
});

test('after all of that each approval was carried out once, as its entry says, and the chain is whole', async () => {
  const { db, vault } = world.deps;
  const { rows } = await sql<{ act: ApprovalAct; done: number; alone: number; entries: number; made: number }>`
    SELECT a.act, count(*)::int AS done, count(*) FILTER (WHERE a.alone)::int AS alone,
      (SELECT count(*)::int FROM audit_entry WHERE details ->> 'approval' IN
        (SELECT id::text FROM approval WHERE act = a.act AND state = 'done')) AS entries,
      CASE a.act
        WHEN 'cards' THEN (SELECT count(*)::int FROM gift_card_batch WHERE approval_id IS NOT NULL)
        WHEN 'price' THEN (SELECT count(*)::int FROM price_version)
        ELSE (SELECT count(*)::int FROM plan_version WHERE plan_id = 'business' AND created_by IS NOT NULL)
      END AS made
    FROM approval a WHERE a.state = 'done' GROUP BY a.act ORDER BY a.act
  `.execute(db);
  expect(rows.map(({ act }) => act)).toEqual([...kindNames].sort());
  for (const { act, done, alone, entries, made } of rows) {
    expect([act, entries, made]).toEqual([act, done, done]);
    expect([act, alone >= 2, done - alone >= 2]).toEqual([act, true, true]);
  }
  expect((await checkChain(db, vault)).broken).toEqual([]);
});
