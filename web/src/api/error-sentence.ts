import { ApiError } from '@raha/contract/client.ts';
import { m } from '../text/generated/messages.js';

/** What a person is told about a failed call: the server's own sentence, or that there was no answer. Empty when there is nothing to tell. */
export function errorSentence(error: unknown): string {
  if (error instanceof ApiError) {
    // Nothing went wrong: the first of the two is on its way.
    if (error.code === 'duplicate') return '';
    if (error.code === 'network') return m.error_network();
    if (error.message !== 'unknown') return error.message;
  }
  return m.error_unknown();
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined;
}
