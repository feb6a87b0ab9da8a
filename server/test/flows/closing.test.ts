import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { changePreferences } from '../../src/modules/accounts/preferences.ts';
import { reopenAccount } from '../../src/modules/accounts/reopen-account.ts';
import { eraseUser, getUser } from '../../src/modules/accounts/users.ts';
import { setDnsFiltering } from '../../src/modules/dns-filtering/dns-filtering.ts';
import { changeChoices } from '../../src/modules/notifications/email-choices.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { payAndVerify } from '../bank.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import {
  actor,
  codeFor,
  eventually,
  openTestWorld,
  PASSWORD,
  type TestUser,
  type TestWorld,
  withPassword,
} from '../world.ts';

/** Exporting everything kept about a user; switching the account off; erasing it. */
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function setPicture(user: TestUser): Promise<void> {
  const file = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#1b3a8a' } })
    .png()
    .toBuffer();
  const body = new FormData();
  body.set('avatar', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'picture.png');
  const headers = { authorization: `Bearer ${user.token}` };
  expect((await fetch(`${world.origin}${API_BASE}/user/avatar`, { method: 'POST', headers, body })).status).toBe(200);
}

describe('export', () => {
  test('one file with everything, without secrets, only for its owner', async () => {
    const user = await world.user();
    const config = await user.api.createConfig({ body: { name: 'خانه <b>', serverId: node.id, keepKey: true } });
    await node.settle();
    await setPicture(user);
    await payAndVerify(user, 'zarinpal', 20_000);
    const response = await fetch(`${world.origin}${API_BASE}/user/export`, {
      headers: { authorization: `Bearer ${user.token}` },
    });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="raha-account.json"');
    const text = await response.text();
    const all = JSON.parse(text);
    expect(all).toMatchObject({
      profile: { email: user.email },
      avatar: { type: 'image/webp' },
      configs: [{ name: 'خانه <b>' }],
      wallet: [{ type: 'wallet_charge' }, { type: 'gift_card', amount: 400_000 }],
      payments: [{ type: 'wallet_charge' }, { type: 'gift_card' }],
      invoices: [{ type: 'receipt', amount: 20_000, number: expect.stringMatching(/^14\d\d-\d{6}$/) }],
      sign_in: { sessions: [{}] },
    });
    expect(all.notifications.length).toBeGreaterThan(0);
    const file = await user.api.downloadConfig({ params: { id: config.data.config.id } });
    const privateKey = /PrivateKey = (\S+)/.exec(String(file))?.[1] ?? 'none';
    expect(text).not.toContain(privateKey);
    expect(text).not.toMatch(/argon2|_sealed|token_hash/);
    const anonymous = await fetch(`${world.origin}${API_BASE}/user/export`);
    expect(anonymous.status).toBe(401);
  });
});

test('the operator suspends an account: signed out, refused with a sentence, its configs blocked, until it is reopened', async () => {
  const user = await withPassword(await world.user());
  const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } });
  await node.settle();
  await suspendAccount(world.deps, { actor, email: user.email });
  await expect(suspendAccount(world.deps, { actor, email: user.email })).rejects.toMatchObject({ kind: 'not-found' });
  await expect(suspendAccount(world.deps, { actor, email: 'nobody@mail.example' })).rejects.toMatchObject({
    kind: 'not-found',
  });
  await expect(user.api.me()).rejects.toMatchObject({ status: 401 });
  await node.sync();
  expect(node.peers.get(data.config.id)?.blocked).toBe(true);
  const signIn = () => world.client().login({ body: { email: user.email, password: PASSWORD } });
  await expect(signIn()).rejects.toMatchObject({ code: 'account_suspended', status: 403 });
  await reopenAccount(world.deps, { actor, email: user.email });
  const back = await signIn();
  const api = world.client(back.token ?? '');
  expect((await api.listConfigs()).data.configs).toMatchObject([{ status: 'inactive' }]);
});

