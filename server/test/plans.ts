import type { Change } from '../src/modules/subscriptions/plan-change.ts';
import { setPlan } from '../src/modules/subscriptions/set-plan.ts';
import { actor, type TestWorld } from './world.ts';

/** An operator changes a plan at once, at the command line. */
export async function changePlan({ deps }: Pick<TestWorld, 'deps'>, id: string, change: Change): Promise<void> {
  await setPlan(deps, { actor, id, change });
}
