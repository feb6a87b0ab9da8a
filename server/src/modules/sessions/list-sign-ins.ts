import type { Executor } from '../../platform/database.ts';
import { selectIdentities } from './social-tables.ts';
import { selectOpenSessions, selectSignIns, selectSignInsBefore, signInsOf } from './tables.ts';

export { signInsOf };
export const listSignInsBefore = selectSignInsBefore;
export const countOpenSessions = selectOpenSessions;

/** The latest sign-ins of a user, ended sessions included, newest first. */
export async function listSignIns(db: Executor, userId: string, limit: number) {
  return await selectSignIns(db, userId, limit);
}

/** The providers to which an account is linked. */
export async function listIdentities(db: Executor, userId: string) {
  return await selectIdentities(db, userId);
}
