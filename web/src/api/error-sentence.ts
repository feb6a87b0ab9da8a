import { ApiError } from '@raha/contract/client.ts';
import { m } from '../text/generated/messages.js';

/**
 * What a user is told about a failed call: the server's own sentence. Where there is none, or only that something went
 * wrong there, it begins with what failed, if the screen says so (`what`). Empty when there is nothing to tell.
 */
export function errorSentence(error: unknown, what?: string): string {
  if (error instanceof ApiError) {
    // Nothing went wrong: the first of the two is on its way.
    if (error.code === 'duplicate') return '';
    if (error.code === 'network') return what ? m.failed_because({ what, why: m.error_network() }) : m.error_network();
    if (error.message !== 'unknown') {
      const isFault = error.code === 'internal' || error.code === 'unavailable';
      return what && isFault ? m.failed_because({ what, why: error.message }) : error.message;
    }
  }
  return what ? m.failed_because({ what, why: m.error_unknown() }) : m.error_unknown();
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined;
}
