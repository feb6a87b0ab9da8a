import { limits } from '@raha/contract/limits.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { newBytes } from '../../platform/random.ts';
import type { Vault } from '../../platform/sealed.ts';
import type { User } from '../accounts/users.ts';
import { countCodes, deleteCodes, replaceCodes, takeCode } from './code-tables.ts';
import { type FactorDeps, notifyChange } from './notify-change.ts';
import { recoveryCodeOf, showRecoveryCode } from './rules.ts';
import { hasSecondStep } from './second-step.ts';

/** Makes new recovery codes and returns them in clear, this once; the earlier ones stop working. */
export async function makeRecoveryCodes(
  tx: Tx,
  deps: Pick<FactorDeps, 'clock' | 'vault'>,
  userId: string,
): Promise<string[]> {
  const codes = Array.from({ length: limits.factors.recoveryCodes }, () => recoveryCodeOf(newBytes(10)));
  const hmacs = codes.map((code) => hmacOf(deps.vault, userId, code));
  await replaceCodes(tx, userId, hmacs, deps.clock.now());
  return codes.map(showRecoveryCode);
}

/** The codes of an account that has just got its first second step; null if it has codes. */
export async function makeFirstCodes(
  tx: Tx,
  deps: Pick<FactorDeps, 'clock' | 'vault'>,
  userId: string,
): Promise<string[] | null> {
  const { made } = await countCodes(tx, userId);
  return made > 0 ? null : await makeRecoveryCodes(tx, deps, userId);
}

/** Without a second step there is nothing to recover, and old codes must not work for a later one. */
export async function dropUselessCodes(tx: Tx, userId: string): Promise<void> {
  if (!(await hasSecondStep(tx, userId))) await deleteCodes(tx, userId);
}

/** Uses up a recovery code; false if it is wrong or was used before. The owner is notified of the use. */
export async function useRecoveryCode(
  tx: Tx,
  deps: Pick<FactorDeps, 'clock' | 'vault' | 'jobs' | 'notifier'>,
  user: Pick<User, 'id' | 'email'>,
  code: string,
): Promise<boolean> {
  if (!(await takeCode(tx, user.id, hmacOf(deps.vault, user.id, code), deps.clock.now()))) return false;
  await notifyChange(tx, deps, user, 'recovery_code_used');
  return true;
}

export async function countUnusedCodes(db: Executor, userId: string): Promise<number> {
  return (await countCodes(db, userId)).left;
}

function hmacOf(vault: Vault, userId: string, code: string): Buffer {
  return vault.hmac('recovery-code', `${userId}.${code}`);
}
