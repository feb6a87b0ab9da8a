import type { ErrorCode } from '@raha/contract/errors.ts';
import { Refusal } from '../../platform/refusal.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';

/**
 * Runs an act that the command line has, too. What that says in a sentence is a refusal here: `not_found` of what does not exist, and
 * otherwise what `codeOf` says.
 */
export async function refusing<T>(
  codeOf: ErrorCode | ((mistake: OperatorMistake) => ErrorCode),
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof OperatorMistake)) throw error;
    if (error.kind === 'not-found') throw new Refusal('not_found');
    const code = typeof codeOf === 'string' ? codeOf : codeOf(error);
    throw new Refusal(code, code === 'invalid_input' ? { fields: { [error.field ?? '']: 'invalid' } } : {});
  }
}
