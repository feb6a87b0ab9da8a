import { apiBase, endpoints } from 'virtual:endpoints';
import { createClient } from '@raha/contract/client.ts';
import { now } from './clock.ts';
import { withoutDuplicates } from './duplicates.ts';
import { isSampleMode, withSamples } from './sample-mode.ts';
import { sessionFetch } from './session-fetch.ts';

export const api = createClient(endpoints, {
  baseUrl: apiBase,
  fetch: withoutDuplicates(isSampleMode() ? withSamples(sessionFetch) : sessionFetch, now),
});
