import type { Executor } from '../../platform/database.ts';
import { existsSecondStep } from './tables.ts';

/** Whether signing in by password, code or provider asks for a factor, too. */
export async function hasSecondStep(db: Executor, userId: string): Promise<boolean> {
  return await existsSecondStep(db, userId);
}
