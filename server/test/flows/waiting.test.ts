import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { deactivateUser, eraseUser, getUser, lockUser, suspendUser } from '../../src/modules/accounts/users.ts';
import { restoreService } from '../../src/modules/billing/restore-service.ts';
import { inTransaction, type Tx } from '../../src/platform/database.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { adjust, walletOf } from '../money/bench.ts';
import { eventually, openTestWorld, PASSWORD, type TestWorld, withPassword } from '../world.ts';

/**
 * Two simultaneous transactions in the one order that matters: the second has begun and waits for a row that the first one
 * changes.
 */
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld({ restores: false });
  node = await enrolFakeNode(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

/** Resolves once a transaction of this database waits for a lock. */
async function lockIsAwaited(): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    `.execute(world.deps.db);
    return rows.length > 0;
  });
}

test('a report that waits while its lease gets another price is charged at the price its bytes were leased at', async () => {
  const user = await world.user({ usdCents: 100 });
  const { data } = await user.api.createConfig({ body: { name: 'phone', serverId: node.id } });
  const config = data.config.id;
  await node.sync();
  const lease = node.limitOf(config);
  await adjust(world, user.id, -(await walletOf(world, user.id)));
  await node.report([{ config, down: lease - 5_000_000 }]);

  await setSettingByKey(world.deps.db, 'price.usdCentsPerGb', '6', world.deps.clock.now());
  await adjust(world, user.id, 50_000);
  let late: Promise<unknown> | undefined;
  const notifier = {
    ...world.deps.notifier,
    // The last step before the commit: the segment with the old price is written and not yet visible to others.
    serviceRestored: async () => {
      late = node.report([{ config, down: lease - 1_000_000 }]);
      await lockIsAwaited();
    },
  };
  await restoreService({ ...world.deps, notifier }, user.id);
  await late;
  const { rows } = await sql<{ charged: bigint }>`
    SELECT m.hour_charged + coalesce((SELECT sum(charged_toman) FROM usage_hour h WHERE h.config_id = m.config_id), 0)::bigint
      AS charged FROM meter m WHERE config_id = ${config}
  `.execute(world.deps.db);
  // 3 cents per GB at 80,000 toman per dollar: 2,400 toman per GB.
  expect(rows[0]?.charged).toBe((BigInt(lease - 1_000_000) * 2_400n) / 1_000_000_000n);
  await world.proveLedger();
});

async function erase(tx: Tx, id: string): Promise<void> {
  await eraseUser(tx, world.deps.vault, await getUser(tx, id), new Date());
}

async function suspend(tx: Tx, id: string): Promise<void> {
  await suspendUser(tx, (await getUser(world.deps.db, id)).email);
}

test.each([
  ['to a user whose account is deleted', 'to', erase, 'transfer_recipient_unknown'],
  ['to a user whose account is switched off', 'to', deactivateUser, 'transfer_recipient_unknown'],
  ['from an account that is switched off', 'from', deactivateUser, 'unauthenticated'],
  ['from a user whom the operator suspends', 'from', suspend, 'account_suspended'],
] as const)('a transfer %s while it waits: refused, and no money has moved', async (_what, side, close, code) => {
  const people = { from: await withPassword(await world.user()), to: await world.user() };
  const sent = { to: people.to.email, amount: 20_000, password: PASSWORD };
  const { late } = await inTransaction(world.deps.db, async (tx) => {
    await lockUser(tx, people[side].id);
    const late = { answer: people.from.api.transferMoney({ body: sent }).catch((error: unknown) => error) };
    await lockIsAwaited();
    await close(tx, people[side].id);
    return { late };
  });
  expect(await late.answer).toMatchObject({ code });
  expect(await walletOf(world, people.from.id)).toBe(400_000);
  expect(await walletOf(world, people.to.id)).toBe(400_000);
});