describe('deactivating', () => {
  test('blocks the configs at the node and ends every session; signing in reactivates the account, configs stay off', async () => {
    const user = await withPassword(await world.user());
    const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } });
    await node.settle();
    expect(node.peers.get(data.config.id)?.blocked).toBe(false);
    // A stolen session must not be enough (audit S9).
    await expect(user.api.deactivateAccount()).rejects.toMatchObject({ code: 'confirmation_needed' });
    await expect(user.api.deactivateAccount({ body: { password: 'Wr0ng!password-1' } })).rejects.toMatchObject({
      code: 'password_wrong',
    });
    expect((await user.api.me()).user.status).toBe('active');
    await user.api.deactivateAccount({ body: { password: PASSWORD } });
    await expect(user.api.me()).rejects.toMatchObject({ code: 'unauthenticated' });
    await node.sync();
    expect(node.peers.get(data.config.id)?.blocked).toBe(true);
    await eventually(() => world.mails.find((mail) => mail.to === user.email && mail.text.includes('غیرفعال شد')));
    const back = await world.client().login({ body: { email: user.email, password: PASSWORD } });
    const api = world.client(back.token ?? '');
    expect((await api.me()).user.status).toBe('active');
    expect((await api.listConfigs()).data.configs).toMatchObject([{ status: 'inactive' }]);
    await api.connect({ body: { configId: data.config.id } });
    await node.sync();
    expect(node.peers.get(data.config.id)?.blocked).toBe(false);
  });

  test('if the operator reserves reactivation, signing in is refused with a sentence', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    await setSettingByKey(world.deps.db, 'accounts.returnBySignIn', 'false', world.deps.clock.now());
    try {
      await user.api.deactivateAccount({ body: { password: PASSWORD } });
      const again = world.client().login({ body: { email: user.email, password: PASSWORD } });
      await expect(again).rejects.toMatchObject({ code: 'account_deactivated' });
      await expect(reopenAccount(world.deps, { actor, email: 'nobody@mail.example' })).rejects.toMatchObject({
        kind: 'not-found',
      });
      await reopenAccount(world.deps, { actor, email: user.email });
      await expect(reopenAccount(world.deps, { actor, email: user.email })).rejects.toMatchObject({
        kind: 'not-found',
      });
      const back = await world.client().login({ body: { email: user.email, password: PASSWORD } });
      expect(back.user.status).toBe('active');
    } finally {
      await setSettingByKey(world.deps.db, 'accounts.returnBySignIn', 'true', world.deps.clock.now());
    }
  });
});

describe('deleting', () => {
  test('erases the user, keeps the books, and the address may sign up anew', async () => {
    const user = await withPassword(await world.user());
    const { data } = await user.api.createConfig({ body: { name: 'رازم', serverId: node.id } });
    await node.settle();
    await setPicture(user);
    const { avatar } = (await user.api.me()).user;
    await expect(user.api.deleteAccount({ body: {} })).rejects.toMatchObject({ code: 'confirmation_needed' });
    await user.api.deleteAccount({ body: { password: PASSWORD } });
    await expect(user.api.me()).rejects.toMatchObject({ code: 'unauthenticated' });
    await node.sync();
    expect(node.removed).toContain(data.config.id);
    expect((await fetch(world.origin + avatar)).status).toBe(404);
    await eventually(() => world.mails.find((mail) => mail.to === user.email && mail.text.includes('حذف شد')));
    expect(await tracesOf(user)).toEqual([]);
    await world.proveLedger();
    const { rows } = await sql<{ balance: bigint }>`
      SELECT sum(balance) AS balance FROM ledger_account WHERE owner_id = ${user.id}
    `.execute(world.deps.db);
    expect(rows[0]?.balance).not.toBe(0n);
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 minutes'`.execute(world.deps.db);
    world.mails.length = 0;
    const anew = await world.user({ email: user.email, usdCents: 0 });
    expect(anew.id).not.toBe(user.id);
    expect((await anew.api.me()).user).toMatchObject({ balance: 0, isActivated: false });
  });

  test('work still under way when the account was erased writes nothing to it', async () => {
    const { id } = await world.user({ usdCents: 0 });
    const { db } = world.deps;
    await inTransaction(db, async (tx) => eraseUser(tx, world.deps.vault, await getUser(tx, id), new Date()));
    for (const write of [
      () => changePreferences(db, id, { language: 'en' }),
      () => setDnsFiltering(world.deps, id, true),
      () => changeChoices(db, id, []),
    ])
      await expect(write()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('a user without a password confirms by a code; of two simultaneous deletions one succeeds', async () => {
    const user = await world.user({ usdCents: 0 });
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 minutes'`.execute(world.deps.db);
    await user.api.sendConfirmation();
    const code = await codeFor(world, user.email, 2);
    await expect(user.api.deleteAccount({ body: { password: PASSWORD } })).rejects.toMatchObject({
      code: 'confirmation_needed',
    });
    const tries = await Promise.allSettled([1, 2, 3].map(() => user.api.deleteAccount({ body: { code } })));
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    await expect(user.api.me()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test("an operator's account cannot be deleted from here", async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    await sql`UPDATE users SET role = 'super_admin' WHERE id = ${user.id}`.execute(world.deps.db);
    await expect(user.api.deleteAccount({ body: { password: PASSWORD } })).rejects.toMatchObject({
      code: 'operator_stays',
    });
    await expect(user.api.deactivateAccount({ body: { password: PASSWORD } })).rejects.toMatchObject({
      code: 'operator_stays',
    });
  });
});

/** Every column of the database that still has the user's name, address or the name of their device. */
async function tracesOf(user: TestUser): Promise<string[]> {
  const columns = await sql<{ table_name: string; column_name: string }>`
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('text', 'jsonb') AND table_name NOT LIKE 'pg_%'
      AND table_name NOT IN (SELECT table_name FROM information_schema.views)
  `.execute(world.deps.db);
  const found: string[] = [];
  for (const { table_name, column_name } of columns.rows) {
    const mine = await sql`
      SELECT 1 FROM ${sql.table(table_name)}
      WHERE ${sql.ref(column_name)}::text LIKE ${`%${user.email}%`} OR ${sql.ref(column_name)}::text LIKE '%رازم%'
    `.execute(world.deps.db);
    if (mine.rows.length > 0) found.push(`${table_name}.${column_name}`);
  }
  return found;
}
