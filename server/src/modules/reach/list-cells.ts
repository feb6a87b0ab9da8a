import type { NetworkOperator } from '@raha/contract/public/reach.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { reachNetworks } from './settings.ts';
import { type ReachCell, selectCells } from './tables.ts';

/** For the operator: every hour and day that is kept since then, and the operators' names. */
export async function listCells(
  db: Executor,
  since: Date,
): Promise<{ readonly cells: readonly ReachCell[]; readonly operators: readonly NetworkOperator[] }> {
  return { cells: await selectCells(db, since), operators: await getSetting(db, reachNetworks) };
}
