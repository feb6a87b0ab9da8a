import { keepAlerts } from '../src/modules/alerts/keep-alerts.ts';
import { addMember } from '../src/modules/staff/add-member.ts';
import { requestAdjustment } from '../src/modules/wallet/propose-correction.ts';
import { noteRun } from '../src/platform/schedule-runs.ts';
import { consoleBrowser, enterMailedCode, openColleague } from './staff.ts';
import { actor, type TestWorld } from './world.ts';

/**
 * What a day leaves of those who work here: one signed in, with a correction that waits for a second member and an alert, and one
 * between the mailed code and the factor.
 */
export async function workOneDay(world: TestWorld): Promise<void> {
  const { userId } = await openColleague(world, 'super_admin');
  const user = await world.user({ usdCents: 0 });
  const order = { userId: user.id, amountToman: 600_000n, reason: 'the bank was late' };
  await requestAdjustment(world.deps, { actor: { kind: 'staff', userId }, ...order });
  await keepAlerts(world.deps, [{ rule: 'worker_silent', cause: '', figure: null, forSeconds: 0 }], () => false);
  await noteRun(world.deps.db, 'send alerts', world.deps.clock.now());
  const email = 'half@staff.example';
  await addMember(world.deps, { actor, email, role: 'support' });
  await enterMailedCode(world, consoleBrowser(world), email);
}
