import type { Config } from '@raha/contract/public/configs.ts';
import type { Executor } from '../../platform/database.ts';
import type { Person } from '../accounts/people.ts';
import type { ConfigDeps } from './create-config.ts';
import { describeConfigs } from './describe-config.ts';
import { selectConfigEvents, selectConfigsOfUser } from './tables.ts';

/** The configs of a person, newest first. */
export async function listConfigs(deps: ConfigDeps, person: Person): Promise<Config[]> {
  return await describeConfigs(deps.db, deps, person, await selectConfigsOfUser(deps.db, person.id));
}

/** The latest configs made or deleted by a person. */
export async function listConfigEvents(db: Executor, userId: string, limit: number) {
  return await selectConfigEvents(db, userId, limit);
}
