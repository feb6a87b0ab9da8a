import { requestBatch } from '../../src/modules/gift-cards/request-batch.ts';
import { declineAct, withdrawAct } from '../../src/modules/staff/approvals.ts';
import type { TestWorld } from '../world.ts';
import type { Act } from './audit-acts.ts';
import { twoMembers } from './two-members.ts';

/** More than one member may issue alone. */
const batch = { cards: { count: 100, usd_cents: 500, expires: null, note: '' }, reason: 'for a shop' };

async function proposed({ deps }: TestWorld, members: Awaited<ReturnType<typeof twoMembers>>) {
  return (await requestBatch(deps, { actor: members.member, ...batch })).id;
}

/** Those that only a member does: the machine proposes nothing. */
export const approvalActsOfMembers = ['approvals.propose', 'approvals.decline', 'approvals.withdraw'];

/** What members do about acts that wait for a second one. */
export const approvalActs: Readonly<Record<string, Act>> = {
  'approvals.propose': async ({ world }) => {
    const { member } = await twoMembers(world);
    return () => requestBatch(world.deps, { actor: member, ...batch });
  },
  'approvals.decline': async ({ world }) => {
    const members = await twoMembers(world);
    const id = await proposed(world, members);
    return () => declineAct(world.deps, { actor: members.other, id, reason: 'too many' });
  },
  'approvals.withdraw': async ({ world }) => {
    const members = await twoMembers(world);
    const id = await proposed(world, members);
    return () => withdrawAct(world.deps, { actor: members.member, id, reason: 'a mistake' });
  },
};
