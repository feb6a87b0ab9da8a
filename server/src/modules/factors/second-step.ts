import { type Executor, readRows } from '../../platform/database.ts';
import { selectTotp } from './code-tables.ts';
import { secondStep, selectPasskeys } from './tables.ts';

export { secondStep };

/** Whether the account has a passkey or an authenticator app, whatever they are used for. */
export async function hasFactor(db: Executor, userId: string): Promise<boolean> {
  const totp = await selectTotp(db, userId);
  return Boolean(totp?.confirmed_at) || (await selectPasskeys(db, userId)).length > 0;
}

/** Whether signing in by password, code or provider asks for a factor, too. */
export async function hasSecondStep(db: Executor, userId: string): Promise<boolean> {
  return (await readRows(db, secondStep({ userId })))[0]?.exists === true;
}
