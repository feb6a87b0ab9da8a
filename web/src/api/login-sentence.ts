import { ApiError } from '@raha/contract/client.ts';
import { m } from '../text/generated/messages.js';
import { errorSentence } from './error-sentence.ts';

/** The message for a failed sign-in: the server's own, or one by status (specification 1, section 8). */
export function loginSentence(error: unknown): string {
  if (!(error instanceof ApiError) || error.message !== 'unknown') return errorSentence(error);
  if (error.status === 400) return m.login_error_input();
  if (error.status === 401) return m.login_error_wrong();
  if (error.status === 422) return m.login_error_data();
  if (error.status === 429) return m.login_error_many();
  if (error.status >= 500) return m.login_error_server();
  return errorSentence(error);
}
