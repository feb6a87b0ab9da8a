import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { endOverrides } from './tables.ts';

/** Ends the operator's own exchange rate. False when there was none. */
export async function clearOperatorRate(
  deps: { readonly db: Database; readonly clock: Clock; readonly log: Log },
  { actor }: { readonly actor: Actor },
): Promise<boolean> {
  const isCleared = await inTransaction(deps.db, (tx) => endOverrides(tx, deps.clock.now()));
  if (isCleared) logAction(deps, actor, 'rate.clear');
  return isCleared;
}
