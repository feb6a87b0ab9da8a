import { sql } from 'kysely';
import { approveWaiting, declineWaiting, withdrawWaiting } from '../../src/modules/bulk/decide-order.ts';
import { listProposed } from '../../src/modules/bulk/list-bulks.ts';
import { orderCredit } from '../../src/modules/bulk/order-credit.ts';
import { steerBulk } from '../../src/modules/bulk/steer-bulk.ts';
import { listProposals } from '../../src/modules/wallet/decide-proposal.ts';
import { makeUser } from '../money/bench.ts';
import { actor, type TestWorld } from '../world.ts';
import type { Act } from './audit-acts.ts';
import { twoMembers } from './two-members.ts';

const credit = { toman: 5_000n, message: 'عذر ما را بپذیرید.', reason: 'an outage' } as const;

/** Ordered by one of two members. */
async function proposed(world: TestWorld) {
  const { member, other } = await twoMembers(world);
  const { id: userId } = await makeUser(world);
  const { id: bulk } = await orderCredit(world.deps, { actor: member, whom: { ids: [userId] }, ...credit });
  const { db, clock } = world.deps;
  const open = (await listProposals(db, clock.now(), 100)).map(({ id }) => id);
  const id = (await listProposed(db, open)).find((order) => order.id === bulk)?.proposal_id ?? '';
  return { member, other, id };
}

/** Ordered at the command line, as if its two minutes were over. */
async function begun(world: TestWorld, state: 'running' | 'paused') {
  const { id: userId } = await makeUser(world);
  const { id } = await orderCredit(world.deps, { actor, whom: { ids: [userId] }, ...credit });
  await sql`UPDATE bulk SET state = ${state} WHERE id = ${id}`.execute(world.deps.db);
  return id;
}

/** Those that only a member does: the machine needs no second one. */
export const creditActsOfMembers = ['credits.propose', 'credits.approve', 'credits.decline', 'credits.withdraw'];

/** What operators do about the same credit for many. */
export const creditActs: Readonly<Record<string, Act>> = {
  'credits.order': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    return () => orderCredit(world.deps, { actor, whom: { ids: [userId] }, ...credit });
  },
  'credits.propose': async ({ world }) => {
    const { member } = await twoMembers(world);
    const { id: userId } = await makeUser(world);
    return () => orderCredit(world.deps, { actor: member, whom: { ids: [userId] }, ...credit });
  },
  'credits.approve': async ({ world }) => {
    const { other, id } = await proposed(world);
    return () => approveWaiting(world.deps, { actor: other, id });
  },
  'credits.decline': async ({ world }) => {
    const { other, id } = await proposed(world);
    return () => declineWaiting(world.deps, { actor: other, id, reason: 'too much' });
  },
  'credits.withdraw': async ({ world }) => {
    const { member, id } = await proposed(world);
    return () => withdrawWaiting(world.deps, { actor: member, id, reason: 'a mistake' });
  },
  'credits.pause': async ({ world }) => {
    const id = await begun(world, 'running');
    return () => steerBulk(world.deps, { actor, id, step: 'pause' });
  },
  'credits.continue': async ({ world }) => {
    const id = await begun(world, 'paused');
    return () => steerBulk(world.deps, { actor, id, step: 'continue' });
  },
  'credits.stop': async ({ world }) => {
    const id = await begun(world, 'running');
    return () => steerBulk(world.deps, { actor, id, step: 'stop' });
  },
};
