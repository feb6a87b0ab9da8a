import { addMember } from '../../src/modules/staff/add-member.ts';
import { makeUser } from '../money/bench.ts';
import { actor, type TestWorld } from '../world.ts';

/** Two members who may move money. */
export async function twoMembers(world: TestWorld) {
  const add = async () => {
    const { userId } = await addMember(world.deps, { actor, email: (await makeUser(world)).email, role: 'finance' });
    return { kind: 'staff', userId } as const;
  };
  return { member: await add(), other: await add() };
}
