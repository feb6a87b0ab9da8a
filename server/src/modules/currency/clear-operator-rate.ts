import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { endOverrides } from './tables.ts';

/** Ends the operator's own exchange rate. False when there was none. */
export async function clearOperatorRate(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  { actor }: { readonly actor: Actor },
): Promise<boolean> {
  return await inTransaction(deps.db, async (tx) => {
    const isCleared = await endOverrides(tx, deps.clock.now());
    if (isCleared) await deps.audit.record(tx, actor, { action: 'rate.clear' });
    return isCleared;
  });
}
