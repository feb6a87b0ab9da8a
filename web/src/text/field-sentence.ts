import { fieldErrors, isFieldError } from '@raha/contract/field-errors.ts';
import { currentLocale } from './locale.ts';

/** Schemas carry message keys, refusals of the server carry finished sentences; a user reads sentences. */
export function fieldSentence(problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return isFieldError(problem) ? fieldErrors[problem][currentLocale()] : problem;
}
