import { addMember } from '../src/modules/staff/add-member.ts';
import { consoleBrowser, enterMailedCode, openColleague } from './staff.ts';
import { actor, type TestWorld } from './world.ts';

/** What a day leaves of those who work here: one signed in, one between the mailed code and the factor. */
export async function workOneDay(world: TestWorld): Promise<void> {
  await openColleague(world, 'super_admin');
  const email = 'half@staff.example';
  await addMember(world.deps, { actor, email, role: 'support' });
  await enterMailedCode(world, consoleBrowser(world), email);
}
