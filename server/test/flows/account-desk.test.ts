import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reopenAccount } from '../../src/modules/accounts/reopen-account.ts';
import { getUser } from '../../src/modules/accounts/users.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { deactivateAccount } from '../../src/modules/profile/close-account.ts';
import { listOperatorActions } from '../../src/modules/profile/operator-actions.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** One user suspended and reopened in the console, and either taken back (decision 128). */
const clock = manualClock(new Date('2026-11-26T08:00:00Z'));
let world: TestWorld;
let admin: Colleague;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false });
  boss = await openColleague(world, 'super_admin');
  admin = await openColleague(world, 'admin');
});
afterAll(() => world.close());

const reason = 'an attack from this account';
type Order = {
  readonly by?: Colleague;
  readonly body?: object;
  readonly provedMinutesAgo?: number;
  readonly key?: string;
};

async function call(id: string, act: 'suspend' | 'reopen', order: Order = {}) {
  const { by = admin, body = { reason }, provedMinutesAgo = 0, key } = order;
  const cookie = await openStaffSession(world, by.userId, new Date(clock.now().getTime() - provedMinutesAgo * 60_000));
  const response = await fetch(`${world.origin}/api/v1/admin/people/${id}/${act}`, {
    method: 'POST',
    headers: {
      ...{ cookie, 'x-raha-console': '1', 'content-type': 'application/json' },
      ...(key ? { 'idempotency-key': key } : {}),
    },
    body: JSON.stringify(body),
  });
  const json = (await response.json()) as { code?: string; data?: { entry: number } };
  return { status: response.status, code: json.code, entry: json.data?.entry };
}
const somebody = () => world.user({ usdCents: 0 });
const statusOf = async (id: string) => (await getUser(world.deps.db, id)).status;
const entriesOf = async (id: string) =>
  (await listEntries(world.deps.db, { target: { kind: 'user', id } }, 20)).filter(({ action }) =>
    ['accounts.suspend', 'accounts.reopen'].includes(action),
  );

test('suspended: signed out, an entry with who and why; taken back, by an entry that names the first one', async () => {
  const user = await somebody();
  const done = await call(user.id, 'suspend');
  expect(done.status).toBe(200);
  expect(await statusOf(user.id)).toBe('suspended');
  await expect(user.api.me()).rejects.toMatchObject({ status: 401 });
  const undone = await call(user.id, 'reopen', { body: { reason: 'undone', undoes: done.entry } });
  expect(undone.status).toBe(200);
  expect(await statusOf(user.id)).toBe('active');
  expect(await entriesOf(user.id)).toMatchObject([
    {
      number: BigInt(undone.entry ?? 0),
      action: 'accounts.reopen',
      actor: admin.userId,
      details: { undoes: done.entry },
    },
    { number: BigInt(done.entry ?? 0), action: 'accounts.suspend', actor: admin.userId, reason },
  ]);
  // What the user reads in the panel afterwards.
  const shown = await listOperatorActions(world.deps.db, user.id);
  expect(shown.map(({ kind }) => kind)).toEqual(['reopened', 'suspended']);
});

test('reopened, and that taken back', async () => {
  const { id } = await somebody();
  await call(id, 'suspend');
  const opened = await call(id, 'reopen', { by: boss });
  expect(await statusOf(id)).toBe('active');
  expect((await call(id, 'suspend', { by: boss, body: { reason, undoes: opened.entry } })).status).toBe(200);
  expect(await statusOf(id)).toBe('suspended');
});

test('nothing is taken back that somebody else has done again since', async () => {
  const user = await somebody();
  const { entry } = await call(user.id, 'suspend');
  await reopenAccount(world.deps, { actor, email: user.email });
  await suspendAccount(world.deps, { actor, email: user.email });
  const late = await call(user.id, 'reopen', { body: { reason: 'undone', undoes: entry } });
  expect(late).toMatchObject({ status: 409, code: 'account_changed' });
  expect(await statusOf(user.id)).toBe('suspended');
});

describe('refused, and nothing is changed', () => {
  const refused = async (id: string, act: 'suspend' | 'reopen', status: number, code: string, order?: Order) => {
    const before = [await statusOf(id), (await entriesOf(id)).length];
    expect(await call(id, act, order)).toMatchObject({ status, code });
    expect([await statusOf(id), (await entriesOf(id)).length]).toEqual(before);
  };

  test('without a reason, without a factor of the last minutes, and to roles that may not', async () => {
    const { id } = await somebody();
    await refused(id, 'suspend', 422, 'invalid_input', { body: {} });
    await refused(id, 'suspend', 401, 'proof_needed', { provedMinutesAgo: 16 });
    for (const role of ['support', 'finance', 'auditor'] as const)
      await refused(id, 'suspend', 403, 'forbidden', { by: await openColleague(world, role) });
  });

  test('in another state than the act begins with; what its owner closed stays closed', async () => {
    const { id } = await somebody();
    await refused(id, 'reopen', 409, 'account_state');
    await call(id, 'suspend');
    await refused(id, 'suspend', 409, 'account_state');
    const closed = await somebody();
    await deactivateAccount(world.deps, closed.id);
    for (const act of ['suspend', 'reopen'] as const) await refused(closed.id, act, 409, 'account_state');
  });

  test('members of staff, themselves among them, and nobody', async () => {
    await refused(boss.userId, 'suspend', 409, 'account_staff');
    await refused(admin.userId, 'suspend', 409, 'account_staff');
    expect(await call(randomUUID(), 'suspend')).toMatchObject({ status: 404, code: 'not_found' });
  });
});

test('two members at once, and a request that is sent again: once', async () => {
  const { id } = await somebody();
  const outcomes = await Promise.all([boss, admin, boss, admin].map((by) => call(id, 'suspend', { by })));
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(await entriesOf(id)).toHaveLength(1);
  const key = randomUUID();
  const [first, again] = [await call(id, 'reopen', { key }), await call(id, 'reopen', { key })];
  expect([first.status, again.status, again.entry]).toEqual([200, 200, first.entry]);
  expect(await entriesOf(id)).toHaveLength(2);
});
