import type { Executor } from '../../platform/database.ts';
import { selectTotp } from './code-tables.ts';
import { selectPasskeys } from './tables.ts';

/** Whether signing in by password, code or provider asks for a factor, too. */
export async function hasSecondStep(db: Executor, userId: string): Promise<boolean> {
  const totp = await selectTotp(db, userId);
  if (totp?.confirmed_at) return true;
  return (await selectPasskeys(db, userId)).some(({ is_second_step }) => is_second_step);
}
