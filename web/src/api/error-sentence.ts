import { ApiError } from '@raha/contract/client.ts';
import { m } from '../text/generated/messages.js';

/**
 * The message for a failed call: the server's own sentence. If there is none, or only a general one, the message begins
 * with what failed (`what`), if the screen gives it. Empty when there is nothing to report.
 */
export function errorSentence(error: unknown, what?: string): string {
  if (error instanceof ApiError) {
    // Not a failure: the first of the two requests is pending.
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
