import { apiBase, endpoints } from 'virtual:endpoints';
import { createClient } from '@raha/contract/client.ts';
import { getLocale } from '../text/generated/runtime.js';
import { now } from './clock.ts';
import { withoutDuplicates } from './duplicates.ts';

/**
 * Calls that need no session and must not touch one: a wrong password is a 401 as well, and must neither refresh the
 * session, nor end it, nor be retried.
 */
export const visitorApi = createClient(endpoints, {
  baseUrl: apiBase,
  fetch: withoutDuplicates((input, init) => fetch(input, init), now),
  headers: () => ({ 'accept-language': getLocale() }),
});
