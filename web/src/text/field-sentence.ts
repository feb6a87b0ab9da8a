import { fieldErrors, isFieldError } from '@raha/contract/field-errors.ts';
import { currentLocale } from './locale.ts';

/** Schemas give message keys, refusals of the server give finished sentences; this returns a sentence for both. */
export function fieldSentence(problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return isFieldError(problem) ? fieldErrors[problem][currentLocale()] : problem;
}
