import type { RawBuilder } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { firstIdOf } from '../../platform/random.ts';
import { idsBefore, selectNodesOf, selectReportedSince } from './tables.ts';
import { type UsageState, usageRows } from './tunnel-tables.ts';

/** The traffic of configs and whether their devices are connected. For display, not for decisions about money. */
export { type UsageState, usageRows };

/** Configs of these users on which a node has reported since an instant. */
export async function listReported(db: Executor, nodeId: string, userIds: readonly string[], since: Date) {
  return await selectReportedSince(db, nodeId, userIds, since);
}

/** The nodes with a meter of this user. */
export async function listNodesOf(db: Executor, userId: string): Promise<string[]> {
  return await selectNodesOf(db, userId);
}

/** The ids of the configs that were made before, for `divideEvenly`. */
export function configIdsBefore(time: Date): RawBuilder<unknown> {
  return idsBefore(firstIdOf(time));
}
