import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appointOperator } from '../../src/app/first-start.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { listMembers } from '../../src/modules/staff/list-members.ts';
import type { Actor } from '../../src/platform/audit.ts';
import { inherited } from '../inherited.ts';
import { actor, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** Who works here: appointing, disabling, and the last super admin. */

const directory = mkdtempSync(join(tmpdir(), 'raha-staff-'));
let world: TestWorld;
let count = 0;

beforeAll(async () => {
  world = await openTestWorld({ restores: false });
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await world.proveLedger();
  await world.close();
});

const add = async (role: Parameters<typeof addMember>[1]['role'], by: Actor = actor) => {
  count += 1;
  return await addMember(world.deps, { actor: by, email: `member${count}@staff.example`, role });
};
const as = (userId: string): Actor => ({ kind: 'staff', userId });
const activeSupers = async () =>
  (await listMembers(world.deps.db)).filter(({ role, isActive }) => role === 'super_admin' && isActive);
const disable = (userId: string, by: Actor = actor) =>
  disableMember(world.deps, { actor: by, userId, reason: 'left us' });

describe('the first start', () => {
  const messages: string[] = [];
  const start = (operatorEmail?: string, installation: 'production' | 'workshop' = 'production') =>
    appointOperator(
      { ...world.deps, config: { ...world.deps.config, installation, operatorEmail } } as never,
      (line) => void messages.push(line),
    );

  test('without an address says what is missing, and appoints nobody', async () => {
    await start();
    expect(messages.pop()).toMatch(/set OPERATOR_EMAIL/);
    expect(await listMembers(world.deps.db)).toEqual([]);
  });

  test('with the address of an account that nobody has proved says so, and the server starts all the same', async () => {
    const email = 'claimed@staff.example';
    const password = 'Correct-horse-7';
    await world.client().register({ body: { name: 'نیلوفر آزمون', email, password, password_confirmation: password } });
    await start(email);
    expect(messages.pop()).toMatch(/^claimed@staff\.example was not made super admin: .* not verified/);
    expect(await listMembers(world.deps.db)).toEqual([]);
  });

  test('appoints the first super admin once, with one entry, however many processes start', async () => {
    await Promise.all(Array.from({ length: 5 }, () => start('Boss@Staff.example')));
    await start('other@staff.example');
    expect(await listMembers(world.deps.db)).toMatchObject([
      { email: 'boss@staff.example', role: 'super_admin', isActive: true },
    ]);
    expect(messages).toHaveLength(1);
    expect(await listEntries(world.deps.db, {}, 10)).toMatchObject([{ action: 'staff.add', target_kind: 'staff' }]);
  });

  test('appoints nobody on an installation that has staff', async () => {
    await start(undefined, 'workshop');
    expect(await listMembers(world.deps.db)).toHaveLength(1);
  });
});

describe('adding', () => {
  test('makes an account if the address has none, and a member of one that exists', async () => {
    const user = await world.user({ usdCents: 0 });
    const { userId } = await addMember(world.deps, { actor, email: user.email, role: 'finance' });
    expect(userId).toBe(user.id);
    expect((await user.api.me()).user.role).toBe('admin');
    await expect(addMember(world.deps, { actor, email: user.email, role: 'auditor' })).rejects.toMatchObject({
      code: 'staff_exists',
    });
  });

  test('refuses an address that somebody else may have registered, and a closed account', async () => {
    const email = 'unproved@staff.example';
    await world.client().register({
      body: {
        ...{ name: 'نیلوفر آزمون', email },
        ...{ password: 'Correct-horse-7', password_confirmation: 'Correct-horse-7' },
      },
    });
    const unproved = addMember(world.deps, { actor, email, role: 'support' });
    await expect(unproved).rejects.toMatchObject({ code: 'staff_unproved' });
    const user = await world.user({ usdCents: 0 });
    await suspendAccount(world.deps, { actor, email: user.email });
    const closed = addMember(world.deps, { actor, email: user.email, role: 'support' });
    await expect(closed).rejects.toMatchObject({ code: 'staff_closed' });
  });

  test('nobody grants more than they have, and nobody changes themselves', async () => {
    const { userId: support } = await add('support');
    for (const role of ['super_admin', 'admin', 'finance', 'auditor'] as const)
      await expect(add(role, as(support))).rejects.toMatchObject({ code: 'staff_beyond' });
    const boss = (await activeSupers())[0]?.userId ?? '';
    await expect(disable(boss, as(support))).rejects.toMatchObject({ code: 'staff_beyond' });
    const { userId: second } = await add('super_admin', as(boss));
    await expect(disable(second, as(second))).rejects.toMatchObject({ code: 'staff_self' });
    await disable(second, as(boss));
    await expect(add('support', as(second))).rejects.toMatchObject({ code: 'forbidden' });
    expect(await listEntries(world.deps.db, { target: { kind: 'staff', id: second } }, 10)).toMatchObject([
      { action: 'staff.disable', actor_kind: 'staff', actor: boss, reason: 'left us' },
      { action: 'staff.add', actor_kind: 'staff', actor: boss, changed: { role: [null, 'super_admin'] } },
    ]);
  });
});

describe('disabling', () => {
  test('the last super admin stays, also when the two last disable each other at once', async () => {
    const [boss] = await activeSupers();
    await expect(disable(boss?.userId ?? '')).rejects.toMatchObject({ code: 'staff_last' });
    for (let round = 0; round < 5; round += 1) {
      const [one] = await activeSupers();
      const { userId: two } = await add('super_admin');
      const first = one?.userId ?? '';
      const outcomes = await Promise.allSettled([disable(first, as(two)), disable(two, as(first))]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await activeSupers()).toHaveLength(1);
    }
  });

  test('two at once disable once', async () => {
    const { userId } = await add('support');
    const outcomes = await Promise.allSettled([disable(userId), disable(userId)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(disable(userId)).rejects.toMatchObject({ code: 'staff_disabled' });
    await expect(disable(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });

  test('makes the account an ordinary one, which may be added again', async () => {
    const user = await world.user({ usdCents: 0 });
    const again = () => addMember(world.deps, { actor, email: user.email, role: 'auditor' });
    const { userId } = await again();
    await disable(userId);
    expect((await user.api.me()).user.role).toBe('user');
    await again();
    const [entry] = await listEntries(world.deps.db, { target: { kind: 'staff', id: userId } }, 1);
    expect(entry?.changed).toEqual({ role: ['auditor, disabled', 'auditor'] });
  });

  test('an account that its owner deletes is no member any more; that of a super admin is not deleted', async () => {
    const { userId } = await add('support');
    await deleteAccount(world.deps, userId);
    expect((await listMembers(world.deps.db)).find((member) => member.userId === userId)?.isActive).toBe(false);
    const [boss] = await activeSupers();
    await expect(deleteAccount(world.deps, boss?.userId ?? '')).rejects.toMatchObject({ code: 'operator_stays' });
  });
});

test('at the command line: add, list, reset factors, disable, and a mistake is one sentence', async () => {
  const raha = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../src/cli.ts'), 'staff', ...args],
      {
        encoding: 'utf8',
        env: {
          ...inherited,
          DATABASE_URL: world.deps.databaseUrl,
          MASTER_KEY: TEST_MASTER_KEY,
          DATA_DIR: directory,
        },
      },
    );
    return { status, text: stdout + stderr };
  };
  const email = 'cli@staff.example';
  expect(raha('add', '--email', 'CLI@staff.example', '--role', 'support')).toMatchObject({ status: 0 });
  expect(raha('add', '--email', email, '--role', 'owner')).toEqual({
    status: 1,
    text: '--role takes one of super_admin, admin, support, finance, auditor.\n',
  });
  expect(raha('add', '--email', email, '--role', 'admin')).toEqual({
    status: 1,
    text: 'This address is a member of staff already. Disable it first to change its role.\n',
  });
  await sql`
    INSERT INTO totp_secret (user_id, secret_sealed, created_at, confirmed_at)
    SELECT id, 'sealed', now(), now() FROM users WHERE email = ${email}
  `.execute(world.deps.db);
  expect(raha('reset-factors', '--email', email)).toMatchObject({ status: 0 });
  expect(raha('disable', '--email', email, '--reason', 'a test')).toMatchObject({ status: 0 });
  expect(raha('list').text).toMatch(/cli@staff\.example {2}support {2}disabled/);
  expect((await listEntries(world.deps.db, {}, 3)).map(({ action }) => action)).toEqual([
    'staff.disable',
    'staff.reset-factors',
    'staff.add',
  ]);
}, 60_000);
