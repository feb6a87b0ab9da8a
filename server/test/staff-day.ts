import { addMember } from '../src/modules/staff/add-member.ts';
import { actor, type TestWorld } from './world.ts';

/** What a day leaves of those who work here. */
export async function workOneDay(world: TestWorld): Promise<void> {
  await addMember(world.deps, { actor, email: 'support@mail.example', role: 'support' });
}
