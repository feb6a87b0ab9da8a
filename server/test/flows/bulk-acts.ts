import { sql } from 'kysely';
import { orderBulk, undoBulk } from '../../src/modules/bulk/order-bulk.ts';
import { runBulks } from '../../src/modules/bulk/run-bulks.ts';
import { steerBulk } from '../../src/modules/bulk/steer-bulk.ts';
import { exportBulk } from '../../src/modules/console/export-bulk.ts';
import { signOutInside } from '../../src/modules/sessions/sign-out-user.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { makeUser } from '../money/bench.ts';
import { actor, type TestWorld } from '../world.ts';
import type { Act } from './audit-acts.ts';
import { creditActs } from './credit-acts.ts';

const reason = 'an attack';

async function ordered(world: TestWorld) {
  const { id: userId } = await makeUser(world);
  return await orderBulk(world.deps, { actor, act: 'suspend', whom: { ids: [userId] }, reason });
}

/** As if its two minutes were over. */
async function begun(world: TestWorld, state: 'running' | 'paused') {
  const { id } = await ordered(world);
  await sql`UPDATE bulk SET state = ${state} WHERE id = ${id}`.execute(world.deps.db);
  return id;
}

/** What operators do to many users at once. */
export const bulkActs: Readonly<Record<string, Act>> = {
  ...creditActs,
  'bulks.order': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    return () => orderBulk(world.deps, { actor, act: 'end_sessions', whom: { ids: [userId] }, reason });
  },
  'bulks.pause': async ({ world }) => {
    const id = await begun(world, 'running');
    return () => steerBulk(world.deps, { actor, id, step: 'pause' });
  },
  'bulks.continue': async ({ world }) => {
    const id = await begun(world, 'paused');
    return () => steerBulk(world.deps, { actor, id, step: 'continue' });
  },
  'bulks.stop': async ({ world }) => {
    const { id } = await ordered(world);
    return () => steerBulk(world.deps, { actor, id, step: 'stop' });
  },
  'bulks.undo': async ({ world }) => {
    const { id } = await ordered(world);
    await sql`UPDATE bulk SET starts_at = ordered_at WHERE id = ${id}`.execute(world.deps.db);
    await runBulks(world.deps);
    return () => undoBulk(world.deps, { actor, id, reason: 'a mistake' });
  },
  'bulks.export': async ({ world }) => {
    const { id } = await ordered(world);
    return () => exportBulk(world.deps, { actor, id });
  },
  'accounts.end-sessions': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    return () => inTransaction(world.deps.db, (tx) => signOutInside(tx, world.deps, { actor, userId, reason }));
  },
};
