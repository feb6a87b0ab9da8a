import type { Config } from '@raha/contract/public/configs.ts';
import type { Executor } from '../../platform/database.ts';
import type { User } from '../accounts/users.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs } from './describe-config.ts';
import { selectConfigEvents, selectConfigsOfUser } from './tables.ts';

/** The configs of a user, newest first. */
export async function listConfigs(deps: ConfigDeps, user: User): Promise<Config[]> {
  return await describeConfigs(deps.db, deps, user, await selectConfigsOfUser(deps.db, user.id));
}

/** The latest configs made or deleted by a user. */
export async function listConfigEvents(db: Executor, userId: string, limit: number) {
  return await selectConfigEvents(db, userId, limit);
}
