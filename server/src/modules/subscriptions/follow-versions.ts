import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { followVersion, lockPlan, selectBehind } from './plan-tables.ts';

/**
 * The columns of `plan` follow the versions that have begun. Only servers of the release before read them, during a roll-out or after
 * a way back; a sale of this release finds its version by the clock. Returns how many plans followed.
 */
export async function followVersions(deps: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const behind = await selectBehind(deps.db, deps.clock.now());
  for (const id of behind) {
    await inTransaction(deps.db, async (tx) => {
      await lockPlan(tx, id);
      await followVersion(tx, id, deps.clock.now());
    });
  }
  return behind.length;
}
